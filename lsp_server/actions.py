"""The actions offered on the lines of findings: their fixes, to ignore them there, and their explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lsprotocol import types

from advisor.findings import Edit, Finding, Fix
from lsp_server.analysis import Analysis
from lsp_server.diagnostics import SOURCE, fingerprint
from lsp_server.edits import Writes, insertion_edit, workspace_edit
from lsp_server.fix_writing import Written
from lsp_server.positions import Positions

KIND = types.CodeActionKind.QuickFix
FIX_ALL = "source.fixAll.advisor"
EXPLAIN = "advisor.explain"
_FIX_ALL_TITLE = "Apply all safe fixes of Kernel Advisor"


@dataclass(frozen=True)
class Wish:
    """What an action does, as its `data` says it: apply a fix, ignore a finding, or apply all safe fixes.

    `finding` is a fingerprint. `fix` is the name of a fix, empty to ignore the finding.
    """

    uri: str
    finding: str = ""
    fix: str = ""

    def data(self) -> dict[str, str]:
        """The wish as the client keeps it."""
        return {"uri": self.uri, "finding": self.finding, "fix": self.fix}


def read_wish(data: object) -> Wish | None:
    """The wish of an action's data; None for data that is not ours."""
    if not isinstance(data, dict):
        return None
    parts = [data.get(name) for name in ("uri", "finding", "fix")]
    if not all(isinstance(part, str) for part in parts) or not parts[0]:
        return None
    return Wish(*(str(part) for part in parts))


@dataclass(frozen=True)
class Desk:
    """What is known when actions are made: the analysis, the client's units, and what its edits can do."""

    analysis: Analysis
    positions: Positions
    writes: Writes

    def actions(
        self, findings: Sequence[Finding], written: Sequence[Written] | None, sent: Sequence[types.Diagnostic]
    ) -> list[types.CodeAction]:
        """The actions for each rule with a finding among these: its fixes, to ignore it there, to explain it.

        `written` are the same findings with their fixes; None when these are not known yet: then the fixes
        that a rule may have are offered, and the edit is written when the client asks to resolve one. Of what
        the client `sent` only the data is believed.
        """
        known = {str(item.data): item for item in sent if item.source == SOURCE}
        alike: dict[tuple[str, int], list[Written]] = {}
        for one in [Written(finding) for finding in findings] if written is None else written:
            alike.setdefault((one.finding.rule, one.finding.span.line), []).append(one)
        actions: list[types.CodeAction] = []
        for group in alike.values():
            linked = [known[key] for one in group if (key := fingerprint(one.finding)) in known]
            actions += self._of(group[0], linked, written is None)
        return actions

    def _of(
        self, written: Written, linked: list[types.Diagnostic], unwritten: bool
    ) -> Iterator[types.CodeAction]:
        finding = written.finding
        uri, key = self.analysis.document.uri, fingerprint(finding)
        for fix in _possible(finding) if unwritten else finding.fixes:
            if fix.edits or unwritten:
                yield self._action(_title(fix), Wish(uri, key, fix.id), written, linked, fix.safety == "safe")
        ignore = self._action(
            f"Ignore {finding.rule} here, with a reason", Wish(uri, key), written, linked, False
        )
        if self.writes.resolves or ignore.edit is not None:
            yield ignore
        title = f"Explain {finding.rule}"
        explain = types.Command(title, EXPLAIN, arguments=[uri, finding.rule])
        yield types.CodeAction(title, kind=KIND, diagnostics=linked or None, command=explain)

    def _action(
        self, title: str, wish: Wish, written: Written, linked: list[types.Diagnostic], preferred: bool
    ) -> types.CodeAction:
        """An action with its edit, or with what finds it again for a client that asks for it later."""
        lazily = self.writes.resolves
        return types.CodeAction(
            title,
            kind=KIND,
            diagnostics=linked or None,
            is_preferred=preferred or None,
            edit=None if lazily else self.edit(wish, [written]),
            data=wish.data() if lazily else None,
        )

    def fix_all(self, written: Sequence[Written] | None) -> types.CodeAction:
        """The action that applies every safe fix; with its edit where the findings with fixes are given."""
        wish = Wish(self.analysis.document.uri)
        edit = None if written is None else self.edit(wish, written)
        return types.CodeAction(
            _FIX_ALL_TITLE, kind=FIX_ALL, edit=edit, data=wish.data() if self.writes.resolves else None
        )

    def edit(self, wish: Wish, written: Sequence[Written]) -> types.WorkspaceEdit | None:
        """The edit of a wish, from findings with their fixes; None where there is none (any more)."""
        texts = {path: text for one in written for path, text in one.texts.items()}
        if not wish.finding:
            from advisor.fixes.application import chosen

            pairs = chosen([one.finding for one in written], ["safe"])
            return self._changing({edit for _, fix in pairs for edit in fix.edits}, texts)
        finding = next((one.finding for one in written if fingerprint(one.finding) == wish.finding), None)
        if finding is None:
            return None
        if wish.fix:
            fix = next((one for one in finding.fixes if one.id == wish.fix and one.edits), None)
            return None if fix is None else self._changing(fix.edits, texts)
        from lsp_server.suppression import suppression

        insertion = suppression(finding, self.analysis.document.source)
        if insertion is None:
            return None
        return insertion_edit(insertion, self.analysis, self.positions, self.writes)

    def _changing(self, edits: Iterable[Edit], texts: Mapping[str, str]) -> types.WorkspaceEdit:
        return workspace_edit(sorted(edits), texts, self.analysis, self.positions, self.writes)


def on_lines(analysis: Analysis, wanted: types.Range) -> list[Finding]:
    """The findings on the lines of a range, our own of the present text."""
    first, last = wanted.start.line + 1, wanted.end.line + 1
    return [one for one in analysis.findings if one.span.line <= last and one.span.end_line >= first]


def may_be_safe(finding: Finding) -> bool:
    """Whether there is a safe fix that may have something to say of the finding."""
    return any(fix.safety == "safe" for fix in _possible(finding))


def wants(only: Sequence[types.CodeActionKind | str] | None, kind: str) -> bool:
    """Whether a kind is among those asked for; a kind stands for those below it."""
    if only is None:
        return True
    asked = [one.value if isinstance(one, types.CodeActionKind) else one for one in only]
    return any(one == "" or one == kind or kind.startswith(f"{one}.") for one in asked)


def _possible(finding: Finding) -> list[Fix]:
    """The fixes that may mend the finding, without their edits."""
    from advisor.fixes import known_fixes

    return [
        Fix(fix.title, fix.safety, fix.id, fix.condition)
        for fix in known_fixes()
        if finding.rule in fix.rules
    ]


def _title(fix: Fix) -> str:
    """What a fix does, whether it needs review (the hover names the condition), and what was proven of it."""
    title = fix.title if fix.safety == "safe" else f"{fix.title} (needs review)"
    return title if fix.proof is None else f"{title} ({fix.proof.in_words()})"
