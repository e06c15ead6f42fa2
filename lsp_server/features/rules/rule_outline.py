"""Symbols, folding, colours and the form of rule files."""

from __future__ import annotations

from lsprotocol import types

from lsp_server.protocol.dispatch import RULES
from lsp_server.rule_files.session import rules_of
from lsp_server.rule_files.text.colours import LEGEND, colours_of
from lsp_server.session import AdvisorServer


def register(server: AdvisorServer) -> None:
    """Add what concerns whole documents."""
    server.dispatcher.answer(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, RULES)(symbols)
    server.dispatcher.answer(types.TEXT_DOCUMENT_FOLDING_RANGE, RULES)(foldings)
    server.dispatcher.answer(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, RULES, LEGEND)(tokens)
    server.dispatcher.answer(types.TEXT_DOCUMENT_FORMATTING, RULES)(formatting)


async def symbols(ls: AdvisorServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """The items of a document."""
    from lsp_server.rule_files.text.outline import symbols_of

    none: list[types.DocumentSymbol] = []
    return await rules_of(ls).answer(ls, params.text_document.uri, symbols_of, none)


async def foldings(ls: AdvisorServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """The lines that can be folded."""
    from lsp_server.rule_files.text.outline import foldings_of

    none: list[types.FoldingRange] = []
    return await rules_of(ls).answer(ls, params.text_document.uri, lambda one: foldings_of(one.reading), none)


async def tokens(ls: AdvisorServer, params: types.SemanticTokensParams) -> types.SemanticTokens:
    """What each word is."""
    none: list[int] = []
    return types.SemanticTokens(await rules_of(ls).answer(ls, params.text_document.uri, colours_of, none))


async def formatting(ls: AdvisorServer, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    """The edit that brings a document into its form."""
    from lsp_server.rule_files.text.shape import formatting_of

    none: list[types.TextEdit] = []
    return await rules_of(ls).answer(ls, params.text_document.uri, formatting_of, none)
