"""Damaged messages of an editor: the server answers by no fault of its own, and goes on."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from bounds import bounded, search, seeds
from cattrs import BaseValidationError
from effort import NIGHTLY
from hypothesis import given
from hypothesis import strategies as st
from mutations import mutated, steps
from pygls.exceptions import JsonRpcException

from lsp_server.protocol.conversation import Conversation
from lsp_server.server import build_server

_INTERNAL = -32603
_KERNEL = (
    "from numba import cuda\n\n\n@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    if i < a.size:\n"
    "        a[i] = a[i] ** 0.5\n"
)
_RULE = 'rule own-one "X" {\n  for each kernel k\n  when k.registers > 10\n}\n'
_URI, _RULES, _NOTEBOOK = "file:///house/k.py", "file:///house/own.rules", "file:///house/n.ipynb"
_CELL = "vscode-notebook-cell:/house/n.ipynb#one"


def _about(uri: str, **more: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, **more}


_PLACE = {"line": 7, "character": 18}
_RANGE = {"start": {"line": 0, "character": 0}, "end": _PLACE}
_OPENED = [
    (
        "textDocument/didOpen",
        {"textDocument": {"uri": _URI, "languageId": "python", "version": 1, "text": _KERNEL}},
    ),
    (
        "textDocument/didOpen",
        {"textDocument": {"uri": _RULES, "languageId": "advisor-rules", "version": 1, "text": _RULE}},
    ),
]
_MESSAGES = [
    *_OPENED,
    ("textDocument/didChange", {
        "textDocument": {"uri": _URI, "version": 2},
        "contentChanges": [{"range": _RANGE, "text": "import math\n"}, {"text": _KERNEL}],
    }),
    ("textDocument/didSave", _about(_URI)),
    ("textDocument/didClose", _about(_URI)),
    ("textDocument/hover", _about(_URI, position=_PLACE)),
    ("textDocument/hover", _about(_RULES, position={"line": 2, "character": 8})),
    ("textDocument/completion", _about(_RULES, position={"line": 2, "character": 9})),
    ("textDocument/rename", _about(_RULES, position={"line": 0, "character": 7}, newName="own-two")),
    ("textDocument/codeAction", _about(_URI, range=_RANGE, context={"diagnostics": []})),
    ("textDocument/inlayHint", _about(_URI, range=_RANGE)),
    ("textDocument/codeLens", _about(_RULES)),
    ("textDocument/diagnostic", _about(_URI)),
    ("textDocument/semanticTokens/full", _about(_RULES)),
    ("workspace/executeCommand", {"command": "advisor.explain", "arguments": [_URI, 7]}),
    ("workspace/didChangeConfiguration", {"settings": {"advisor": {"device": "h100", "syntaxErrors": True}}}),
    ("workspace/didChangeWatchedFiles", {"changes": [{"uri": _URI, "type": 2}]}),
    ("notebookDocument/didOpen", {
        "notebookDocument": {
            "uri": _NOTEBOOK, "notebookType": "jupyter-notebook", "version": 1,
            "cells": [{"kind": 2, "document": _CELL}],
        },
        "cellTextDocuments": [{"uri": _CELL, "languageId": "python", "version": 1, "text": _KERNEL}],
    }),
    ("$/cancelRequest", {"id": 3}),
    ("$/setTrace", {"value": "off"}),
]  # fmt: skip
_BODIES = [
    json.dumps(
        {"jsonrpc": "2.0", "method": method, "params": params}
        | ({} if "did" in method or method[0] == "$" else {"id": 3})
    ).encode()
    for method, params in _MESSAGES
]


class _Sent:
    """What the server sends: the answers by their ids."""

    def __init__(self) -> None:
        self.answers: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        if "method" not in message:
            self.answers.append(message)

    def close(self) -> None:
        """Nothing is open."""


class Session:
    """A server in this process, between whose messages the loop goes on."""

    def __init__(self) -> None:
        self.loop, self.server, self.sent = asyncio.new_event_loop(), build_server(), _Sent()
        self.server.protocol.set_writer(self.sent)  # type: ignore[arg-type]
        self.conversation = Conversation(self.server)
        self.number = 1_000_000
        self.send("initialize", {"capabilities": {}, "processId": None, "rootUri": "file:///house"})
        for method, params in _OPENED:
            self.take(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def take(self, body: bytes) -> None:
        async def taken() -> None:
            self.conversation.take(body)
            for _ in range(8):
                await asyncio.sleep(0)

        self.loop.run_until_complete(taken())

    def send(self, method: str, params: Any) -> dict[str, Any]:
        """The answer to a request in due form."""
        self.number += 1
        number = self.number
        self.take(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())

        async def answered() -> dict[str, Any]:
            for _ in range(3000):
                for one in self.sent.answers:
                    if one.get("id") == number:
                        return one
                await asyncio.sleep(0.01)
            raise AssertionError(f"{method} is not answered")

        return self.loop.run_until_complete(answered())

    def end(self) -> None:
        self.server.end()
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()

        async def ended() -> None:
            # Within the loop: other tests may leave the thread without one of its own.
            await asyncio.gather(*tasks, return_exceptions=True)

        self.loop.run_until_complete(ended())
        self.loop.close()


@pytest.fixture
def session(caplog: pytest.LogCaptureFixture) -> Any:
    caplog.set_level(logging.WARNING)
    one = Session()
    yield one
    one.end()


def survives(session: Session, caplog: pytest.LogCaptureFixture, bodies: list[bytes]) -> None:
    """Assert that messages leave a server that answers, and no fault of ours in its log or its answers."""
    caplog.clear()
    del session.sent.answers[:]
    with bounded():
        for body in bodies:
            session.take(body)
        answer = session.send("textDocument/hover", _about(_RULES, position={"line": 0, "character": 7}))
    assert "error" not in answer, answer
    faults = [one for one in session.sent.answers if (one.get("error") or {}).get("code") == _INTERNAL]
    assert not faults, faults
    # What a client has done wrong is answered as that, and pygls notes it.
    logged = [
        record.getMessage()
        for record in caplog.records
        if record.exc_info and not isinstance(record.exc_info[1], (JsonRpcException, BaseValidationError))
    ]
    assert not logged, caplog.text


@pytest.mark.timeout(7200 if NIGHTLY else 300)
def test_damaged_messages_are_answered(session: Session, caplog: pytest.LogCaptureFixture) -> None:
    one = st.tuples(st.sampled_from(_BODIES), steps(2))

    @search(40)
    @given(st.lists(one, min_size=1, max_size=5))
    def damaged(messages: list[tuple[bytes, list[tuple[int, int]]]]) -> None:
        bodies = [mutated(body, those) for body, those in messages]
        survives(
            session, caplog, [body for body in bodies if b'"exit"' not in body and b"shutdown" not in body]
        )

    damaged()


@pytest.mark.parametrize("seed", seeds("editor"), ids=lambda file: file.name)
def test_messages_that_were_bad_once(session: Session, caplog: pytest.LogCaptureFixture, seed: Path) -> None:
    survives(session, caplog, seed.read_bytes().splitlines())
