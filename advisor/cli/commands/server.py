"""`advisor server`: the language server that editors start."""

from __future__ import annotations

import argparse

from advisor.model.errors import AdvisorError
from advisor.model.processes.gc_paused import gc_paused

SUMMARY = "Start the language server, on standard input and output or at a port."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; editors add --stdio out of habit."""
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--stdio", action="store_true", help="talk over stdin and stdout (the default)")
    ways.add_argument(
        "--tcp", metavar="[HOST:]PORT", default="", help="wait for one client at a port, on this machine only"
    )


def run(args: argparse.Namespace) -> int:
    """The exit status of the language server, once its client has ended it."""
    try:
        with gc_paused():
            from lsp_server.server import build_server, main

            server = build_server()
    except ImportError as error:
        raise AdvisorError(
            f"the language server cannot be started: {error}. `pip install pygls` brings what it needs."
        ) from None
    return int(main(args.tcp, server) or 0)
