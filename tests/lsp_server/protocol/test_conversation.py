"""Every request is answered, whatever it looks like, and the server ends when its client is gone."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from diagnostic_codes import codes
from kernel_pairs import TRANSPOSED

from lsp_server.protocol.client_process import runs

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, NOT_INITIALISED = -32700, -32600, -32602, -32002
HOVER = "textDocument/hover"


def raw(client, data, header=b"Content-Length: %d\r\n\r\n"):
    client.process.stdin.write((header % len(data) if b"%d" in header else header) + data)
    client.process.stdin.flush()


def error(client, method, params):
    return client.answer(client.send_request(method, params))["error"]


def at(line, character):
    return {"textDocument": {"uri": "file:///k.py"}, "position": {"line": line, "character": character}}


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, "required field missing @ message.params"),
        (None, "params"),
        ([], "params"),
        (at(-1, 0), "position"),
        (at(0, 2**40), "position"),
        (at("one", 0), "line"),
        ({"textDocument": {"uri": 5}, "position": None}, "position"),
    ],
)
def test_bad_parameters_are_named(client, params, said):
    client.start()
    found = error(client, HOVER, params)
    assert found["code"] == INVALID_PARAMS
    assert said in found["message"]
    assert client.stop() == 0


@pytest.mark.parametrize("params", [{}, None, {"capabilities": 5}, {"capabilities": {}, "processId": "x"}])
def test_a_malformed_initialize_is_refused_and_a_good_one_taken(client, params):
    assert error(client, "initialize", params)["code"] == INVALID_PARAMS
    client.start()
    assert error(client, "initialize", {"capabilities": {}})["code"] == INVALID_REQUEST
    assert client.stop() == 0


def test_requests_wait_for_initialize(client):
    for method in (HOVER, "shutdown", "no/such"):
        assert error(client, method, at(0, 0))["code"] == NOT_INITIALISED
    client.notify("initialized", {})
    client.start()
    assert client.stop() == 0
    assert "Traceback" not in client.told_log()


def test_nothing_is_asked_for_after_shutdown(client):
    client.start()
    client.ask("shutdown", None)
    assert error(client, HOVER, at(0, 0))["code"] == INVALID_REQUEST
    client.notify("exit", None)
    assert client.process.wait(60) == 0


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", PARSE_ERROR),
        (b"\xff\xfe", PARSE_ERROR),
        (b"[" * 100_000, PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b"5", INVALID_REQUEST),
        (b"{}", INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "shutdown"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}', INVALID_REQUEST),
        (b'{"jsonrpc": "1.0", "id": 5, "method": "shutdown"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 5, "method": 7}', INVALID_REQUEST),
    ],
)
def test_what_is_no_message_is_answered(client, body, code):
    client.start()
    raw(client, body)
    answer = client._wait(lambda message: "error" in message)
    assert answer["error"]["code"] == code
    assert client.stop() == 0


def test_an_unknown_request_without_parameters_is_an_unknown_method(client):
    client.start()
    raw(client, b'{"jsonrpc": "2.0", "id": "a", "method": "no/such"}')
    assert client._wait(lambda message: message.get("id") == "a")["error"]["code"] == -32601
    assert client.stop() == 0


def test_a_malformed_notification_and_answer_are_left_out(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    client.notify("textDocument/didChange", {"textDocument": {"uri": uri}, "contentChanges": "x"})
    client.notify("textDocument/didOpen", {})
    for answer in ({"id": 5}, {"id": 5, "error": 7}, {"id": "?", "result": 1}):
        client._send(answer)
    assert codes(client.published(uri, 1)) == ["transposed-index"]
    assert client.stop() == 0


@pytest.mark.parametrize("header", [b"content-length: %d\r\n\r\n", b"CONTENT-LENGTH:%d\r\nX: y\r\n\r\n"])
def test_the_names_of_a_header_are_read_in_any_case(client, header):
    client.start()
    message = {"jsonrpc": "2.0", "id": 77, "method": "shutdown"}
    raw(client, json.dumps(message).encode(), header)
    assert "error" not in client.answer(77)
    client.notify("exit", None)
    assert client.process.wait(60) == 0


@pytest.mark.parametrize("length", [b"100000000000000", b"9" * 5000, b"-5", b"x", b""])
def test_a_length_that_cannot_be_is_refused_and_ends_the_server(client, length):
    client.start()
    raw(client, b"", b"Content-Length: " + length + b"\r\n\r\n")
    answer = client._wait(lambda message: "error" in message)
    assert answer["error"]["code"] == INVALID_REQUEST
    assert "Content-Length" in answer["error"]["message"]
    assert client.process.wait(60) == 1
    assert "The server ends." in client.told_log()


def test_blank_lines_between_messages_do_no_harm(client):
    client.start()
    raw(client, b"\r\n\r\nX-Other: 1\r\n\r\n", b"")
    assert client.stop() == 0


_OTHER = """
import subprocess, sys, time
server = subprocess.Popen([sys.executable, "-m", "advisor", "server"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
import json, os
data = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                   "params": {"processId": int(sys.argv[1]), "rootUri": None, "capabilities": {}}}).encode()
server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n" % len(data) + data)
server.stdin.flush()
server.stdout.readline()
print(server.pid, flush=True)
time.sleep(float(sys.argv[2]))
print(server.poll(), flush=True)
server.kill()
"""


@pytest.mark.parametrize("ends", [True, False])
def test_the_server_ends_with_its_client_although_its_input_stays_open(ends):
    client = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    seconds = "60" if ends else "4"
    holder = subprocess.Popen(
        [sys.executable, "-c", _OTHER, str(client.pid), seconds], stdout=subprocess.PIPE, text=True
    )
    try:
        server = int(holder.stdout.readline())
        assert runs(server)
        if ends:
            client.kill()
            client.wait()
            until = time.monotonic() + 50
            while is_alive(server):
                assert time.monotonic() < until
                time.sleep(0.1)
        else:
            assert holder.stdout.readline().strip() == "None"
    finally:
        for process in (client, holder):
            process.kill()
            process.communicate()


def is_alive(process):
    """Whether it runs and is not only kept for the one who asks for its end."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False if Path("/proc").is_dir() else runs(process)


def test_a_client_whose_process_is_not_known_here_is_served(client):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    client.ask("initialize", {"processId": ended.pid, "rootUri": None, "capabilities": {}})
    time.sleep(0.5)
    assert client.stop() == 0
