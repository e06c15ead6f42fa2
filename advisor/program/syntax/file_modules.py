"""The modules of one file: a notebook has its own, and one for each Python file that its cells write."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.model.text.notebooks import is_notebook
from advisor.model.text.source_text import SourceText
from advisor.program.syntax.module import ModuleSyntax, read_module


@dataclass(frozen=True)
class FileModules:
    """The module of a file itself, and those that it writes, each with the name of its file."""

    own: ModuleSyntax
    written: tuple[tuple[str, ModuleSyntax], ...] = ()

    @property
    def every(self) -> tuple[ModuleSyntax, ...]:
        """All of them, its own first."""
        return (self.own, *(module for _, module in self.written))


def read_modules(source: SourceText, file: str = "") -> FileModules:
    """The modules of a file as far as they can be read; raises SourceProblem where nothing of its own can.

    All of them count the lines of the text that they stand in.
    """
    if not is_notebook(source.path):
        return FileModules(read_module(source, file))
    from advisor.model.text.notebooks.written_files import own_and_written

    own, written = own_and_written(source.text)
    if not written:
        return FileModules(read_module(source, file))
    return FileModules(
        _part(source, own, file), tuple((one.name, _part(source, one.text, file)) for one in written)
    )


def _part(source: SourceText, text: str, file: str) -> ModuleSyntax:
    module = read_module(SourceText(source.path, text, source.unread), file)
    module.as_written = source.text
    return module
