"""What is wrong with a workspace's configuration and rules, shown in the file that is at fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from pygls.workspace import PositionCodec

from advisor.model.findings import Problem
from advisor.model.settings.config import find_config_file
from advisor.model.text.source_text import SourceText, Span
from lsp_server.answers.diagnostics import SOURCE
from lsp_server.protocol.positions import Positions

_SAID = re.compile(r"(?P<file>[^\n]+?\.toml)(?::(?P<line>\d+))?: (?P<what>.*)")
_AT = re.compile(r"\(at line (\d+), column \d+\)")
# The last line, whatever the file holds by the time that it is looked at.
_LAST = 2**31
_QUOTED = re.compile(r"(?P<mark>[`'\"])(?P<word>[^`'\"]+)(?P=mark)")
Publish = Callable[[types.PublishDiagnosticsParams], None]


@dataclass(frozen=True)
class Fault:
    """A file and a line, from 1, where something is wrong."""

    file: Path
    line: int
    message: str

    def in_words(self) -> str:
        """The message with the file's name and the line."""
        line = min(self.line, max(len(_lines(self.file)), 1))
        return f"{self.file.name}:{line}: {self.message}"


def faults_of_configuration(said: str, folder: Path) -> list[Fault]:
    """The faults in the sentences about the configuration of a folder.

    One that names no file, of a rule that there is not for instance, stands where the configuration has the
    first word that it quotes.
    """
    found = []
    file = find_config_file(folder)
    for sentence in said.splitlines():
        match = _SAID.fullmatch(sentence)
        if match is not None:
            inside = _AT.search(match["what"])
            place = Path.cwd() / match["file"]
            at_end = _LAST if match["what"].endswith("(at end of document)") else 1
            line = match["line"] or (inside[1] if inside else at_end)
            found.append(Fault(place, int(line), match["what"]))
        elif file is not None:
            found.append(Fault(file, _line_of(sentence, file), sentence))
    return found


def _line_of(sentence: str, file: Path) -> int:
    """The first line of a file that holds a word which a sentence quotes, else the first of all."""
    words = [word for match in _QUOTED.finditer(sentence) if (word := match["word"])]
    return next((at for word in words for at, line in enumerate(_lines(file), 1) if word in line), 1)


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return []


def faults_of_rules(problems: Iterable[Problem], root: Path) -> list[Fault]:
    """The faults in rule files, whose paths are relative to a folder."""
    return [Fault(root / one.path, one.line, one.message) for one in problems if one.path.endswith(".rules")]


class FileFaults:
    """The faults that are shown at present; each belongs to a folder whose documents are concerned."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._of: dict[Path, tuple[Fault, ...]] = {}

    def show(self, folder: Path, faults: Iterable[Fault], codec: PositionCodec) -> None:
        """Show what is wrong for a folder now, and no longer what was wrong before."""
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
