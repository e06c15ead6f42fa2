"""Completion in rule files."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types

from lsp_server.protocol.dispatch import RULES
from lsp_server.rule_files.session import rules_of
from lsp_server.session import AdvisorServer

# What the editor asks at once for, beside the letters of words.
_TRIGGERS = (".", "{")


def register(server: AdvisorServer) -> None:
    """Add completion, with the documentation of single items on demand."""
    options = types.CompletionOptions(trigger_characters=list(_TRIGGERS), resolve_provider=True)
    server.dispatcher.answer(types.TEXT_DOCUMENT_COMPLETION, RULES, options)(complete)
    server.dispatcher.answer(types.COMPLETION_ITEM_RESOLVE, RULES)(resolve)


async def complete(ls: AdvisorServer, params: types.CompletionParams) -> list[types.CompletionItem]:
    """What can be completed at a position."""
    from lsp_server.rule_files.completion.offers import offers_at

    none: list[types.CompletionItem] = []
    uri = params.text_document.uri
    return await rules_of(ls).answer(ls, uri, lambda one: offers_at(one, params.position), none)


async def resolve(ls: AdvisorServer, item: types.CompletionItem) -> types.CompletionItem:
    """The item with its documentation."""
    from lsp_server.rule_files.completion.offers import documented

    uri = str(item.data.get("uri", "")) if isinstance(item.data, Mapping) else ""
    markdown = ls.client.reads_markdown
    return await rules_of(ls).answer(ls, uri, lambda one: documented(item, one, markdown), item)
