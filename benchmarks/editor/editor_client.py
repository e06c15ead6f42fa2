"""The smallest client of a language server that a benchmark needs: one process, its pipes, and a clock."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_PATIENCE = 300.0
_CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {"versionSupport": True},
        "diagnostic": {},
        "hover": {"contentFormat": ["markdown"]},
        "codeLens": {},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source"]}},
            "dataSupport": True,
            "disabledSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
    },
    "workspace": {
        "workspaceEdit": {"documentChanges": True},
        "diagnostics": {"refreshSupport": True},
        "codeLens": {"refreshSupport": True},
    },
}


class Client:
    """A server process, and messages to and from it. The server is told to use `folder` only.

    `caches` is where it keeps what it keeps; `workspaces` are the client's folders, without any `folder`.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        pulls: bool = True,
        caches: Path | None = None,
        workspaces: Sequence[Path] = (),
    ) -> None:
        self.folder = folder
        caches = caches or folder.parent
        self.began = time.perf_counter()
        # As after an installation, which compiles all modules, whatever this shell says of that.
        compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(caches / "compiled")}
        environment = {**os.environ, **compiled, "XDG_CACHE_HOME": str(caches / "cache")}
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
        )
        self._kept: deque[dict[str, Any]] = deque()
        self._arrived = threading.Condition()
        self._next = 0
        threading.Thread(target=self._read, daemon=True).start()
        capabilities = json.loads(json.dumps(_CAPABILITIES))
        if not pulls:
            del capabilities["textDocument"]["diagnostic"]
        params = {
            "processId": os.getpid(),
            "rootUri": folder.as_uri(),
            "capabilities": capabilities,
            "workspaceFolders": [{"uri": one.as_uri(), "name": one.name} for one in workspaces or [folder]],
        }
        self.offers = self.ask("initialize", params)["capabilities"]
        self.ready_seconds = time.perf_counter() - self.began
        self.notify("initialized", {})
        self.pulls = pulls and "diagnosticProvider" in self.offers

    def ask(self, method: str, params: Any) -> Any:
        """The result of a request."""
        self._next += 1
        number = self._next
        self._send({"id": number, "method": method, "params": params})
        answer = self.wait(lambda one: one.get("id") == number and "method" not in one)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer.get("result")

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def wait(self, wanted: Callable[[dict[str, Any]], bool], patience: float = _PATIENCE) -> dict[str, Any]:
        """The first message that is wanted, kept or to come; raises TimeoutError. Others stay kept."""
        until = time.perf_counter() + patience
        with self._arrived:
            while True:
                for message in self._kept:
                    if wanted(message):
                        self._kept.remove(message)
                        return message
                left = until - time.perf_counter()
                if left <= 0 or not self._arrived.wait(left):
                    raise TimeoutError("the server does not answer")

    def forget(self) -> None:
        """Drop what came and nobody waited for."""
        with self._arrived:
            self._kept.clear()

    def stop(self) -> None:
        """End the server."""
        try:
            self.ask("shutdown", None)
            self.notify("exit", None)
            self.process.wait(10)
        except (RuntimeError, TimeoutError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.partition(b":")[2])
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(length))
            if "id" in message and "method" in message:
                self._answer(message)
            if message.get("method") not in ("window/logMessage", "$/progress", "telemetry/event"):
                with self._arrived:
                    self._kept.append(message)
                    self._arrived.notify_all()

    def _answer(self, request: dict[str, Any]) -> None:
        """Requests of the server's own: no settings, nothing else."""
        items = request.get("params", {}).get("items", []) if request.get("params") else []
        result = [None for _ in items] if request["method"] == "workspace/configuration" else None
        self._send({"id": request["id"], "result": result})


class Document:
    """A document that is open in a client, changed in the way the server asks for."""

    def __init__(self, client: Client, name: str, text: str) -> None:
        self.client, self.text, self.version = client, text, 1
        self.last: list[dict[str, Any]] = []
        file = client.folder / name
        file.write_text(text, encoding="utf-8")
        self.uri = file.as_uri()
        sync = client.offers["textDocumentSync"]
        self._partial = (sync["change"] if isinstance(sync, dict) else sync) == 2
        opened = {"uri": self.uri, "languageId": "python", "version": 1, "text": text}
        client.notify("textDocument/didOpen", {"textDocument": opened})

    def replace(self, line: int, column: int, end_line: int, end_column: int, text: str) -> None:
        """Put a text in the place of another. Lines and columns count from 0."""
        lines = self.text.split("\n")
        before = "\n".join([*lines[:line], lines[line][:column]])
        after = "\n".join([lines[end_line][end_column:], *lines[end_line + 1 :]])
        self.text = before + text + after
        self.version += 1
        change: dict[str, Any] = {"text": self.text}
        if self._partial:
            start, end = {"line": line, "character": column}, {"line": end_line, "character": end_column}
            change = {"range": {"start": start, "end": end}, "text": text}
        params = {
            "textDocument": {"uri": self.uri, "version": self.version},
            "contentChanges": [change],
        }
        self.client.notify("textDocument/didChange", params)

    def diagnostics(self, patience: float = _PATIENCE) -> list[dict[str, Any]]:
        """The diagnostics of the present version, asked for or waited for; `last` keeps them."""
        self.last = self._diagnostics(patience)
        return self.last

    def _diagnostics(self, patience: float) -> list[dict[str, Any]]:
        if self.client.pulls:
            report = self.client.ask("textDocument/diagnostic", {"textDocument": {"uri": self.uri}})
            return list(report.get("items", []))

        def wanted(message: dict[str, Any]) -> bool:
            params = message.get("params") or {}
            return (
                message.get("method") == "textDocument/publishDiagnostics"
                and params.get("uri") == self.uri
                and params.get("version") == self.version
            )

        return list(self.client.wait(wanted, patience)["params"]["diagnostics"])

    def save(self) -> None:
        """Write the text to the disk and tell the server."""
        (self.client.folder / self.uri.rsplit("/", 1)[1]).write_text(self.text, encoding="utf-8")
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri}})

    def at(self, line: int, character: int) -> dict[str, Any]:
        """The parameters of a request about a position."""
        return {"textDocument": {"uri": self.uri}, "position": {"line": line, "character": character}}
