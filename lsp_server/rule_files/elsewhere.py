"""Errors in rule files that are not open: what is typed in one file may break another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lsprotocol import types
from pygls.workspace import PositionCodec

from advisor.model.text.source_text import SourceText
from lsp_server.protocol.positions import Positions
from lsp_server.rule_files.books import OpenBook, RuleBooks, decoded
from lsp_server.rule_files.diagnostics import diagnostic_of
from lsp_server.rule_files.documents import RuleDocument


def errors_elsewhere(
    books: RuleBooks, documents: Sequence[RuleDocument], codec: PositionCodec
) -> dict[str, list[types.Diagnostic]]:
    """By address the errors of files in the folders of open documents that are not open themselves."""
    found: dict[str, list[types.Diagnostic]] = {}
    tops = {document.top for document in documents}
    every = (books.of(document, documents) for document in documents)
    for opened in {id(one): one for one in every}.values():
        broken = {error.path for error in opened.book.errors}
        for file, name, data in opened.live.files:
            if name not in broken or file in opened.typed or isinstance(data, str):
                continue
            if any(file.is_relative_to(top) for top in tops):
                found[file.as_uri()] = _errors(opened, name, data, codec)
    return found


def withdrawn(
    before: Mapping[str, object], now: Mapping[str, object], still_told: Sequence[str]
) -> list[str]:
    """The addresses whose errors have gone and that nobody else tells about."""
    return [uri for uri in before if uri not in now and uri not in still_told]


def _errors(opened: OpenBook, name: str, data: bytes, codec: PositionCodec) -> list[types.Diagnostic]:
    positions = Positions(SourceText(name, decoded(data)), codec)
    return [diagnostic_of(error, positions) for error in opened.book.errors if error.path == name]
