"""Whether code of the workspace may be run: the server's option says so, or the user is asked."""

from __future__ import annotations

from collections.abc import Sequence

from mcp.server.mcpserver import Context, Elicit
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from advisor.cli.mcp_server.edited_copy import ProposedEdit
from advisor.model.text.visible_text import harmless

REFUSED = (
    "Code of this workspace is not run without consent: start the server with `advisor mcp --allow-run`, or "
    "use a client that can ask its user (elicitation)."
)
DECLINED = "The user did not consent to running code of this workspace; nothing was run."
_MOST_SHOWN = 4000


class Consent(BaseModel):
    """The answer of a user who lets code be run."""

    for_this_session: bool = Field(
        default=False,
        title="Do not ask again",
        description="Let this server run code of the workspace until it ends",
    )


class ConsentToRun:
    """Who consented to running code: the one who started the server, the user for good, or nobody yet."""

    def __init__(self, allowed: bool) -> None:
        self.allowed = allowed

    def question(
        self, context: Context, what: str, paths: Sequence[str], edits: Sequence[ProposedEdit] = ()
    ) -> Consent | Elicit[Consent]:
        """The consent, or the question to be asked, with the edits that nobody has seen in a file yet.

        Raises ToolError where the client cannot ask anybody.
        """
        if self.allowed:
            return Consent()
        capabilities = context.client_capabilities
        elicitation = capabilities.elicitation if capabilities is not None else None
        if elicitation is None or (elicitation.form is None and elicitation.url is not None):
            raise ToolError(REFUSED)
        named = ", ".join(paths) or "the workspace"
        said = f"Kernel Advisor wants to {what}: {named}. This runs code of the workspace."
        return Elicit(harmless(said + _shown(edits)), Consent)

    def given(self, consent: Consent) -> None:
        """Keep a consent for as long as the user gave it."""
        self.allowed = self.allowed or consent.for_this_session


def _shown(edits: Sequence[ProposedEdit]) -> str:
    """What edits would put into files, as far as there is room for it."""
    if not edits:
        return ""
    texts = "\n".join(f"{one.path}: {one.text}" for one in edits)
    rest = len(texts) - _MOST_SHOWN
    told = texts if rest <= 0 else f"{texts[:_MOST_SHOWN]}\n(and {rest} characters more)"
    return f"\nWith these edits, which are in no file yet:\n{told}"
