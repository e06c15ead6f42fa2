"""The real server as a process, and the smallest client that can talk to it."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fix_titles import fixes
from forked_programs import start_advisor

from advisor.evidence.simulated.simt.vector.runtime import _translated
from advisor.evidence.simulated.simt.vector.stored_code import keep_code, stored_code
from advisor.model.data_files import knowledge_folder
from advisor.model.storage.cache import code_store, user_code_folder
from advisor.rules import load_rulebook

_PATIENCE = 60.0


class Client:
    """Speaks the protocol over the pipes of a server process; every wait ends after a minute."""

    def __init__(self, folder: Path, cache: Path, arguments: tuple[str, ...] = ()) -> None:
        self.folder = folder
        # As after an installation: modules that are compiled again cost each server a third of its start.
        env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        env |= {"XDG_CACHE_HOME": str(cache), "LOCALAPPDATA": str(cache)}
        self.process = (
            _process(arguments, folder, env) if arguments else start_advisor("server", cwd=folder, env=env)
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
            name, _, length = header.partition(b":")
            assert name == b"Content-Length", header  # anything else on stdout ends the conversation
            while stream.readline().strip():
                pass
            self._received.put(json.loads(stream.read(int(length))))

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

    def send_request(self, method: str, params: Any) -> int:
        """The number of a request that is sent and not waited for."""
        self._next += 1
        self._send({"id": self._next, "method": method, "params": params})
        return self._next

    def answer(self, number: int) -> dict[str, Any]:
        """The whole answer to a request."""
        return self._wait(lambda message: message.get("id") == number and "method" not in message)

    def ask(self, method: str, params: Any) -> Any:
        """The result of a request."""
        answer = self.answer(self.send_request(method, params))
        assert "error" not in answer, (answer, self.told_log())
        return answer.get("result")

    def received(self, method: str) -> dict[str, Any]:
        """The next message of the server's own with that method."""
        return self._wait(lambda message: message.get("method") == method)

    def reply(self, request: dict[str, Any], result: Any) -> None:
        """Answer a request of the server's own."""
        self._send({"id": request["id"], "result": result})

    def command(self, name: str, *arguments: Any) -> int:
        """The number of a request that carries out a command."""
        return self.send_request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    def _wait(self, wanted: Any) -> dict[str, Any]:
        for message in self._kept:
            if wanted(message):
                self._kept.remove(message)
                return message
        while True:
            try:
                message = self._received.get(timeout=_PATIENCE)
            except queue.Empty:
                raise AssertionError(f"no such message came; the server's log: {self.told_log()}") from None
            if wanted(message):
                return message
            self._kept.append(message)

    def told_log(self) -> str:
        """What the server has written to standard error so far."""
        return b"".join(self.log).decode()

    def kept(self, method: str) -> list[dict[str, Any]]:
        """The messages of that method that came and that nobody waited for."""
        return [message for message in self._kept if message.get("method") == method]

    def start(
        self,
        encodings: list[str] | None = None,
        pulls: bool = False,
        folders: bool = True,
        workspace: dict[str, Any] | None = None,
        hover: list[str] | None = None,
        text_document: dict[str, Any] | None = None,
        chosen: dict[str, Any] | None = None,
        window: dict[str, Any] | None = None,
    ) -> Any:
        """Begin with those capabilities; `text_document` are more of these, `chosen` the user's settings."""
        document: dict[str, Any] = {"publishDiagnostics": {"versionSupport": True}, **(text_document or {})}
        if pulls:
            document["diagnostic"] = {}
        if hover:
            document["hover"] = {"contentFormat": hover}
        uri = self.folder.as_uri() if folders else None
        answer = self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": uri,
                "capabilities": {
                    "general": {"positionEncodings": encodings} if encodings else {},
                    "textDocument": document,
                    "workspace": workspace or {},
                    "window": window or {},
                },
                "workspaceFolders": [{"uri": uri, "name": "w"}] if folders else None,
                **({"initializationOptions": {"kernelAdvisor": chosen}} if chosen else {}),
            },
        )
        self.notify("initialized", {})
        return answer

    def open(self, name: str, text: str, language: str = "python", version: int = 1) -> str:
        uri = (self.folder / name).as_uri()
        document = {"uri": uri, "languageId": language, "version": version, "text": text}
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

    def pulled(self, uri: str) -> list[dict[str, Any]]:
        """The diagnostics that the server answers with."""
        report = self.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert report["kind"] == "full"
        found: list[dict[str, Any]] = report["items"]
        return found

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def save(self, uri: str) -> None:
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def hover(self, uri: str, line: int, character: int) -> Any:
        place = {"line": line, "character": character}
        return self.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})

    def actions(self, uri: str, line: int, character: int = 0, **context: Any) -> list[dict[str, Any]]:
        """The code actions at one place."""
        place = {"line": line, "character": character}
        params = {
            "textDocument": {"uri": uri},
            "range": {"start": place, "end": place},
            "context": {"diagnostics": [], **context},
        }
        found: list[dict[str, Any]] = self.ask("textDocument/codeAction", params)
        return found

    def actions_once(
        self, wanted: Callable[[list[dict[str, Any]]], Any], uri: str, line: int, *rest: Any, **context: Any
    ) -> list[dict[str, Any]]:
        """The code actions of a line once they are as wanted: the process that writes fixes has to begin."""
        until = time.monotonic() + _PATIENCE
        while not wanted(actions := self.actions(uri, line, *rest, **context)):
            assert time.monotonic() < until, actions
            time.sleep(0.05)
        return actions

    def actions_with_fixes(self, uri: str, line: int, *rest: Any, **context: Any) -> list[dict[str, Any]]:
        """The code actions of a line once fixes are among them."""
        return self.actions_once(fixes, uri, line, *rest, **context)

    def shown_message(self) -> str:
        """The next message that the user is shown."""
        return str(self.received("window/showMessage")["params"]["message"])

    def stop(self) -> int:
        self.ask("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(_PATIENCE)


def _process(arguments: tuple[str, ...], folder: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, *arguments], cwd=folder, env=env, **pipes)


