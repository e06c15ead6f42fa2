"""The server under the capabilities of four editors; pytest-lsp holds it to the protocol."""

from __future__ import annotations

import sys

import pytest
import pytest_lsp
from kernel_pairs import STRAIGHT, TRANSPOSED
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


@pytest_lsp.fixture(config=_CONFIGURATION, params=_EDITORS)
async def editor(request, lsp_client: LanguageClient, tmp_path):
    capabilities = client_capabilities(request.param)
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "w")
    lsp_client.folder = tmp_path
    for method in _ACCEPTED:
        lsp_client.feature(method)(lambda params: None)
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
async def test_a_finding_comes_is_explained_mended_and_goes(editor):
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
