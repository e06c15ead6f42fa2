"""The server under the capabilities of four editors; pytest-lsp holds it to the protocol."""

from __future__ import annotations

import asyncio
import sys

import pytest
import pytest_lsp
from kernel_pairs import SQUARE, STRAIGHT, TRANSPOSED
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

_EDITORS = ["visual-studio-code", "neovim@0.7", "neovim@0.11", "emacs"]
# What a test client has to accept without doing anything about it.
_ACCEPTED = (
    types.CLIENT_REGISTER_CAPABILITY,
    types.WORKSPACE_CODE_LENS_REFRESH,
    types.WORKSPACE_INLAY_HINT_REFRESH,
    types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
)
_CONFIGURATION = ClientServerConfig(server_command=[sys.executable, "-m", "advisor", "server"])


# One line with a character before the finding that is 4 bytes long, 2 units of UTF-16, 1 of UTF-32.
WIDE = """\
import math
from numba import cuda


@cuda.jit
def root(a, out):
    i = cuda.grid(1)
    if i < out.size:
        label = "🌍"; out[i] = a[i] ** 0.5
"""
ENCODINGS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


def todays_code(declared):
    """VS Code since 2023 asks for diagnostics itself, and knows places to fill in inside of edits."""
    declared.text_document.diagnostic = types.DiagnosticClientCapabilities()
    declared.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    declared.workspace.workspace_edit.snippet_edit_support = True
    declared.general.position_encodings = [types.PositionEncodingKind.Utf16]


def plain_emacs(declared):
    """Without a Markdown package."""
    declared.text_document.hover.content_format = [types.MarkupKind.PlainText]


_CHANGES = {"visual-studio-code": todays_code, "emacs": plain_emacs}


@pytest_lsp.fixture(config=_CONFIGURATION, params=_EDITORS)
async def editor(request, lsp_client: LanguageClient, tmp_path):
    capabilities = client_capabilities(request.param)
    _CHANGES.get(request.param, lambda declared: None)(capabilities)
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "w")
    lsp_client.folder = tmp_path
    lsp_client.asked = []
    for method in _ACCEPTED:
        lsp_client.feature(method)(lambda params, method=method: lsp_client.asked.append(method))
    lsp_client.begun = await lsp_client.initialize_session(
        types.InitializeParams(capabilities, root_uri=tmp_path.as_uri(), workspace_folders=[folder])
    )
    yield
    await lsp_client.shutdown_session()


def open_text(client, text):
    uri = (client.folder / "k.py").as_uri()
    document = types.TextDocumentItem(uri, "python", 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    return uri


def change_text(client, uri, version, text):
    document = types.VersionedTextDocumentIdentifier(version=version, uri=uri)
    changes = [types.TextDocumentContentChangeWholeDocument(text)]
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, changes))


def pulls(client):
    return client.capabilities.text_document.diagnostic is not None


@pytest.mark.asyncio
async def test_a_finding_comes_is_explained_fixed_and_goes(editor):
    client = editor
    uri = open_text(client, TRANSPOSED)
    found = await settled(client, uri, bool)
    assert [one.code for one in found] == ["transposed-index"]
    place = found[0].range.start
    shown = await client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(uri), place)
    )
    assert shown is not None and "transposed-index" in shown.contents.value
    context = types.CodeActionContext(diagnostics=found)
    asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), found[0].range, context)
    actions = await client.text_document_code_action_async(asked)
    assert any("transposed-index" in one.title or one.diagnostics for one in actions)
    change_text(client, uri, 2, STRAIGHT)
    assert await settled(client, uri, lambda found: not found) == []


async def settled(client, uri, wanted):
    """The diagnostics once they are as wanted; pytest's limit ends a wait in vain."""
    while True:
        if pulls(client):
            asked = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
            found = (await client.text_document_diagnostic_async(asked)).items
        else:
            await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
            found = client.diagnostics.get(uri, [])
        if wanted(found):
            return list(found)


def units(client):
    return client.begun.capabilities.position_encoding or "utf-16"


def offset(client, text, place):
    """The offset of a position in the units that were agreed upon."""
    lines = text.splitlines(keepends=True)
    encoded = lines[place.line].encode(ENCODINGS[units(client)])
    before = encoded[: place.character * WIDTHS[units(client)]].decode(ENCODINGS[units(client)])
    return sum(map(len, lines[: place.line])) + len(before)


def part(client, text, wanted):
    return text[offset(client, text, wanted.start) : offset(client, text, wanted.end)]


