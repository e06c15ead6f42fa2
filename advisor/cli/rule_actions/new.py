"""`advisor rules new`: a complete rule to begin from, which passes its tests at once."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.model.errors import UsageError

if TYPE_CHECKING:
    from advisor.model.settings.config import Config
    from advisor.rules.model import Metric, Rulebook

SUMMARY = "Write a new rule to start from, complete with examples."
DEFAULT_ENTITY, DEFAULT_METRIC, DEFAULT_PACK = "kernel", "registers", "rules"
_WORDS = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor rules new`."""
    parser.add_argument("rule", metavar="CATEGORY/ID", help="the rule's category and id, words with hyphens")
    parser.add_argument(
        "--pack", type=Path, metavar="FOLDER",
        help=f"the folder of rules (default: the project's only one; where it has none, `{DEFAULT_PACK}`)",
    )  # fmt: skip
    parser.add_argument(
        "--entity", default=DEFAULT_ENTITY, metavar="NAME", help="what the rule looks at (default: kernel)"
    )
    parser.add_argument(
        "--metric",
        default=DEFAULT_METRIC,
        metavar="NAME",
        help="the metric it judges by (default: registers)",
    )


def run(args: argparse.Namespace) -> int:
    """0 after writing the rule."""
    from advisor.check.rulebook import rulebook_for
    from advisor.cli.pages.rule_skeleton import rule_text
    from advisor.model.settings.config import load_config

    category, identifier = _parsed(args.rule)
    pack = _pack(load_config(Path.cwd()), args.pack)
    file = pack.folder / category / f"{identifier}.rules"
    rulebook = rulebook_for(pack.config)
    _refuse_known(rulebook, identifier)
    if file.exists():
        raise UsageError(f"{_shown(file)} exists already; remove it or choose another id.")
    metric = _metric(rulebook, args.entity, args.metric)
    try:
        text = rule_text(identifier, metric)
    except ValueError as error:
        raise UsageError(f"{error}, so no rule can tell its values apart.") from None
    _write(file, text, pack)
    print(_shown(file))
    for line in () if args.quiet else _report(pack, file, identifier):
        print(line)
    return 0


@dataclass(frozen=True)
class _Pack:
    """The folder a rule is written to, and the configuration with the packs that are there.

    `is_named` says whether the project's configuration has it, `is_loaded` whether `config` reads what is in
    it, `is_empty` that it has no rule file.
    """

    folder: Path
    config: Config
    is_named: bool
    is_loaded: bool
    is_empty: bool


def _parsed(rule: str) -> tuple[str, str]:
    category, slash, identifier = rule.partition("/")
    wrong = [part for part in (category, identifier) if not _WORDS.fullmatch(part)]
    if not slash or wrong:
        what = f"`{wrong[0]}` is not words with hyphens" if slash else f"`{rule}` has no category"
        raise UsageError(f"{what}; write CATEGORY/ID in small letters, as occupancy/many-registers.")
    if "all" in (category, identifier):
        raise UsageError("`all` stands for every rule; choose another name.")
    return category, identifier


def _pack(config: Config, asked: Path | None) -> _Pack:
    from advisor.model.data_files import knowledge_folder
    from advisor.rules.loading.packs import installed_packs, rule_files

    installed = installed_packs()
    folders = {
        name: config.root / Path(name).expanduser()
        for name in config.packs
        if (config.root / Path(name).expanduser()).is_dir() or name not in installed
    }
    if asked is None and len(folders) > 1:
        raise UsageError(f"the project has several packs ({', '.join(folders)}); name one with --pack.")
    if asked is not None:
        folder = Path.cwd() / asked
    else:
        folder = next(iter(folders.values()), config.root / DEFAULT_PACK)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{_shown(folder)} is a file; name a folder with --pack.")
    target, shipped = folder.resolve(), (knowledge_folder() / "rules").resolve()
    # A pack that is configured and not there yet is the one to be made.
    packs = tuple(name for name in config.packs if name not in folders or folders[name].is_dir())
    inside = [
        one for one in (shipped, *(one.resolve() for one in folders.values())) if target.is_relative_to(one)
    ]
    is_loaded = any(one.is_dir() for one in inside)
    if folder.is_dir() and not is_loaded:
        packs, is_loaded = (*packs, str(folder)), True
    is_empty = not folder.is_dir() or not rule_files(folder)
    return _Pack(folder, replace(config, packs=packs), bool(inside), is_loaded, is_empty)


