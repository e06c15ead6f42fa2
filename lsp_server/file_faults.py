"""What is wrong with a workspace's configuration and rules, shown in the file that is at fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from pygls.workspace import PositionCodec

from advisor.findings import Problem
from advisor.text import SourceText, Span
from lsp_server.diagnostics import SOURCE
from lsp_server.positions import Positions

_SAID = re.compile(r"(?P<file>[^\n]+?\.toml)(?::(?P<line>\d+))?: (?P<what>.*)")
_AT = re.compile(r"\(at line (\d+), column \d+\)")
_LAST = str(2**31)
Publish = Callable[[types.PublishDiagnosticsParams], None]


@dataclass(frozen=True)
class Fault:
    """A file and a line, from 1, where something is wrong."""

    file: Path
    line: int
    message: str


def faults_of_configuration(said: str) -> list[Fault]:
    """The faults in the sentences about a configuration; nothing of those that name no file."""
    found = []
    for sentence in said.splitlines():
        match = _SAID.fullmatch(sentence)
        if match is not None:
            inside = _AT.search(match["what"])
            at_end = _LAST if match["what"].endswith("(at end of document)") else "1"
            line = match["line"] or (inside[1] if inside else at_end)
            found.append(Fault(Path.cwd() / match["file"], int(line), match["what"]))
    return found


def faults_of_rules(problems: Iterable[Problem], root: Path) -> list[Fault]:
    """The faults in rule files, whose paths are relative to a folder."""
    return [Fault(root / one.path, one.line, one.message) for one in problems if one.path.endswith(".rules")]


class FileFaults:
    """The faults that are shown at present; each belongs to a folder whose documents are concerned."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._of: dict[Path, tuple[Fault, ...]] = {}

    def show(self, folder: Path, faults: Iterable[Fault], codec: PositionCodec) -> None:
        """Shows what is wrong for a folder now, and no longer what was wrong before."""
        now, before = tuple(faults), self._of.get(folder, ())
        if now == before:
            return
        self._of[folder] = now
        for file in {one.file for one in (*now, *before)}:
            every = {one: None for known in self._of.values() for one in known if one.file == file}
            self._publish(types.PublishDiagnosticsParams(file.as_uri(), _diagnostics(file, every, codec)))


def _diagnostics(file: Path, faults: Iterable[Fault], codec: PositionCodec) -> list[types.Diagnostic]:
    try:
        text = file.read_bytes().decode(errors="replace")
    except OSError:
        text = ""
    positions = Positions(SourceText(file.name, text), codec)
    lines = positions.text.lines
    found = []
    for one in faults:
        line = min(max(one.line, 1), max(len(lines), 1))
        content = lines[line - 1] if lines else ""
        span = Span(line, len(content) - len(content.lstrip()) + 1, line, len(content) + 1)
        place = positions.range(span)
        severity = types.DiagnosticSeverity.Error
        found.append(types.Diagnostic(place, one.message, severity=severity, source=SOURCE))
    return found
