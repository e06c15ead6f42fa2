"""The configuration: `[tool.advisor]` in pyproject.toml or advisor.toml, and `--config` fragments."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias, cast

from advisor.model.errors import UsageError
from advisor.model.findings import Severity
from advisor.model.records import Source
from advisor.model.settings.config_values import Reader, Settings
from advisor.model.settings.path_patterns import matches_path, path_below
from advisor.model.storage.own_folder import require_inside

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Level: TypeAlias = Literal["info", "warning", "error", "off"]

DEFAULT_DEVICE = "a100-80gb"
CONFIG_NAMES = ("advisor.toml", "pyproject.toml")
_ROOT_MARKS = ("pyproject.toml", ".git")


@dataclass(frozen=True, slots=True)
class RuleSetting:
    """What the user changes in one rule: its level, and parameters as quantities ("35%", "7 ms")."""

    level: Level | None = None
    params: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProjectOverride:
    """A change of one rule for a device, for paths or for kernels, with its reason and last day.

    `device`, `path` and `kernel` are patterns, "" for all; `line` is its place in the configuration file.
    """

    rule: str
    device: str = ""
    path: str = ""
    kernel: str = ""
    level: Level | None = None
    params: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    until: str = ""
    line: int = 1


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a project.

    `root` is the folder that `exclude`, `per_file_ignores` and the paths of overrides, also of those in
    packs, are relative to; `policy` gives levels to circumstances, and limits of gains; `file` is the file
    they come from, None for the defaults; `packs` are paths of folders from `root`, or names of installed
    packs; `history` is the address of the history (`database_at`), which may hold a
    password; `report_causes` is the number of causes in a short report, None for as many as fit two screens;
    `places` says where packs and metric providers are named, by key and name; `device_named` that some text
    names the device.
    """

    device: str = DEFAULT_DEVICE
    evidence: Source = "simulated"
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_level: Severity = "warning"
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cache_dir: Path | None = None
    history: str = field(default="", repr=False)
    workload_seconds: float = 60.0
    synthesis: bool = True
    synthesis_seconds: float = 60.0
    report_causes: int | None = None
    metric_providers: tuple[str, ...] = ()
    packs: tuple[str, ...] = ()
    rules: Mapping[str, RuleSetting] = field(default_factory=dict)
    overrides: tuple[ProjectOverride, ...] = ()
    policy: Mapping[str, str | float] = field(default_factory=dict)
    root: Path = field(default_factory=Path.cwd)
    file: Path | None = None
    places: Mapping[str, str] = field(default_factory=dict)
    device_named: bool = False

    def place_of(self, key: str, name: str) -> str:
        """Where a list of the configuration names something, for messages: `advisor.toml:3: packs`."""
        place = self.places.get(f"{key}/{name}")
        return f"{place}: {key}" if place else key

    def ignored_in(self, file: Path) -> tuple[str, ...]:
        """The selectors that `per-file-ignores` names for `file`, a path from the working directory."""
        if not self.per_file_ignores:
            return ()
        relative = path_below(self.root, Path.cwd() / file)
        if relative is None:
            return ()
        return tuple(
            selector
            for pattern, selectors in self.per_file_ignores.items()
            if matches_path(pattern, relative)
            for selector in selectors
        )


def load_config(
    start: Path, fragments: Sequence[str] = (), isolated: bool = False, working: Path | None = None
) -> Config:
    """The settings for `start` (a file or folder): the nearest configuration file above it, then `fragments`.

    Their root is that of the project; of what is in no project it is `working`, the folder that a command was
    given in, where `start` lies below, and else the folder of `start`.
    Raises UsageError naming every unknown key and wrong value at once, each with file and line.
    """
    # "below/.." is the folder itself, also where "below" is a link.
    folder = Path(os.path.abspath(start if os.path.isdir(start) else start.parent))  # noqa: PTH100, PTH112
    file = None if isolated else find_config_file(folder)
    root = file.parent if file else _project_root(folder)
    if root is None:
        root = working if working is not None and folder.is_relative_to(working) else folder
    readers = []
    if file:
        readers.append(_read_file(file))
    readers += [_read_fragment(fragment) for fragment in fragments]
    settings = Settings()
    for reader in readers:
        reader.read_into(settings)
    problems = [problem for reader in readers for problem in reader.problems]
    if problems:
        raise UsageError("\n".join(problems))
    return _as_config(settings, root, file)


