"""Lenses over rules: their examples, their mutants, and the kernels of the workspace they fire on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from lsprotocol import types

from lsp_server.protocol.dispatch import RULES
from lsp_server.rule_files.documents import open_rule_document
from lsp_server.rule_files.session import rules_of
from lsp_server.session import AdvisorServer

if TYPE_CHECKING:
    from lsp_server.rule_files.explaining.firing import Evidence, WorkspaceKernels
    from lsp_server.rule_files.explaining.lenses import Said
    from lsp_server.rule_files.snapshot import Snapshot

DETAILS = "advisor.ruleDetails"
_CONCERNS_KERNELS = (".py", ".ipynb", "pyproject.toml", "advisor.toml")
_log = logging.getLogger(__name__)
_kernels: WeakKeyDictionary[AdvisorServer, WorkspaceKernels] = WeakKeyDictionary()


def register(server: AdvisorServer) -> None:
    """Add code lenses, each computed when it is shown, and the command behind them."""
    server.dispatcher.answer(types.TEXT_DOCUMENT_CODE_LENS, RULES, types.CodeLensOptions(True))(lenses)
    server.dispatcher.answer(types.CODE_LENS_RESOLVE, RULES)(resolve)
    server.dispatcher.hear(types.TEXT_DOCUMENT_DID_SAVE)(saved)
    server.dispatcher.hear(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(files_changed)
    server.command(DETAILS)(details)


async def lenses(ls: AdvisorServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """The lenses of all rules of a document, without what they say."""
    none: list[types.CodeLens] = []
    if not ls.preferences.code_lenses:
        return none
    return await rules_of(ls).answer(ls, params.text_document.uri, _unresolved, none)


async def resolve(ls: AdvisorServer, lens: types.CodeLens) -> types.CodeLens:
    """The lens with what it says."""
    data = lens.data if isinstance(lens.data, Mapping) else {}
    uri, rule, kind = (str(data.get(key, "")) for key in ("uri", "rule", "kind"))
    told = await _said(ls, uri, rule, kind)
    lens.command = types.Command(told.title, DETAILS, arguments=[uri, rule, kind])
    return lens


async def details(ls: AdvisorServer, *arguments: object) -> None:
    """Show what is behind a lens. Arguments: a document's URI, a rule's id, and the kind of lens."""
    if len(arguments) == 3 and all(isinstance(one, str) for one in arguments):
        uri, rule, kind = map(str, arguments)
        from lsp_server.rule_files.explaining.lenses import message_of

        ls.show_message(message_of(rule, await _said(ls, uri, rule, kind)), types.MessageType.Info)


async def saved(ls: AdvisorServer, params: types.DidSaveTextDocumentParams) -> None:
    """Forget the kernels that lenses count after a save."""
    if ls in _kernels and params.text_document.uri.endswith(_CONCERNS_KERNELS):
        _kernels[ls].forget()


async def files_changed(ls: AdvisorServer, params: types.DidChangeWatchedFilesParams) -> None:
    """Forget the kernels that lenses count after files changed on the disk."""
    if ls in _kernels and any(change.uri.endswith(_CONCERNS_KERNELS) for change in params.changes):
        _kernels[ls].forget()


def _unresolved(snapshot: Snapshot) -> list[types.CodeLens]:
    from lsp_server.rule_files.explaining.lenses import KINDS, rules_in

    uri = snapshot.document.uri
    return [
        types.CodeLens(
            snapshot.range(name.start, name.end),
            data={"language": RULES, "uri": uri, "rule": name.text, "kind": kind},
        )
        for name, rule in rules_in(snapshot)
        for kind in (KINDS if rule is not None else KINDS[:1])
    ]


async def _said(ls: AdvisorServer, uri: str, rule: str, kind: str) -> Said:
    from lsp_server.rule_files.explaining.lenses import Said, said

    evidence = await _evidence(ls, uri) if kind == "kernels" else None
    unknown = Said("nothing is known")
    return await rules_of(ls).answer(ls, uri, lambda one: said(kind, rule, one, evidence), unknown)


async def _evidence(ls: AdvisorServer, uri: str) -> Evidence | None:
    """What the source of the workspace says; None where that cannot be had."""
    from lsp_server.rule_files.explaining.firing import Stopped, WorkspaceKernels

    document = open_rule_document(ls.workspace, uri)
    book = await rules_of(ls).answer(ls, uri, lambda one: one.book, None)
    if document is None or book is None:
        return None
    kernels = _kernels.setdefault(ls, WorkspaceKernels())
    try:
        return await asyncio.get_running_loop().run_in_executor(
            kernels.thread, lambda: kernels.evidence(document.top, book, lambda: ls.shut_down)
        )
    except Stopped:
        return None
    except Exception:
        _log.exception("The kernels below %s could not be looked at.", document.top)
        return None
