"""The real server as a process, and the smallest client that can talk to it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_PATIENCE = 60.0


class Client:
    """Speaks the protocol over the pipes of a server process; every wait ends after a minute."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "advisor", "server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "XDG_CACHE_HOME": str(folder.parent / "user-cache")},
        )
        self.log: list[bytes] = []
        self._next = 0
        self._received: queue.Queue[dict[str, Any]] = queue.Queue()
        self._kept: list[dict[str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_log, daemon=True).start()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            self._received.put(json.loads(stream.read(length)))

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        self.log.extend(self.process.stderr)

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self._next += 1
        number = self._next
        self._send({"id": number, "method": method, "params": params})
        answer = self._wait(lambda message: message.get("id") == number and "method" not in message)
        assert "error" not in answer, (answer, b"".join(self.log).decode())
        return answer.get("result")

    def _wait(self, wanted: Any) -> dict[str, Any]:
        for message in self._kept:
            if wanted(message):
                self._kept.remove(message)
                return message
        while True:
            message = self._received.get(timeout=_PATIENCE)
            if wanted(message):
                return message
            self._kept.append(message)

    def start(self, encodings: list[str] | None = None, pulls: bool = False) -> Any:
        document = {"diagnostic": {}} if pulls else {"publishDiagnostics": {"versionSupport": True}}
        capabilities = {"general": {"positionEncodings": encodings or ["utf-16"]}, "textDocument": document}
        uri = self.folder.as_uri()
        answer = self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": uri,
                "capabilities": capabilities,
                "workspaceFolders": [{"uri": uri, "name": "w"}],
            },
        )
        self.notify("initialized", {})
        return answer

    def open(self, name: str, text: str) -> str:
        uri = (self.folder / name).as_uri()
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return uri

    def change(self, uri: str, version: int, text: str) -> None:
        changed = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}
        self.notify("textDocument/didChange", changed)

    def published(self, uri: str, version: int | None) -> list[dict[str, Any]]:
        """The diagnostics that the server sends for one version of a document."""

        def wanted(message: dict[str, Any]) -> bool:
            params = message.get("params", {})
            return (
                message.get("method") == "textDocument/publishDiagnostics"
                and params["uri"] == uri
                and params.get("version") == version
            )

        found: list[dict[str, Any]] = self._wait(wanted)["params"]["diagnostics"]
        return found

    def shown_message(self) -> str:
        return str(self._wait(lambda m: m.get("method") == "window/showMessage")["params"]["message"])

    def stop(self) -> int:
        self.ask("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(_PATIENCE)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    folder = tmp_path / "work"
    folder.mkdir()
    connected = Client(folder)
    yield connected
    connected.process.kill()
    connected.process.wait()
    for stream in (connected.process.stdin, connected.process.stdout, connected.process.stderr):
        if stream is not None:
            stream.close()
