"""The server itself: its tools with what they may do, over standard input and output."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server import MCPServer
from mcp_types import ToolAnnotations

from advisor import __version__
from advisor.cli.mcp_server.reading_tools import check, explain, rules, what_if
from advisor.cli.mcp_server.running_tools import simulate, verify
from advisor.cli.mcp_server.serving import Serving

_INSTRUCTIONS = (
    "Kernel Advisor reads GPU kernels written in Python and says at the line what is slow or wrong. `check` "
    "finds, `explain` says what a kernel waits for and offers edits, `what_if` predicts what edits change "
    "without running code, `verify` proves edits by running them before they are written. Paths are relative "
    "to the workspace."
)


def build_server(state: Serving) -> MCPServer:
    """A server whose tools share some state."""

    @asynccontextmanager
    async def lifespan(_: MCPServer) -> AsyncIterator[Serving]:
        yield state

    server = MCPServer(
        "kernel-advisor",
        title="Kernel Advisor",
        version=__version__,
        instructions=_INSTRUCTIONS,
        lifespan=lifespan,
        log_level="ERROR",
        subscriptions=False,
    )
    # What a tool may do without asking: with a consent given beforehand, each may run code of the workspace.
    reading = _runs_code() if state.consent.allowed else _reads()
    server.add_tool(check, annotations=reading)
    server.add_tool(explain, annotations=reading)
    server.add_tool(what_if, annotations=reading)
    server.add_tool(rules, annotations=_reads())
    server.add_tool(simulate, annotations=_runs_code())
    server.add_tool(verify, annotations=_runs_code())
    return server


def _reads() -> ToolAnnotations:
    return ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )


def _runs_code() -> ToolAnnotations:
    """Code of the workspace may do anything."""
    return ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True
    )
