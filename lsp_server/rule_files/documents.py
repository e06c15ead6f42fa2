"""The rule files that the editor holds open."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from pygls.uris import to_fs_path
from pygls.workspace import Workspace

from advisor.model.text.source_text import SourceText
from lsp_server.protocol.dispatch import RULES, language_of

_ENDS = re.compile(r"\r\n?")


@dataclass(frozen=True)
class RuleDocument:
    """One version of an open rule file. `top` is the folder of the workspace that holds it, else its own."""

    uri: str
    version: int | None
    file: Path
    top: Path
    text: str

    @cached_property
    def content(self) -> str:
        """The text with the editor's line ends as newlines: its lines are those of the editor."""
        return with_newlines(self.text)

    @cached_property
    def source(self) -> SourceText:
        """The content for conversions of places."""
        return SourceText(self.file.name, self.content)


def with_newlines(text: str) -> str:
    """The text without a byte order mark and with newlines for all line ends that an editor knows."""
    return _ENDS.sub("\n", text.removeprefix("\ufeff"))


def open_rule_document(workspace: Workspace, uri: str) -> RuleDocument | None:
    """The document as it is now; None when it is not open, no rule file, or not a file's."""
    held = workspace.text_documents.get(unquote(uri))
    path = to_fs_path(held.uri) if held is not None else None
    if held is None or not path or language_of(workspace, uri) != RULES:
        return None
    from advisor.rules.loading.packs import is_rule_file

    if not is_rule_file(path):
        # What is called rules in the editor alone is part of no rulebook.
        return None
    file = Path(os.path.normpath(path))
    return RuleDocument(held.uri, held.version, file, _top(workspace, file), held.source)


def open_rule_documents(workspace: Workspace) -> list[RuleDocument]:
    """All rule files that are open."""
    found = (open_rule_document(workspace, held.uri) for held in list(workspace.text_documents.values()))
    return [document for document in found if document is not None]


def _top(workspace: Workspace, file: Path) -> Path:
    paths = [to_fs_path(folder.uri) for folder in workspace.folders.values()] or [workspace.root_path]
    around = [Path(path) for path in paths if path and file.is_relative_to(path)]
    return max(around, key=lambda folder: len(folder.parts), default=file.parent)