def _refuse_known(rulebook: Rulebook, identifier: str) -> None:
    from advisor.model.data_files import knowledge_folder
    from advisor.model.suppression_rules import load_suppression_rules
    from advisor.rules.loading.packs import file_of

    if rule := rulebook.rule(identifier):
        file = file_of(rule.path, rulebook.packs)
        shipped = file is None or file.resolve().is_relative_to(knowledge_folder().resolve())
        place = "it is a shipped one" if shipped or file is None else f"it is in {_shown(file)}"
        raise UsageError(f"there is already a rule `{identifier}`; {place}.")
    if identifier in load_suppression_rules():
        raise UsageError(f"there is already a rule `{identifier}`; it is a shipped one.")
    if identifier in rulebook.renamed:
        today = rulebook.renamed[identifier]
        raise UsageError(f"`{identifier}` is the former id of `{today}`; choose another id.")
    if identifier in rulebook.retired:
        raise UsageError(
            f"`{identifier}` is the id of a retired rule ({rulebook.retired[identifier]}); choose another id."
        )


def _metric(rulebook: Rulebook, entity: str, name: str) -> Metric:
    from advisor.model.settings.selectors import suggestion

    if entity not in rulebook.entities:
        raise UsageError(f"there is no entity `{entity}`.{suggestion(entity, rulebook.entities)}")
    if metric := rulebook.metric(entity, name):
        return metric
    own = [metric for owner, metric in rulebook.metrics if owner == entity]
    others = [owner for owner, metric in rulebook.metrics if metric == name]
    hint = suggestion(name, own) or f" Name one with --metric: {_few(own)}"
    if others and name != DEFAULT_METRIC:
        hint = f" It is one of `{others[0]}`: add --entity {others[0]}."
    raise UsageError(f"`{entity}` has no metric `{name}`.{hint}")


def _few(names: list[str]) -> str:
    return f"{', '.join(names[:12])}{' …' if len(names) > 12 else '.'}"


def _write(file: Path, text: str, pack: _Pack) -> None:
    from advisor.cli.checking.report_file import write_atomically
    from advisor.cli.pages.rule_skeleton import pack_text
    from advisor.rules.checking.assemble import EDITION

    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{_shown(file.parent)}: cannot be made: {error.strerror or error}") from None
    write_atomically(file, text)
    if pack.is_empty:
        name = pack.config.root.resolve().name or pack.folder.name
        write_atomically(pack.folder / "pack.rules", pack_text(name, EDITION))


def _report(pack: _Pack, file: Path, identifier: str) -> Iterator[str]:
    """The lines that follow the path: what to configure, what lint says already, what to do next."""
    if not pack.is_named:
        yield from _configuration(pack)
    for remark in _remarks(pack, identifier):
        yield f"As it stands, {remark}"
    yield "Next:"
    for action in ("test", "lint", "fmt"):
        yield f"  advisor rules {action} {_shown(file)}"


def _configuration(pack: _Pack) -> Iterator[str]:
    config, folder = pack.config, pack.folder
    named = [name for name in config.packs if Path(name) != folder]
    try:
        own = folder.resolve().relative_to(config.root.resolve()).as_posix()
    except ValueError:
        own = folder.as_posix()
    packs = ", ".join(f'"{name}"' for name in [*named, own])
    where = config.file.name if config.file is not None else "pyproject.toml"
    table = "" if where == "advisor.toml" else ", in the table [tool.advisor]"
    yield f"So that checks use it, add to {where}{table}:"
    yield f"  packs = [{packs}]"


def _remarks(pack: _Pack, identifier: str) -> Iterator[str]:
    """What is to say of the new rule, as that another one fires wherever it does."""
    from advisor.check.rulebook import rulebook_for
    from advisor.rules.lint import lint

    config = pack.config
    if not pack.is_loaded:
        config = replace(config, packs=(*config.packs, str(pack.folder)))
    rulebook = rulebook_for(config)
    rule = rulebook.rule(identifier)
    for remark in lint(rulebook, [rule.path] if rule else []):
        yield f"{remark.code} {remark.sentence}"


def _shown(path: Path) -> str:
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return path.as_posix()
