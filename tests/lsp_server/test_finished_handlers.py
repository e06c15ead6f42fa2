"""Handlers that have ended are not kept."""

from __future__ import annotations

from concurrent.futures import Future

from lsp_server.protocol.finished_handlers import forget_finished
from lsp_server.server import build_server


def test_what_has_ended_goes_and_what_is_under_way_stays():
    protocol = build_server().protocol
    kept = protocol._request_futures  # fails where pygls has changed: then look whether it still keeps them
    for number in range(200):
        kept[str(number)] = Future()
        if number != 7:
            kept[str(number)].set_result(None)
    forget_finished(protocol)
    assert list(kept) == ["7"]
