"""What a client sends, taken message by message: each request is answered, whatever it looks like."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

from cattrs import transform_error
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server.protocol.frames import BrokenFrame, next_body
from lsp_server.protocol.text_changes import with_whole_texts
from lsp_server.session import AdvisorServer

_VERSION = "2.0"
# Steps of the event loop until the handlers of a message have begun: a question that comes right behind a
# change of settings must not be answered by the former ones.
_STEPS = 4
_log = logging.getLogger(__name__)


class Refused(Exception):
    """A message that is not handed on: the code and the message of the answer."""

    def __init__(self, code: types.ErrorCodes, message: str) -> None:
        super().__init__(message)
        self.code = code


class Conversation:
    """Hands messages to a server's protocol; `begun` hears of the client when it has introduced itself."""

    def __init__(
        self, server: AdvisorServer, begun: Callable[[types.InitializeParams], None] | None = None
    ) -> None:
        self._server = server
        self._begun = begun
        self._is_open = False

    async def hold(self, reader: asyncio.StreamReader) -> None:
        """Take messages until the stream ends, or until nobody can tell where the next one begins."""
        try:
            while (body := await next_body(reader)) is not None:
                self.take(body)
                for _ in range(_STEPS):
                    await asyncio.sleep(0)
        except BrokenFrame as error:
            _log.error("%s The server ends.", error)
            self._answer(None, types.ErrorCodes.InvalidRequest, str(error))

    def take(self, body: bytes) -> None:
        """Handle the bytes of one message."""
        message: Any = None
        try:
            message = _read(body)
            self._hand_on(message)
        except Refused as refused:
            if not isinstance(message, dict) or "id" in message or "method" not in message:
                self._answer(_number(message), refused.code, str(refused))
            else:
                _log.warning("The notification %s is left out: %s", message["method"], refused)
        except Exception:
            _log.exception("A message could not be handled.")

    def _hand_on(self, message: dict[str, Any]) -> None:
        protocol = self._server.protocol
        if "method" not in message:
            protocol.handle_message(self._response(message))
            return
        method = message["method"]
        self._check(message, method)
        if protocol.get_message_type(method) is None:
            message.setdefault("params", None)
        read = self._structured(message)
        if method == types.INITIALIZE:
            self._is_open = True
            if self._begun is not None:
                self._begun(read.params)
        elif self._is_open:
            read = with_whole_texts(read, self._server.workspace)
        protocol.handle_message(read)

    def _check(self, message: dict[str, Any], method: object) -> None:
        """Raise Refused for what is no request, and for one at the wrong time."""
        if message.get("jsonrpc") != _VERSION or not isinstance(method, str):
            raise Refused(types.ErrorCodes.InvalidRequest, "This is no message of JSON-RPC 2.0.")
        if "id" in message and _number(message) is None:
            raise Refused(types.ErrorCodes.InvalidRequest, "The id of a request is a number or a text.")
        if method == types.EXIT:
            return
        if self._server.shut_down:
            raise Refused(types.ErrorCodes.InvalidRequest, "The server is shut down.")
        if method == types.INITIALIZE and self._is_open:
            raise Refused(types.ErrorCodes.InvalidRequest, "The server is initialized already.")
        if method != types.INITIALIZE and not self._is_open:
            raise Refused(types.ErrorCodes.ServerNotInitialized, "The first request must be `initialize`.")

    def _structured(self, message: dict[str, Any]) -> Any:
        try:
            return self._server.protocol.structure_message(message)
        except JsonRpcException as error:
            raise Refused(types.ErrorCodes.InvalidParams, _reason(error)) from None

    def _response(self, message: dict[str, Any]) -> Any:
        """An answer of the client; one that cannot be read counts as its refusal."""
        number = _number(message)
        if number is None:
            raise Refused(types.ErrorCodes.InvalidRequest, "This is neither a request nor an answer to one.")
        # pygls keeps the client's own requests that are under way beside the questions it asked.
        if isinstance(self._server.protocol._request_futures.get(number), asyncio.Task):
            raise Refused(types.ErrorCodes.InvalidRequest, "This answers a request of the client's own.")
        try:
            read = self._structured(message)
        except Refused as refused:
            error = types.ResponseError(refused.code.value, str(refused))
            return types.ResponseErrorMessage(id=number, error=error)
        if isinstance(read, dict):
            # pygls leaves the answer to a question that it has not asked as it is.
            raise Refused(types.ErrorCodes.InvalidRequest, "Nothing was asked that this is the answer to.")
        return read

    def _answer(self, number: int | str | None, code: types.ErrorCodes, message: str) -> None:
        error = {"code": code.value, "message": message}
        data = json.dumps({"jsonrpc": _VERSION, "id": number, "error": error}).encode()
        if self._server.protocol.writer is not None:
            self._server.protocol.writer.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)


def _read(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(types.ErrorCodes.ParseError, f"This is not JSON: {error}.") from None
    if not isinstance(message, dict):
        raise Refused(types.ErrorCodes.InvalidRequest, "A message is an object.")
    return message


def _number(message: object) -> int | str | None:
    """The id of a message, None for what is none."""
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None


def _reason(error: JsonRpcException) -> str:
    """What is wrong with the parameters of a message, with the place of each fault."""
    if error.__cause__ is None:
        return "The parameters cannot be read."
    return "; ".join(transform_error(error.__cause__, path="message"))
