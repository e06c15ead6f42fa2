"""The server at a port instead of a pipe, for one client."""

from __future__ import annotations

import logging

from advisor.errors import UsageError
from lsp_server.session import AdvisorServer

_LOOPBACK = "127.0.0.1"
_MOST = 65_535


def address(text: str) -> tuple[str, int]:
    """The host and port that `[HOST:]PORT` names, without a host loopback; raises UsageError for others."""
    host, colon, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > _MOST or (colon and not host):
        raise UsageError(f"--tcp takes [HOST:]PORT, a port from 0 to {_MOST}, not {text!r}.")
    return host.strip("[]") or _LOOPBACK, int(port)


def serve(server: AdvisorServer, host: str, port: int) -> None:
    """Nothing; answers one client until it is gone. Raises UsageError where the port is not free."""
    logging.getLogger("pygls.server").setLevel(logging.INFO)  # which tells the port that 0 became
    try:
        server.start_tcp(host, port)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"The server cannot listen on {host}:{port}: {reason}.") from None
