"""What the connected client can do, as far as it makes a difference."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types
from pygls.capabilities import get_capability


@dataclass(frozen=True)
class Client:
    """Questions to the capabilities that a client has declared."""

    declared: types.ClientCapabilities

    @property
    def pulls(self) -> bool:
        """Whether it asks for diagnostics itself."""
        return get_capability(self.declared, "text_document.diagnostic") is not None

    @property
    def refreshes(self) -> bool:
        """Whether it can be told to ask for all diagnostics again."""
        return bool(get_capability(self.declared, "workspace.diagnostics.refresh_support"))

    @property
    def refreshes_inlay_hints(self) -> bool:
        """Whether it can be told to ask for inlay hints again."""
        return bool(get_capability(self.declared, "workspace.inlay_hint.refresh_support"))

    @property
    def refreshes_code_lenses(self) -> bool:
        """Whether it can be told to ask for code lenses again."""
        return bool(get_capability(self.declared, "workspace.code_lens.refresh_support"))

    @property
    def configures(self) -> bool:
        """Whether it can be asked for the user's settings."""
        return bool(get_capability(self.declared, "workspace.configuration"))

    @property
    def tells_of_settings(self) -> bool:
        """Whether it can be asked to tell when the user's settings change."""
        return bool(get_capability(self.declared, "workspace.did_change_configuration.dynamic_registration"))

    @property
    def shows_progress(self) -> bool:
        """Whether it shows how far work has come."""
        return bool(get_capability(self.declared, "window.work_done_progress"))

    @property
    def watches(self) -> bool:
        """Whether it can be asked to watch files."""
        return bool(get_capability(self.declared, "workspace.did_change_watched_files.dynamic_registration"))

    @property
    def versions_edits(self) -> bool:
        """Whether an edit may name the version of the document that it was made for."""
        return bool(get_capability(self.declared, "workspace.workspace_edit.document_changes"))

    @property
    def reads_markdown(self) -> bool:
        """Whether hovers may be Markdown; a client that does not say is taken to read it."""
        formats = get_capability(self.declared, "text_document.hover.content_format")
        return not formats or types.MarkupKind.Markdown in formats
