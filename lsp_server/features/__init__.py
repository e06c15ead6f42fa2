"""What the server offers: each module below answers the messages of one feature, and `register` adds it."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsp_server.session import AdvisorServer


def register_all(server: AdvisorServer) -> None:
    """Let every module of this folder add what it answers to the server."""
    found = pkgutil.walk_packages(__path__, f"{__name__}.")
    for module in sorted(one.name for one in found if not one.ispkg):
        importlib.import_module(module).register(server)
    server.dispatcher.connect(server)
