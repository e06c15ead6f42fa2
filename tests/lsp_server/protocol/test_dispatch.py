"""Which handler answers a message, and what is offered when several languages want it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from lsprotocol import types
from pygls.workspace import Workspace

from lsp_server.protocol.dispatch import PYTHON, RULES, Dispatcher, language_of


class Server:
    """Notes what is registered; has one open document for each language."""

    def __init__(self) -> None:
        self.workspace = Workspace(None)
        for name, language in (("a.py", "python"), ("b.rules", "advisor-rules"), ("c.txt", "advisor-rules")):
            item = types.TextDocumentItem(f"file:///{name}", language, 1, "")
            self.workspace.put_text_document(item)
        self.notebooks = SimpleNamespace(
            inward=lambda params: (params, None), outward=lambda result, cell: result
        )
        self.handlers: dict[str, object] = {}
        self.options: dict[str, object] = {}

    def feature(self, method, options=None):
        def register(handler):
            self.handlers[method], self.options[method] = handler, options

        return register

    def send(self, method, params):
        return asyncio.run(self.handlers[method](self, params))


def about(name: str) -> types.HoverParams:
    return types.HoverParams(types.TextDocumentIdentifier(f"file:///{name}"), types.Position(0, 0))


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def languages() -> Dispatcher:
    return Dispatcher()


def test_a_document_is_known_by_its_language_else_by_its_name(server):
    names = ("a.py", "b.rules", "c.txt", "unknown.rules", "unknown.py")
    assert [language_of(server.workspace, f"file:///{name}") for name in names] == [
        PYTHON, RULES, RULES, RULES, PYTHON,
    ]  # fmt: skip


def test_the_handler_of_the_language_answers(server, languages):
    async def later(ls, params):
        return "rules"

    languages.answer(types.TEXT_DOCUMENT_HOVER, PYTHON)(lambda ls, params: "python")
    languages.answer(types.TEXT_DOCUMENT_HOVER, RULES)(later)
    languages.connect(server)
    answers = [server.send(types.TEXT_DOCUMENT_HOVER, about(name)) for name in ("a.py", "b.rules", "c.txt")]
    assert answers == ["python", "rules", "rules"]


def test_a_language_without_a_handler_has_no_answer(server, languages):
    languages.answer(types.TEXT_DOCUMENT_HOVER, PYTHON)(lambda ls, params: "python")
    languages.connect(server)
    assert server.send(types.TEXT_DOCUMENT_HOVER, about("b.rules")) is None


def test_what_is_resolved_says_in_its_data_whose_it_is(server, languages):
    method = types.CODE_LENS_RESOLVE
    languages.answer(method, PYTHON)(lambda ls, lens: "python")
    languages.answer(method, RULES)(lambda ls, lens: "rules")
    languages.connect(server)
    for data, answer in (({"language": RULES}, "rules"), ({}, "python"), (None, "python"), ([1], "python")):
        assert server.send(method, SimpleNamespace(data=data)) == answer


def test_options_offer_what_either_wants(server, languages):
    method = types.TEXT_DOCUMENT_CODE_ACTION
    quick, every = types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll
    languages.answer(method, PYTHON, types.CodeActionOptions([quick, every], False))(print)
    languages.answer(method, RULES, types.CodeActionOptions([quick], True))(print)
    languages.connect(server)
    assert server.options[method] == types.CodeActionOptions([quick, every], True)


def test_a_notification_is_heard_by_all_even_when_one_fails(server, languages):
    heard = []

    async def wrong(ls, params):
        raise KeyError("wrong")

    languages.hear(types.TEXT_DOCUMENT_DID_SAVE)(wrong)
    languages.hear(types.TEXT_DOCUMENT_DID_SAVE)(lambda ls, params: heard.append(params))
    languages.connect(server)
    with pytest.raises(KeyError):
        server.send(types.TEXT_DOCUMENT_DID_SAVE, "saved")
    assert heard == ["saved"]


def test_two_handlers_of_one_language_are_a_mistake(languages):
    languages.answer(types.TEXT_DOCUMENT_HOVER, PYTHON)(print)
    with pytest.raises(ValueError, match="answered twice"):
        languages.answer(types.TEXT_DOCUMENT_HOVER, PYTHON)(print)
    with pytest.raises(ValueError, match="answered by language"):
        languages.hear(types.TEXT_DOCUMENT_HOVER)(print)
    options = types.DiagnosticOptions(True, False, identifier="a")
    languages.answer(types.TEXT_DOCUMENT_DIAGNOSTIC, PYTHON, options)(print)
    other = types.DiagnosticOptions(True, False, identifier="b")
    with pytest.raises(ValueError, match="differ"):
        languages.answer(types.TEXT_DOCUMENT_DIAGNOSTIC, RULES, other)(print)
