"""What the user has chosen: read when the client is ready, and again whenever it tells of a change."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from lsp_server.protocol.preferences import SECTION, Preferences, read_preferences
from lsp_server.session import AdvisorServer


def register(server: AdvisorServer) -> None:
    """Add what is heard of settings."""
    server.feature(types.INITIALIZE)(note_options)
    server.dispatcher.hear(types.INITIALIZED)(begin)
    server.dispatcher.hear(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(changed)


def note_options(ls: AdvisorServer, params: types.InitializeParams) -> None:
    """Note what the client says when it begins: what the user has chosen."""
    ls.initial_options = _plain(params.initialization_options)
    ls.dispatcher.settle(ls)


async def begin(ls: AdvisorServer, params: types.InitializedParams) -> None:  # noqa: ARG001
    """Ask the client, which is ready now, for the settings."""
    if ls.client.tells_of_settings:
        options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        wish = types.Registration("advisor-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
        ls.client_register_capability(types.RegistrationParams([wish]))
    await _take(ls, None)


async def changed(ls: AdvisorServer, params: types.DidChangeConfigurationParams) -> None:
    """Take changed settings; a client that can be asked need not say which."""
    await _take(ls, params.settings)


async def _take(ls: AdvisorServer, told: object) -> None:
    """Use what the client says now; what it does not say is as it was when the client began."""
    at_start, wrong = read_preferences(ls.initial_options, Preferences())
    given = await _asked(ls) if ls.client.configures else _plain(told)
    chosen, also_wrong = read_preferences(given, at_start)
    for message in (*wrong, *also_wrong):
        ls.show_message_once(message)
    ls.take_settings(chosen)


async def _asked(ls: AdvisorServer) -> Any:
    wish = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
    try:
        found = await ls.workspace_configuration_async(wish)
    except Exception:  # whatever a client answers that cannot
        return None
    return _plain(found[0]) if found else None


def _plain(given: Any) -> Any:
    """Settings as they came over the line, which pygls may have made into an object with attributes."""
    if hasattr(given, "_asdict"):
        return {name: _plain(value) for name, value in given._asdict().items()}
    return given