@pytest.fixture(scope="session")
def program_cache(user_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's cache that holds what belongs to the program alone: the shipped rules, and the routines that
    simulated kernels call.
    """
    folder = tmp_path_factory.mktemp("program-cache")
    routines, _ = stored_code(
        code_store(_code(user_cache)), "runtime", _translated, lambda _: None, lambda _: None
    )
    keep_code(code_store(_code(folder)), "runtime", routines, None)
    shipped = [knowledge_folder() / "metrics", knowledge_folder() / "rules"]
    load_rulebook(shipped, _code(folder).parent)
    return folder


def _code(cache: Path) -> Path:
    """The folder for code in a user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
            patch.setenv(name, str(cache))
        folder = user_code_folder()
    assert folder is not None
    return folder


@pytest.fixture
def own_cache(program_cache: Path, tmp_path: Path) -> Path:
    """A user's cache without compiled kernels, which another test may have left."""
    return Path(shutil.copytree(program_cache, tmp_path / "own-cache"))


@pytest.fixture
def connect(tmp_path: Path, own_cache: Path) -> Iterator[Callable[..., Client]]:
    """Starts a server in an empty folder; other arguments for the interpreter start a changed one."""
    folder = tmp_path / "work"
    folder.mkdir()
    connected: list[Client] = []

    def begin(*arguments: str) -> Client:
        connected.append(Client(folder, own_cache, *([arguments] if arguments else [])))
        return connected[-1]

    yield begin
    for client in connected:
        client.process.kill()
        client.process.wait()
        for stream in (client.process.stdin, client.process.stdout, client.process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def client(connect: Callable[..., Client]) -> Client:
    """The server as `advisor server` starts it."""
    return connect()
