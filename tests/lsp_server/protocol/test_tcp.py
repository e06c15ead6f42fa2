"""The server at a port."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time

import pytest

from advisor.model.errors import UsageError
from lsp_server.protocol.tcp import address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2087", ("127.0.0.1", 2087)),
        ("localhost:2087", ("localhost", 2087)),
        ("[::1]:0", ("::1", 0)),
    ],
)
def test_addresses(text, expected):
    assert address(text) == expected


@pytest.mark.parametrize("text", ["", "host", "host:", ":80", "70000", "1:2:x", "-1"])
def test_what_is_no_address_is_told(text):
    with pytest.raises(UsageError, match=r"--tcp takes \[HOST:\]PORT"):
        address(text)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(port):
    return subprocess.Popen(
        [sys.executable, "-m", "advisor", "server", "--tcp", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_port_that_is_taken_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        output, errors = start(port).communicate(timeout=60)
    assert output == ""
    assert f"advisor: error: The server cannot listen on 127.0.0.1:{port}: " in errors
    assert "Traceback" not in errors


def test_a_client_at_the_port_is_answered_and_the_server_ends_with_it():
    port = free_port()
    process = start(port)
    try:
        client = connected(port)
        with client, client.makefile("rwb") as stream:
            params = {"processId": None, "rootUri": None, "capabilities": {}}
            answer = ask(stream, 1, "initialize", params)
            assert answer["result"]["serverInfo"]["name"] == "kernel-advisor"
            assert ask(stream, 2, "shutdown", None)["result"] is None
            send(stream, {"method": "exit"})
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()


def connected(port):
    until = time.monotonic() + 60
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=60)
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.05)


def send(stream, message):
    data = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
    stream.flush()


def ask(stream, number, method, params):
    send(stream, {"id": number, "method": method, "params": params})
    while True:
        length = 0
        while line := stream.readline().strip():
            if line.lower().startswith(b"content-length"):
                length = int(line.split(b":")[1])
        message = json.loads(stream.read(length))
        if message.get("id") == number:
            return message


def test_a_second_client_is_refused_with_the_reason_and_the_first_is_served_on():
    port = free_port()
    process = start(port)
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    try:
        first = connected(port)
        with first, first.makefile("rwb") as stream:
            assert ask(stream, 1, "initialize", params)["result"]["serverInfo"]["name"] == "kernel-advisor"
            send(stream, {"method": "initialized", "params": {}})
            for number in (7, "seven"):
                with connected(port) as second, second.makefile("rwb") as other:
                    refused = ask(other, number, "initialize", params)["error"]
                    assert refused["code"] == -32803
                    assert "at work for another client" in refused["message"]
                    assert other.read(1) == b""  # the server closes
            for nonsense in (
                b"GET / HTTP/1.1\r\n\r\n",
                b"Content-Length: 99999999\r\n\r\n",
                b"Content-Length: 2\r\n\r\n[]",
            ):
                with connected(port) as second:
                    second.sendall(nonsense)
                    assert second.recv(100) == b""
            document = {
                "uri": "file:///nowhere/k.py",
                "languageId": "python",
                "version": 1,
                "text": "x = 1\n",
            }
            send(stream, {"method": "textDocument/didOpen", "params": {"textDocument": document}})
            asked = {"textDocument": {"uri": document["uri"]}}
            assert ask(stream, 2, "textDocument/codeLens", asked)["result"] == []
            assert ask(stream, 3, "shutdown", None)["result"] is None
            send(stream, {"method": "exit"})
        assert process.wait(60) == 0
    finally:
        process.kill()
        _, errors = process.communicate()
    assert "A second client was refused." in errors and "Traceback" not in errors


def test_a_client_that_breaks_off_ends_the_server_with_a_status_that_says_so():
    port = free_port()
    process = start(port)
    try:
        with connected(port) as client, client.makefile("rwb") as stream:
            ask(stream, 1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        assert process.wait(60) == 1
    finally:
        process.kill()
        process.communicate()
