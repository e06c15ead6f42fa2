"""What can be asked for of a kernel, a line or a rule: an explanation, its machine code, another device."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types

from advisor.model.devices import find_device, load_devices
from advisor.model.errors import AdvisorError
from lsp_server.analysis.checked_text import Analysis
from lsp_server.session import AdvisorServer

# What writes pages is imported for the first one: an editor waits for the server to begin.
if TYPE_CHECKING:
    from lsp_server.answers.pages import ShownPage

EXPLAIN = "advisor.explain"
MACHINE_CODE = "advisor.machineCode"
CHOOSE_DEVICE = "advisor.chooseDevice"
# Seconds that a page waits for fixes, which are mostly written before anybody asks for it.
_PATIENCE = 1.0
_CONFIGURED = "As configured"
_NOTHING_HERE = "There is no kernel at this place."


def register(server: AdvisorServer) -> None:
    """Add the commands."""
    server.command(EXPLAIN)(explain)
    server.command(MACHINE_CODE)(machine_code)
    server.command(CHOOSE_DEVICE)(choose_device)


async def explain(ls: AdvisorServer, *arguments: object) -> None:
    """Show a page. Arguments: a document's URI, and a line (from 0) or a rule's, fix's or kernel's name."""
    from lsp_server.answers.pages import page_named, show

    arguments = ls.notebooks.command_arguments(arguments)
    analysis = await _analysis(ls, arguments)
    if analysis is None:
        return
    what = arguments[1]
    analysis = await _with_fixes(ls, analysis)
    try:
        page = await ls.analyses.run(
            lambda: page_named(what, analysis) if isinstance(what, str) else _of_line(what, analysis)
        )
    except AdvisorError as error:
        ls.show_message(str(error))
        return
    if page is None:
        ls.show_message(_NOTHING_HERE, types.MessageType.Info)
    else:
        await show(ls, page)


async def machine_code(ls: AdvisorServer, *arguments: object) -> None:
    """Show the machine code of a line. Arguments: a document's URI and a line, from 0."""
    from lsp_server.answers.pages import kernel_around, show
    from lsp_server.evidence.machine_code import machine_code_page

    arguments = ls.notebooks.command_arguments(arguments)
    analysis = await _analysis(ls, arguments)
    line = arguments[1] if len(arguments) > 1 else None
    if analysis is None:
        return
    kernel = kernel_around(line + 1, analysis) if isinstance(line, int) else None
    if kernel is None or not isinstance(line, int):
        ls.show_message(_NOTHING_HERE, types.MessageType.Info)
        return
    try:
        # Not in the thread of the analyses, which would wait for the compiler.
        page = await asyncio.to_thread(machine_code_page, kernel, line + 1, analysis)
    except AdvisorError as error:
        ls.show_message(f"{error} {getattr(error, 'remedy', '')}".strip())
        return
    await show(ls, page)


async def choose_device(ls: AdvisorServer, *arguments: object) -> None:
    """Take another device for this session: the one named, or the one the user picks."""
    name = arguments[0] if arguments and isinstance(arguments[0], str) else await _picked(ls)
    if name is None:
        return
    try:
        device = "" if name in ("", _CONFIGURED) else find_device(name).id
    except AdvisorError as error:
        ls.show_message(str(error))
        return
    ls.choose_device(device)


async def _picked(ls: AdvisorServer) -> str | None:
    names = [_CONFIGURED, *(device.name for device in load_devices().values())]
    question = types.ShowMessageRequestParams(
        types.MessageType.Info,
        "Kernel Advisor: which device are the numbers to be for?",
        [types.MessageActionItem(name) for name in names],
    )
    picked = await ls.window_show_message_request_async(question)
    return picked.title if picked is not None else None


async def _analysis(ls: AdvisorServer, arguments: tuple[object, ...]) -> Analysis | None:
    """The analysis of the document that a command is about; tells the user when there is none."""
    uri = arguments[0] if arguments else None
    analysis = await ls.analysis_of(uri) if isinstance(uri, str) and len(arguments) > 1 else None
    if analysis is None:
        ls.show_message("This needs an open document with kernels.", types.MessageType.Info)
    return analysis


async def _with_fixes(ls: AdvisorServer, analysis: Analysis) -> Analysis:
    """The analysis with the fixes that are known soon: by them a check orders what to do, and tells of it."""
    from lsp_server.answers.diagnostics import fingerprint

    fixable = analysis.fixable
    if fixable is None:
        return analysis
    written = await ls.fixes.written(fixable, fixable.findings, _PATIENCE)
    known = {fingerprint(one.finding): one.finding for one in written}
    return replace(analysis, findings=tuple(known.get(fingerprint(one), one) for one in analysis.findings))


def _of_line(line: object, analysis: Analysis) -> ShownPage | None:
    from lsp_server.answers.pages import page_of_line

    return page_of_line(line + 1, analysis) if isinstance(line, int) else None