def applied(client, text, edit, uri):
    """A text after an edit of the workspace, in whichever form the client takes them."""
    changes = edit.changes[uri] if edit.changes else edit.document_changes[0].edits
    if not edit.changes:
        assert edit.document_changes[0].text_document.uri == uri
    for one in sorted(changes, key=lambda one: offset(client, text, one.range.start), reverse=True):
        new = one.snippet.value if isinstance(one, types.SnippetTextEdit) else one.new_text
        start, end = offset(client, text, one.range.start), offset(client, text, one.range.end)
        text = text[:start] + new + text[end:]
    return text


@pytest.mark.asyncio
async def test_places_and_edits_are_in_the_units_that_were_agreed_upon(editor):
    client = editor
    declared = client.capabilities.general.position_encodings if client.capabilities.general else None
    # What the client likes best: UTF-8 in Neovim, UTF-32 in Emacs.
    assert units(client) == (declared[0] if declared else "utf-16")
    uri = open_text(client, WIDE)
    found = await slow_power(client, uri)
    assert part(client, WIDE, found.range) == "a[i] ** 0.5"
    while not (fixes := await power_fixes(client, uri, found)):
        await asyncio.sleep(0.1)
    (fix,) = fixes
    fixed = applied(client, WIDE, fix.edit, uri)
    assert fixed == WIDE.replace("a[i] ** 0.5", "math.sqrt(a[i])")
    change_text(client, uri, 2, fixed)
    await settled(client, uri, lambda found: "slow-power" not in [one.code for one in found])


@pytest.mark.asyncio
async def test_to_ignore_a_finding_has_a_place_to_fill_in_where_the_client_knows_such(editor):
    client = editor
    uri = open_text(client, WIDE)
    found = await slow_power(client, uri)
    ignore = next(
        one for one in await offered(client, uri, found) if one.title.startswith("Ignore slow-power")
    )
    edit = client.capabilities.workspace.workspace_edit
    snippets = edit is not None and edit.snippet_edit_support
    reason = " $1" if snippets else " TODO: say why this is acceptable here"
    expected = WIDE.replace("** 0.5", f"** 0.5  # advisor: ignore[slow-power]{reason}")
    assert applied(client, WIDE, ignore.edit, uri) == expected


@pytest.mark.asyncio
async def test_hovers_are_in_the_form_that_the_client_reads(editor):
    client = editor
    uri = open_text(client, WIDE)
    found = await slow_power(client, uri)
    asked = types.HoverParams(types.TextDocumentIdentifier(uri), found.range.start)
    shown = await client.text_document_hover_async(asked)
    formats = client.capabilities.text_document.hover.content_format
    assert shown.contents.kind == formats[0]
    assert "slow-power" in shown.contents.value
    assert part(client, WIDE, shown.range) == "a[i] ** 0.5"


@pytest.mark.asyncio
async def test_lenses_and_hints_get_better_and_who_can_be_told_is_told(editor):
    client = editor
    uri = open_text(client, TRANSPOSED + SQUARE)
    await settled(client, uri, bool)
    (client.folder / "k.py").write_text(TRANSPOSED + SQUARE)
    client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
    asked = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    while not any(
        "registers" in one.command.title for one in await client.text_document_code_lens_async(asked)
    ):
        await asyncio.sleep(0.1)
    everything = types.Range(types.Position(0, 0), types.Position(99, 0))
    hints = await client.text_document_inlay_hint_async(
        types.InlayHintParams(types.TextDocumentIdentifier(uri), everything)
    )
    assert [one.label for one in hints] == ["16 sectors/request, ideal 4 to 8"]
    workspace = client.capabilities.workspace
    for told, able in (
        (types.WORKSPACE_CODE_LENS_REFRESH, workspace.code_lens),
        (types.WORKSPACE_INLAY_HINT_REFRESH, workspace.inlay_hint),
    ):
        assert (told in client.asked) is bool(able and able.refresh_support)


async def slow_power(client, uri):
    """The finding of the source; the compiler may have told of others by now."""
    found = await settled(client, uri, bool)
    return next(one for one in found if one.code == "slow-power")


async def power_fixes(client, uri, found):
    """The fixes of the power that can be applied at once, none before they are known."""
    actions = await offered(client, uri, found)
    return [one for one in actions if one.title.startswith("Write the power") and not one.disabled]


async def lenses(client, asked):
    return await client.text_document_code_lens_async(asked)


async def offered(client, uri, found):
    context = types.CodeActionContext(diagnostics=[found])
    asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), found.range, context)
    return await client.text_document_code_action_async(asked)
