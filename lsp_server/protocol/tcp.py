"""The server at a port instead of a pipe, for one client: its state is that of one editor's documents."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from contextlib import suppress

from lsprotocol import types

from advisor.model.errors import UsageError
from lsp_server.protocol.conversation import Conversation
from lsp_server.session import AdvisorServer

_LOOPBACK = "127.0.0.1"
_MOST = 65_535
_ONE_CLIENT = (
    "This server is at work for another client and knows its documents only. "
    "Start another one at another port: `advisor server --tcp PORT`."
)
# How long a client that is refused has for its first message.
_PATIENCE_SECONDS = 10.0
_MOST_BYTES = 10_000_000
_LENGTH = re.compile(rb"content-length:\s*(\d{1,8})\s*", re.IGNORECASE)
_log = logging.getLogger(__name__)


def address(text: str) -> tuple[str, int]:
    """The host and port that `[HOST:]PORT` names, without a host loopback; raises UsageError for others."""
    host, colon, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > _MOST or (colon and not host):
        raise UsageError(f"--tcp takes [HOST:]PORT, a port from 0 to {_MOST}, not {text!r}.")
    return host.strip("[]") or _LOOPBACK, int(port)


def serve(server: AdvisorServer, host: str, port: int) -> None:
    """Answer one client until it is gone, and refuse others meanwhile.

    Raises UsageError where the port is not free.
    """
    _log.setLevel(logging.INFO)  # which tells the port that 0 became
    try:
        with suppress(asyncio.CancelledError):
            asyncio.run(_serve(server, host, port))
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"The server cannot listen on {host}:{port}: {reason}.") from None


async def _serve(server: AdvisorServer, host: str, port: int) -> None:
    taken = False

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal taken
        if taken:
            await _refuse(reader, writer)
            return
        taken = True
        server.protocol.set_writer(writer)
        # The message `exit` ends pygls by leaving Python, which a task must not do; `main` gives the status.
        with suppress(SystemExit):
            await Conversation(server).hold(reader)
        server.shutdown()  # type: ignore[no-untyped-call]
        listening.close()

    listening = await asyncio.start_server(connected, host, port)
    places = ", ".join(str(one.getsockname()) for one in listening.sockets)
    _log.info("Serving on %s", places)
    async with listening:
        await listening.serve_forever()


async def _refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the first request of a client that there is no place for with the reason."""
    _log.warning("A second client was refused.")
    with suppress(OSError, ValueError, EOFError, asyncio.TimeoutError):
        request = await asyncio.wait_for(_first_message(reader), _PATIENCE_SECONDS)
        if isinstance(request, dict) and "id" in request:
            error = {"code": types.LSPErrorCodes.RequestFailed.value, "message": _ONE_CLIENT}
            data = json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}).encode()
            writer.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
            await writer.drain()
    writer.close()


async def _first_message(reader: asyncio.StreamReader) -> object:
    """The first message; raises ValueError or EOFError where there is none."""
    length = 0
    while line := (await reader.readline()).strip():
        found = _LENGTH.fullmatch(line)
        length = int(found[1]) if found else length
    if not 0 < length <= _MOST_BYTES:
        raise ValueError
    message: object = json.loads(await reader.readexactly(length))
    return message
