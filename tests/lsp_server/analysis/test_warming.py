"""What the server loads ahead of the first question, and that nobody waits for it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest
from kernel_pairs import TRANSPOSED

from lsp_server.analysis import warming
from lsp_server.session import AdvisorServer

# Prints what the first analysis loads that the server has not loaded ahead, and what that has found.
_FIRST_QUESTION = """
import asyncio, sys
from io import BytesIO
from pathlib import Path
from lsprotocol import types
from pygls.io_ import StdoutWriter
from lsp_server.documents.document import Document
from lsp_server.server import build_server
from lsp_server.analysis.warming import warm
server = build_server()
folder = Path.cwd()
params = types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri())
server.protocol.set_writer(StdoutWriter(BytesIO()))
server.protocol.handle_message(types.InitializeRequest(1, params))
asyncio.run(warm(server))
before = set(sys.modules)
from lsp_server.answers.diagnostics import diagnostics_of
file = folder / "k.py"
found = server.analyst.from_source(Document(file.as_uri(), 1, file, folder, False, TEXT))
from lsp_server.numbers.lenses import lenses
lenses(found)
more = set(sys.modules) - before
print(*sorted(name for name in more if name.startswith(("advisor", "lsp_server", "numpy"))))
print(*(one.rule for one in found.findings))
server.end()
"""


def test_the_first_analysis_and_its_lenses_load_nothing_more(tmp_path):
    program = f"TEXT = {TRANSPOSED!r}\n{_FIRST_QUESTION}"
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60, cwd=tmp_path
    )
    assert told.stdout.split("\n") == ["", "transposed-index", ""]
    assert told.stderr == ""
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def server():
    one = AdvisorServer()
    yield one
    one.end()


def test_a_question_asked_meanwhile_goes_before_the_other_pieces(server, monkeypatch):
    order, begun, go_on = [], threading.Event(), threading.Event()

    def first():
        begun.set()
        assert go_on.wait(10.0)
        order.append("first piece")

    pieces = [first, lambda: order.append("second piece")]
    monkeypatch.setattr(warming, "_steps", lambda ls: iter(pieces))

    async def session():
        warm = asyncio.ensure_future(warming.warm(server))
        await asyncio.to_thread(begun.wait, 10.0)
        question = asyncio.ensure_future(server.analyses.run(lambda: order.append("question")))
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(warm, question)

    asyncio.run(session())
    assert order == ["first piece", "question", "second piece"]


def test_a_piece_that_cannot_be_loaded_keeps_nothing_else_back(server, monkeypatch, capfd):
    done = []

    def missing():
        raise ImportError("there is no such module")

    monkeypatch.setattr(warming, "_steps", lambda ls: iter([missing, lambda: done.append(1)]))
    asyncio.run(warming.warm(server))
    assert done == [1]
    assert capfd.readouterr() == ("", "")


def test_nothing_is_loaded_for_a_client_that_ends_the_server(server, monkeypatch):
    done = []

    def last():
        done.append("last")
        server.end()

    monkeypatch.setattr(warming, "_steps", lambda ls: iter([last, lambda: done.append("more")]))
    asyncio.run(warming.warm(server))
    assert done == ["last"]


def test_a_configuration_that_cannot_be_read_is_told_of_where_a_document_needs_it(client):
    (client.folder / "advisor.toml").write_text("packs = 4\n", encoding="utf-8")
    client.start()
    uri = client.open("plain.txt", "x", language="text")
    client.hover(uri, 0, 0)
    assert client.kept("window/showMessage") == []
    client.open("k.py", TRANSPOSED)
    assert "packs" in client.shown_message()
    assert client.stop() == 0
    assert "Traceback" not in client.told_log()
