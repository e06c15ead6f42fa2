"""Lenses over kernels: their numbers, and the commands that concern them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.features.kernels.kernel_commands import CHOOSE_DEVICE, EXPLAIN, MACHINE_CODE
from lsp_server.protocol.dispatch import PYTHON
from lsp_server.session import AdvisorServer

if TYPE_CHECKING:
    from lsp_server.numbers.lenses import Lens

SIMULATE = "advisor.simulate"


def register(server: AdvisorServer) -> None:
    """Add code lenses."""
    server.dispatcher.answer(types.TEXT_DOCUMENT_CODE_LENS, PYTHON, types.CodeLensOptions(False))(code_lenses)


async def code_lenses(ls: AdvisorServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """The lenses of all kernels of a document."""
    # Imported for the first one: an editor waits for the server to begin.
    from lsp_server.numbers.lenses import lenses

    if not ls.preferences.code_lenses:
        return []
    analysis = await ls.analysis_of(params.text_document.uri)
    if analysis is None:
        return []
    uri, positions = analysis.document.uri, ls.positions(analysis.document)
    found = await ls.analyses.run(lambda: lenses(analysis))
    shown = []
    for lens in found:
        place = positions.position(lens.line, 1)
        shown += [types.CodeLens(types.Range(place, place), one) for one in _commands(lens, uri)]
    return shown


def _commands(lens: Lens, uri: str) -> list[types.Command]:
    """The numbers first, which lead to all that is known of the kernel, then what can be done."""
    place = [uri, lens.kernel.span.line - 1]
    device = f"Device: {lens.device}" if lens.device else "Choose device"
    return [
        types.Command(lens.numbers or "Explain", EXPLAIN, arguments=place),
        types.Command("Simulate", SIMULATE, arguments=place),
        types.Command("Machine code", MACHINE_CODE, arguments=place),
        types.Command(device, CHOOSE_DEVICE, arguments=[]),
    ]
