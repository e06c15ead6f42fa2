"""A document as the server looks at it; processes that are sent one need no library of the protocol."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from advisor.model.text.source_text import SourceText


@dataclass(frozen=True)
class Document:
    """One version of an open document. `root` is the folder that its reported path is relative to.

    `alone` when it lies outside every folder of the workspace: then `root` is only its own folder.
    """

    uri: str
    version: int | None
    file: Path
    root: Path
    alone: bool
    text: str

    @cached_property
    def path(self) -> str:
        """The path that findings in this document carry."""
        return self.file.relative_to(self.root).as_posix()

    @cached_property
    def source(self) -> SourceText:
        """The text under its reported path."""
        return SourceText(self.path, self.text.removeprefix("\ufeff"))
