"""`advisor mcp`: the commands as tools of the Model Context Protocol, over standard input and output."""

from __future__ import annotations

import argparse
import importlib.util

SUMMARY = (
    "Serve check, explain, what_if, simulate, verify and rules to coding agents (Model Context Protocol)."
)

_SECONDS = 300.0
_MEMORY = 4096
_MIB = 1 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor mcp`."""
    parser.add_argument(
        "--root",
        default=".",
        metavar="FOLDER",
        help="the workspace; paths outside are refused (default: here)",
    )
    parser.add_argument(
        "--allow-run",
        action="store_true",
        help="consent to running code of the workspace; without it the client's user is asked each time",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=_SECONDS,
        metavar="S",
        help="time limit of a call (default: %(default)g)",
    )
    parser.add_argument(
        "--memory",
        type=int,
        default=_MEMORY,
        metavar="MIB",
        help="memory limit of the processes of a call, on Linux (default: %(default)d)",
    )


def run(args: argparse.Namespace) -> int:
    """0 when the client has closed the connection."""
    from pathlib import Path

    from advisor.model.errors import UsageError

    if args.seconds <= 0 or args.memory <= 0:
        raise UsageError("--seconds and --memory are limits above zero.")
    if importlib.util.find_spec("mcp") is None:
        raise UsageError(
            "`advisor mcp` needs the protocol's Python SDK: pip install 'kernel-advisor[mcp]' brings it."
        )
    from advisor.cli.mcp_server.commands import Commands, Limits
    from advisor.cli.mcp_server.consent import ConsentToRun
    from advisor.cli.mcp_server.server import build_server
    from advisor.cli.mcp_server.serving import Serving
    from advisor.cli.mcp_server.workspace import Workspace

    limits = Limits(args.seconds, args.memory * _MIB)
    state = Serving(Workspace(Path(args.root)), Commands(limits), ConsentToRun(args.allow_run))
    build_server(state).run()
    return 0
