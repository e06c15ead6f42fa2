"""`advisor rules fmt`: brings rule files into the form of the shipped ones."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.cli.checking.telling import say, tell
from advisor.model.errors import AdvisorError, SourceProblem, UsageError
from advisor.model.text.source_text import Span

SUMMARY = "Format rule files."
STDIN = "-"
_FOREIGN_FOLDERS = frozenset({"venv", "site-packages", "node_modules", "__pycache__", "__pypackages__"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor rules fmt`."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH",
        help="files and folders (default: the packs of the project); `-` reads stdin and writes to stdout",
    )  # fmt: skip
    parser.add_argument(
        "--check",
        action="store_true",
        help="change nothing, and exit with status 1 when something would change",
    )
    parser.add_argument("--diff", action="store_true", help="change nothing, and show what would change")


def run(args: argparse.Namespace) -> int:
    """0; 1 when `--check` finds something to change; 2 when a file has errors, cannot be read or written."""
    work = _Formatting(args.check, args.diff, args.quiet)
    if STDIN in args.paths:
        if len(args.paths) > 1:
            raise UsageError("`-` reads one file from stdin; no other path can stand beside it.")
        work.format_stdin()
    else:
        files = list(_rule_files([Path(path) for path in args.paths] or _packs()))
        for file in files:
            work.format_file(file)
        work.sum_up(len(files))
    return work.status()


@dataclass
class _Formatting:
    """What is asked for, and what came of it so far."""

    check: bool
    diff: bool
    quiet: bool
    changed: int = 0
    problems: list[AdvisorError] = field(default_factory=list)

    def format_file(self, file: Path) -> None:
        """Write the file when its form changes, or say that it would."""
        path = _shown(file)
        try:
            data = _content(file, path)
            text = _decoded(data, path)
            formatted = _formatted(path, text)
            if formatted.encode() == data:
                return
            if not (self.check or self.diff):
                _write(file, path, formatted)
        except AdvisorError as error:
            self.problems.append(error)
            return
        self._tell_change(path, text, formatted)

    def format_stdin(self) -> None:
        """Write what is read from stdin to stdout in its form."""
        if sys.stdin is None:
            raise UsageError("`-` reads stdin, which is closed.")
        data = sys.stdin.buffer.read()
        try:
            text = _decoded(data, "stdin")
            formatted = _formatted("stdin", text)
        except AdvisorError as error:
            self.problems.append(error)
            return
        if not (self.check or self.diff):
            _print_exactly(formatted)
        elif formatted.encode() != data:
            self._tell_change("stdin", text, formatted)

    def sum_up(self, files: int) -> None:
        """Print how many files changed, and the errors."""
        if self.diff or self.quiet:
            return
        unchanged = files - self.changed - len(self.problems)
        done = "would be formatted" if self.check else "formatted"
        print(f"{_counted(self.changed)} {done}, {unchanged} unchanged.")

    def status(self) -> int:
        """The exit status, after the errors were printed."""
        from advisor.rules import RuleErrors

        errors = [
            one for problem in self.problems if isinstance(problem, RuleErrors) for one in problem.errors
        ]
        if errors:
            tell(str(RuleErrors(errors)))
        for problem in self.problems:
            if not isinstance(problem, RuleErrors):
                tell(f"advisor: error: {problem}")
        if self.problems:
            return 2
        return int(self.check and self.changed > 0)

    def _tell_change(self, path: str, text: str, formatted: str) -> None:
        self.changed += 1
        if self.diff:
            _print_exactly("".join(_difference(path, text, formatted)))
        elif not self.quiet:
            say(f"{'would format' if self.check else 'formatted'} {path}")


def _packs() -> Sequence[Path]:
    from advisor.model.settings.config import load_config

    config = load_config(Path.cwd())
    # A pack that is no folder is an installed one, which is not the project's to change.
    packs = [config.root / Path(pack).expanduser() for pack in config.packs]
    own = [pack for pack in packs if pack.is_dir()]
    if not own:
        raise UsageError(
            "the configuration names no folder under `packs`; name the files or folders to format."
        )
    return own


def _rule_files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files named and those below the folders named, each once."""
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise UsageError("\n".join(f"{path}: no such file or folder" for path in missing))
    seen: set[Path] = set()
    for path in paths:
        for file in [path] if not path.is_dir() else _below(path):
            real = file.resolve()
            if real not in seen:
                seen.add(real)
                yield file


def _below(folder: Path) -> list[Path]:
    from advisor.rules.loading.packs import is_rule_file

    def own(file: Path) -> bool:
        parents = file.relative_to(folder).parts[:-1]
        return is_rule_file(file.name) and not any(
            name in _FOREIGN_FOLDERS or name.startswith(".") for name in parents
        )

    return sorted(file for file in folder.rglob("*") if own(file) and file.is_file())


def _content(file: Path, path: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise SourceProblem(path, 1, f"cannot be read: {error.strerror or error}") from None


def _decoded(data: bytes, path: str) -> str:
    from advisor.rules.language.problems import Complaints, RuleErrors

    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        complaints = Complaints(path, data.decode("utf-8", "replace").split("\n"))
        complaints.add("E110", Span(line, column), byte=f"0x{data[error.start]:02x}")
        raise RuleErrors(complaints.errors) from None


def _formatted(path: str, text: str) -> str:
    from advisor.rules.formatting import format_text

    return format_text(path, text)


def _write(file: Path, path: str, text: str) -> None:
    from advisor.cli.checking.report_file import write_atomically

    # Replacing a file asks for the folder's permission only; a file that is read-only is meant to stay.
    if not (file.stat().st_mode & 0o222 and os.access(file, os.W_OK)):
        raise SourceProblem(path, 1, "cannot be written: it is read-only")
    write_atomically(file, text)


def _difference(path: str, text: str, formatted: str) -> Iterator[str]:
    import difflib

    before, after = (io.StringIO(one, newline="\n").readlines() for one in (text, formatted))
    for line in difflib.unified_diff(before, after, path, path):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _print_exactly(text: str) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.write(text)


def _shown(file: Path) -> str:
    try:
        return file.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return file.as_posix()


def _counted(files: int) -> str:
    return f"{files} file{'' if files == 1 else 's'}"
