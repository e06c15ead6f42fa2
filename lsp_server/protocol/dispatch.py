"""One handler per message for pygls, and behind it one for each language of documents."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar
from urllib.parse import unquote

import attrs
from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.workspace import Workspace

if TYPE_CHECKING:
    from lsp_server.session import AdvisorServer

Language: TypeAlias = Literal["python", "advisor-rules"]
PYTHON: Final = "python"
RULES: Final = "advisor-rules"
_CAPABILITIES = {
    types.TEXT_DOCUMENT_COMPLETION: "completion",
    types.TEXT_DOCUMENT_DEFINITION: "definition",
    types.TEXT_DOCUMENT_REFERENCES: "references",
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: "document_highlight",
    types.TEXT_DOCUMENT_RENAME: "rename",
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: "document_symbol",
    types.TEXT_DOCUMENT_FOLDING_RANGE: "folding_range",
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: "semantic_tokens",
    types.TEXT_DOCUMENT_FORMATTING: "formatting",
}
_RULE_FILES: types.DocumentSelector = [
    types.TextDocumentFilterLanguage(RULES),
    types.TextDocumentFilterPattern("**/*.rules"),
]
_Handler = TypeVar("_Handler", bound=Callable[..., Any])


def language_of(workspace: Workspace, uri: str) -> Language:
    """The language of a document: rules, or else Python, whose handlers leave alone what they do not know."""
    held = workspace.text_documents.get(unquote(uri))
    if held is not None and held.language_id == RULES:
        return RULES
    return RULES if unquote(uri).endswith(".rules") else PYTHON


class Dispatcher:
    """What answers each message: one handler for each language, or any number that hear a notification."""

    def __init__(self) -> None:
        self._answers: dict[str, dict[Language, Callable[..., Any]]] = {}
        self._hearers: dict[str, list[Callable[..., Any]]] = {}
        self._options: dict[str, Any] = {}

    def answer(
        self, method: str, language: Language, options: object = None
    ) -> Callable[[_Handler], _Handler]:
        """Register what answers a message about a document of one language.

        The options of all languages become one: lists are joined, and what one of them wants is offered. A
        message about no document (`codeLens/resolve` …) belongs to the rules when its `data` is an object
        whose `language` says so, else to Python. Raises ValueError for a second handler of one language.
        """

        def register(handler: _Handler) -> _Handler:
            handlers = self._answers.setdefault(method, {})
            if language in handlers or method in self._hearers:
                raise ValueError(f"{method} is answered twice for {language}.")
            handlers[language] = handler
            self._options[method] = _joined(self._options.get(method), options)
            return handler

        return register

    def hear(self, method: str) -> Callable[[_Handler], _Handler]:
        """Register one of several handlers that are all called for a notification, whatever its document."""

        def register(handler: _Handler) -> _Handler:
            if method in self._answers:
                raise ValueError(f"{method} is answered by language already.")
            self._hearers.setdefault(method, []).append(handler)
            return handler

        return register

    def connect(self, server: AdvisorServer) -> None:
        """Give pygls one handler for each message that was registered here; `settle` gives it the rest."""
        for method in self._answers:
            if method not in self._only_for_rules():
                self._connect(method, server)
        for method, hearers in self._hearers.items():
            server.feature(method)(_all_of(hearers))

    def settle(self, server: AdvisorServer) -> None:
        """Offer what only rule files have, to a client that has to be told at once and of all documents."""
        for method, capability in self._only_for_rules().items():
            if not _dynamic(server, capability):
                self._connect(method, server)

    def announce(self, server: AdvisorServer) -> None:
        """Offer what only rule files have for these alone, to a client that can be told so.

        An editor that believed that this server formats Python, too, would ask which formatter to use.
        """
        wishes = []
        for method, capability in self._only_for_rules().items():
            if _dynamic(server, capability):
                self._connect(method, server)
                wishes.append(_wish(method, self._options[method]))
        if wishes:
            server.client_register_capability(types.RegistrationParams(wishes))

    def _only_for_rules(self) -> dict[str, str]:
        """The messages that only rule files answer, with the client's capability for each."""
        return {
            method: capability
            for method, capability in _CAPABILITIES.items()
            if list(self._answers.get(method, ())) == [RULES]
        }

    def _connect(self, method: str, server: AdvisorServer) -> None:
        by_language = _called if _is_notification(method) else _answered
        server.feature(method, self._options[method])(by_language(self._answers[method]))


def _dynamic(server: AdvisorServer, capability: str) -> bool:
    """Whether the client can be told later what is offered for which documents."""
    path = f"text_document.{capability}.dynamic_registration"
    return bool(get_capability(server.client_capabilities, path))


def _wish(method: str, options: Any) -> types.Registration:
    """The registration of a message for rule files."""
    if method == types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL:
        given: Any = types.SemanticTokensRegistrationOptions(options, _RULE_FILES, full=True)
        return types.Registration("advisor-rules-colours", "textDocument/semanticTokens", given)
    kind: Any = types.METHOD_TO_TYPES[method][3]
    fields = {one.name: getattr(options, one.name) for one in attrs.fields(type(options))} if options else {}
    return types.Registration(
        f"advisor-rules-{method}", method, kind(document_selector=_RULE_FILES, **fields)
    )


def _is_notification(method: str) -> bool:
    return types.METHOD_TO_TYPES[method][1] is None


def _called(handlers: Mapping[Language, Callable[..., None]]) -> Callable[..., None]:
    """A plain function for a notification: it has done its work when it returns."""

    def call(ls: AdvisorServer, params: Any) -> None:
        handler = handlers.get(_language(ls, params))
        if handler is not None:
            handler(ls, ls.notebooks.inward(params)[0])

    return call


def _answered(handlers: Mapping[Language, Callable[..., Any]]) -> Callable[..., Any]:
    async def answer(ls: AdvisorServer, params: Any) -> Any:
        handler = handlers.get(_language(ls, params))
        if handler is None:
            return None
        asked, cell = ls.notebooks.inward(params)
        return ls.notebooks.outward(await _result(handler, ls, asked), cell)

    return answer


def _all_of(hearers: list[Callable[..., Any]]) -> Callable[..., Any]:
    async def hear(ls: AdvisorServer, params: Any) -> None:
        # All are called, whatever one of them raises.
        await asyncio.gather(*(_result(hearer, ls, params) for hearer in hearers))

    return hear


async def _result(handler: Callable[..., Any], ls: AdvisorServer, params: Any) -> Any:
    found = handler(ls, params)
    return await found if inspect.isawaitable(found) else found


def _language(ls: AdvisorServer, params: Any) -> Language:
    document = getattr(params, "text_document", None)
    if document is not None:
        return language_of(ls.workspace, document.uri)
    data = getattr(params, "data", None)
    return RULES if isinstance(data, Mapping) and data.get("language") == RULES else PYTHON


def _joined(first: Any, second: Any) -> Any:
    """The options of a message that offer what either does; what only one can say must not differ."""
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, bool) and isinstance(second, bool):
        return first or second
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return [*first, *(one for one in second if one not in first)]
    if attrs.has(type(first)) and type(first) is type(second):
        names = [field.name for field in attrs.fields(type(first))]
        joined = {name: _joined(getattr(first, name), getattr(second, name)) for name in names}
        return attrs.evolve(first, **joined)
    if first != second:
        raise ValueError(f"options of one message differ: {first!r} and {second!r}.")
    return first
