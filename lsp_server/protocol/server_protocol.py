"""pygls's protocol with plain functions for the messages that come with every keystroke."""

from __future__ import annotations

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method


class ServerProtocol(LanguageServerProtocol):
    """Changes of documents are taken in at once.

    pygls 2.1 handles a change by a generator, whose future it keeps until the server ends, with that of the
    handler registered for it: some kilobytes for each keystroke. Of plain functions it keeps nothing.
    """

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Update a document's text, then call the handler registered for the change."""
        for change in params.content_changes:
            self.workspace.update_text_document(params.text_document, change)
        self._call(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Update a notebook's cells, then call the handler registered for the change."""
        self.workspace.update_notebook_document(params)
        self._call(types.NOTEBOOK_DOCUMENT_DID_CHANGE, params)

    def _call(self, method: str, params: object) -> None:
        handler = self.fm.features.get(method)
        if handler is not None:
            handler(params)
