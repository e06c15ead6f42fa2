"""The streams of the protocol, out of reach of whatever else writes to standard output."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from lsprotocol import types
from pygls.io_ import StdoutWriter

from lsp_server.protocol.client_process import when_ended
from lsp_server.protocol.conversation import Conversation
from lsp_server.session import AdvisorServer

_CHUNK = 65_536


@contextmanager
def protocol_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Standard input and output for the protocol alone: until the end, prints go to standard error.

    The descriptor is moved, not only `sys.stdout`, so that libraries outside Python are kept away too.
    """
    sys.stdout.flush()
    own = os.dup(1)
    os.dup2(2, 1)
    printed, sys.stdout = sys.stdout, sys.stderr
    stream = os.fdopen(own, "wb", closefd=False)
    try:
        yield sys.stdin.buffer, stream
    finally:
        sys.stdout = printed
        os.dup2(own, 1)
        os.close(own)


def serve(server: AdvisorServer) -> None:
    """Answer one client over standard input and output until it is gone."""
    with protocol_streams() as (received, sent):
        server.protocol.set_writer(StdoutWriter(sent))
        # The message `exit` ends pygls by leaving Python; the caller gives the status.
        with suppress(SystemExit, KeyboardInterrupt, BrokenPipeError):
            asyncio.run(_serve(server, received))
        server.shutdown()  # type: ignore[no-untyped-call]


async def _serve(server: AdvisorServer, received: BinaryIO) -> None:
    reader = asyncio.StreamReader()
    arguments = (received.fileno(), reader, asyncio.get_running_loop())
    threading.Thread(target=_feed, args=arguments, daemon=True).start()

    def begun(params: types.InitializeParams) -> None:
        if params.process_id is not None:
            when_ended(params.process_id, reader.feed_eof)

    await Conversation(server, begun).hold(reader)


def _feed(descriptor: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    """Read to the end, in a thread that nobody has to wait for: it may hang in a pipe that stays open."""
    # The event loop is closed where the server has ended first.
    with suppress(OSError, RuntimeError):
        while data := os.read(descriptor, _CHUNK):
            loop.call_soon_threadsafe(_take, reader, data)
        loop.call_soon_threadsafe(reader.feed_eof)


def _take(reader: asyncio.StreamReader, data: bytes) -> None:
    if not reader.at_eof():
        reader.feed_data(data)