def command_config(start: Path, fragments: Sequence[str] = (), isolated: bool = False) -> Config:
    """The settings of a command that is given in the working directory for `start`."""
    return load_config(start, fragments, isolated, working=Path.cwd())


def program_config(program: Path | None) -> Config:
    """The settings for a run of a program (None for a module): those that other commands have for its file.

    A program elsewhere than in the working directory may be an installed one that is run for the project of
    the working directory; where that is in none, the program's own project counts.
    """
    working = Path.cwd()
    if program is None:
        return command_config(working)
    folder = Path(os.path.abspath(program)).parent  # noqa: PTH100 - as above
    own = folder.is_relative_to(working) or (_is_in_project(folder) and not _is_in_project(working))
    return command_config(folder if own else working)


def _is_in_project(folder: Path) -> bool:
    return find_config_file(folder) is not None or _project_root(folder) is not None


def find_config_file(folder: Path) -> Path | None:
    """The nearest advisor.toml, or pyproject.toml with a `[tool.advisor]` table, in `folder` or above it."""
    for parent in (folder, *folder.parents):
        for name in CONFIG_NAMES:
            file = parent / name
            # Path.is_file raises an error for a name that is too long for any file.
            if os.path.isfile(file) and (name == "advisor.toml" or _speaks_of_advisor(file)):  # noqa: PTH113
                return file
    return None


def cache_folder(config: Config) -> Path:
    """The folder for cached results, whether it exists or not."""
    return config.cache_dir or config.root / ".advisor" / "cache"


def prepare_cache_folder(config: Config) -> Path | None:
    """The folder for cached results, made when missing; None when it cannot be written."""
    folder = cache_folder(config)
    own = folder if config.cache_dir else folder.parent
    try:
        require_inside(folder / ".writable")
        is_new = not own.exists()
        folder.mkdir(parents=True, exist_ok=True)
        if is_new:
            (own / ".gitignore").write_text("*\n", encoding="utf-8")
        probe = folder / ".writable"
        probe.touch()
        probe.unlink(missing_ok=True)
    except OSError:
        return None
    return folder


def _as_config(settings: Settings, root: Path, file: Path | None) -> Config:
    values = dict(settings.values)
    rules = {
        rule: RuleSetting(cast("Level | None", settings.levels.get(rule)), settings.params.get(rule, {}))
        for rule in sorted({*settings.levels, *settings.params})
    }
    if "cache_dir" in values:
        values["cache_dir"] = root / Path(str(values["cache_dir"])).expanduser()
    overrides = tuple(ProjectOverride(**given) for given in settings.overrides)  # type: ignore[arg-type]
    values |= {"rules": rules, "overrides": overrides, "packs": settings.packs, "places": settings.places}
    return Config(**values, root=root, file=file)  # type: ignore[arg-type]


def _project_root(folder: Path) -> Path | None:
    for parent in (folder, *folder.parents):
        if any(os.path.exists(parent / mark) for mark in _ROOT_MARKS):  # noqa: PTH110
            return parent
    return None


def _speaks_of_advisor(file: Path) -> bool:
    try:
        text = file.read_text("utf-8", errors="replace")
    except OSError:
        return False
    if "advisor" not in text:
        return False
    try:
        tools = tomllib.loads(text).get("tool")
        return isinstance(tools, dict) and "advisor" in tools
    except tomllib.TOMLDecodeError:
        # Broken, and it may hold our table: reading it again reports where it is broken.
        return "tool.advisor" in text


def _read_file(file: Path) -> Reader:
    shown = _shown(file)
    try:
        text = file.read_text("utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{shown}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown}: is not UTF-8: {error.reason} at byte {error.start}") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{shown}: is not valid TOML: {error}") from None
    if file.name == "pyproject.toml":
        content = content["tool"]["advisor"]
        if not isinstance(content, dict):
            raise UsageError(f"{shown}: `tool.advisor` must be a table.")
        return Reader(shown, content, text.splitlines(), ("tool", "advisor"))
    return Reader(shown, content, text.splitlines(), ())


def _read_fragment(fragment: str) -> Reader:
    place = f"--config {fragment!r}"
    try:
        content = tomllib.loads(fragment)
    except tomllib.TOMLDecodeError as error:
        hint = "" if '"' in fragment or "'" in fragment else " Text needs quotes: --config 'device=\"h100\"'."
        raise UsageError(f"{place}: is not valid TOML: {error}.{hint}") from None
    return Reader(place, content, (), ())


def _shown(file: Path) -> str:
    try:
        return file.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(file)
