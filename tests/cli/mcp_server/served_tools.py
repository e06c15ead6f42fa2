"""Calls the tools of `advisor mcp` as other programs do: by the SDK's client, over stdio."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

import mcp_types as protocol
from mcp import Client, StdioServerParameters, stdio_client

# What a user answers to a question: the action, and whether not to be asked again.
User = Callable[[str], tuple[str, bool]]
Call = tuple[str, dict[str, Any]]
# The one with questions in the answers of calls, and the one in which the server asks.
PROTOCOLS = ("auto", "legacy")

KERNEL = """\
import numpy as np
from numba import cuda


@cuda.jit
def copy_rows(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for k in range(x.shape[1]):
            out[i, k] = x[i, k]


def workload():
    rows = cuda.to_device(np.ones((1 << 13, 32), dtype=np.float32))
    copied = cuda.device_array_like(rows)
    copy_rows[32, 256](rows, copied)
    return copied.copy_to_host()
"""


class Answer(NamedTuple):
    """What a call gave: whether it failed, the text, and the structured content."""

    failed: bool
    text: str
    content: dict[str, Any]


def server_for(root: Path, *options: str) -> StdioServerParameters:
    command = ["-m", "advisor", "mcp", "--root", str(root), *options]
    return StdioServerParameters(command=sys.executable, args=command)


def answers(
    root: Path, calls: Sequence[Call], *options: str, user: User | None = None, protocol_of: str = "auto"
) -> list[Answer]:
    """The answers to calls of one session, one after the other."""

    async def answered(_: Any, params: Any) -> protocol.ElicitResult:
        assert user is not None
        action, for_good = user(params.message)
        content = {"for_this_session": for_good} if action == "accept" else None
        return protocol.ElicitResult(action=action, content=content)

    async def talk() -> list[Answer]:
        asks = None if user is None else answered
        transport = stdio_client(server_for(root, *options))
        async with Client(transport, mode=protocol_of, elicitation_callback=asks) as client:
            return [_answer(await client.call_tool(*call)) for call in calls]

    return asyncio.run(talk())


def tools_of(root: Path, *options: str) -> dict[str, Any]:
    """The tools that a server offers, by name."""

    async def talk() -> list[Any]:
        async with Client(stdio_client(server_for(root, *options))) as client:
            return list((await client.list_tools()).tools)

    return {one.name: one for one in asyncio.run(talk())}


def _answer(result: Any) -> Answer:
    return Answer(bool(result.is_error), result.content[0].text, result.structured_content or {})
