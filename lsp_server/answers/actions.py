"""The actions offered on the lines of findings: their fixes, to ignore them there, and their explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from lsprotocol import types

from advisor.model.findings import Edit, Finding, Fix
from advisor.model.text.source_text import SourceText
from lsp_server.analysis.checked_text import Analysis
from lsp_server.answers.diagnostics import SOURCE, fingerprint
from lsp_server.documents.open_documents import OpenText
from lsp_server.fixes.fix_writing import Written
from lsp_server.protocol.edits import Writes, insertion_edit, workspace_edit
from lsp_server.protocol.positions import Positions

KIND = types.CodeActionKind.QuickFix
FIX_ALL = "source.fixAll.advisor"
EXPLAIN = "advisor.explain"
_FIX_ALL_TITLE = "Apply all safe fixes of Kernel Advisor"
_NOT_YET = "The edit is still being computed; ask again in a moment."
_LAST = float("inf")


@dataclass(frozen=True)
class CodeActions:
    """The code actions of a document: the analysis, the client's units, and what its edits can do.

    `opened` are the texts that the client holds, by path from the document's root.
    """

    analysis: Analysis
    positions: Positions
    writes: Writes
    opened: Mapping[str, OpenText]

    def actions(
        self,
        findings: Sequence[Finding],
        written: Sequence[Written],
        sent: Sequence[types.Diagnostic],
        wanted: types.Range,
    ) -> list[types.CodeAction]:
        """The actions for each rule with a finding among these: its fixes, to ignore it there, to explain it.

        `written` are those of them whose fixes are known; only a fix that can be applied is offered, and it
        is applied at all places of the finding. Fixes come first, of these the safe ones. Ignored is the
        place on the lines that are `wanted`. Of what the client `sent` only the data is believed.
        """
        linked = {str(item.data): item for item in sent if item.source == SOURCE}
        known = {fingerprint(one.finding): one for one in written}
        alike: dict[tuple[str, int], list[Finding]] = {}
        for finding in findings:
            line = place_on(finding, wanted).span.line
            alike.setdefault((finding.rule, line), []).append(finding)
        fixes: list[tuple[float, types.CodeAction]] = []
        ignoring: list[types.CodeAction] = []
        explaining: list[types.CodeAction] = []
        for group in alike.values():
            keys = [fingerprint(finding) for finding in group]
            shown = [linked[key] for key in keys if key in linked] or None
            fixes += self._fixes([known.get(key) for key in keys], group[0], shown)
            ignoring += self._ignoring(place_on(group[0], wanted), shown)
            explaining.append(self._explaining(group[0], shown))
        return [action for _, action in sorted(fixes, key=itemgetter(0))] + ignoring + explaining

    def _fixes(
        self, group: Sequence[Written | None], finding: Finding, linked: list[types.Diagnostic] | None
    ) -> list[tuple[float, types.CodeAction]]:
        """The fixes of the first finding of a group that has any, each with its place among all."""
        for written in filter(None, group):
            offered = sorted(self._applicable(written), key=lambda pair: _place(pair[0]))
            if offered:
                best = offered[0][0]
                return [
                    (_place(fix), _fixing(fix, edit, fix is best and fix.safety == "safe", linked))
                    for fix, edit in offered
                ]
        if not self.writes.disabled:
            return []
        reasons = {fix.title: _NOT_YET for fix in (_possible(finding) if None in group else ())}
        for fix in (fix for written in filter(None, group) for fix in written.finding.fixes):
            if fix.proof and not fix.edits:
                reasons[fix.title] = _sentence(fix.proof.in_words())
        return [(_LAST, _disabled(title, reason, linked)) for title, reason in reasons.items()]

    def _applicable(self, written: Written) -> Iterator[tuple[Fix, types.WorkspaceEdit]]:
        for fix in written.finding.fixes:
            edit = self._changing(fix.edits, written.texts) if fix.edits else None
            if edit is not None:
                yield fix, edit

    def _ignoring(
        self, finding: Finding, linked: list[types.Diagnostic] | None
    ) -> Iterator[types.CodeAction]:
        from lsp_server.fixes.suppression import suppression

        insertion = suppression(finding, self._readable)
        if insertion is not None:
            yield types.CodeAction(
                f"Ignore {finding.rule} here, with a reason",
                kind=KIND,
                diagnostics=linked,
                edit=insertion_edit(insertion, self.analysis, self.positions, self.writes),
            )

    @cached_property
    def _readable(self) -> SourceText:
        """The text, with lines that do not parse blanked."""
        from advisor.program.syntax.module import readable_source

        source = self.analysis.document.source
        return source if self.analysis.parsed else readable_source(source)[0]

    def _explaining(self, finding: Finding, linked: list[types.Diagnostic] | None) -> types.CodeAction:
        title = f"Explain {finding.rule}"
        explain = types.Command(title, EXPLAIN, arguments=[self.analysis.document.uri, finding.rule])
        return types.CodeAction(title, kind=KIND, diagnostics=linked, command=explain)

    def fix_all(self, written: Sequence[Written]) -> types.CodeAction | None:
        """The action that applies every safe fix of findings with their fixes; None without any."""
        from advisor.fixes.application import chosen

        pairs = chosen([one.finding for one in written], ["safe"])
        texts = {path: text for one in written for path, text in one.texts.items()}
        edit = self._changing({edit for _, fix in pairs for edit in fix.edits}, texts) if pairs else None
        return None if edit is None else types.CodeAction(_FIX_ALL_TITLE, kind=FIX_ALL, edit=edit)

    def _changing(self, edits: Iterable[Edit], texts: Mapping[str, str]) -> types.WorkspaceEdit | None:
        return workspace_edit(sorted(edits), texts, self.analysis, self.positions, self.writes, self.opened)


def on_lines(analysis: Analysis, wanted: types.Range) -> list[Finding]:
    """The findings with a place on the lines of a range, our own of the present text."""
    first, last = wanted.start.line + 1, wanted.end.line + 1
    return [one for one in analysis.findings if one.is_on(first, last)]


def place_on(finding: Finding, wanted: types.Range) -> Finding:
    """The finding at that of its places alone which lies on the lines of a range, the worst of several."""
    first, last = wanted.start.line + 1, wanted.end.line + 1
    places = (one for one in finding.at_each_place() if one.span.line <= last and one.span.end_line >= first)
    return next(places, finding)


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
    """The fixes that may apply to the finding, without their edits."""
    from advisor.fixes import known_fixes

    return [
        Fix(fix.title, fix.safety, fix.id, fix.condition)
        for fix in known_fixes()
        if finding.rule in fix.rules
    ]


def _fixing(
    fix: Fix, edit: types.WorkspaceEdit, preferred: bool, linked: list[types.Diagnostic] | None
) -> types.CodeAction:
    return types.CodeAction(
        _title(fix), kind=KIND, diagnostics=linked, is_preferred=preferred or None, edit=edit
    )


def _disabled(title: str, reason: str, linked: list[types.Diagnostic] | None) -> types.CodeAction:
    """An action that cannot be taken, for a client that shows why."""
    why = types.CodeActionDisabled(reason)
    return types.CodeAction(title, kind=KIND, diagnostics=linked, disabled=why)


def _place(fix: Fix) -> float:
    """Where a fix stands among others: the safe ones first, of these the one that was proven to gain most."""
    gain = fix.proof.speedup or 0.0 if fix.proof else 0.0
    return (0.0 if fix.safety == "safe" else 1e6) - min(gain, 1e5)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _title(fix: Fix) -> str:
    """What a fix does, whether it needs review (the hover names the condition), and what a run showed."""
    title = fix.title if fix.safety == "safe" else f"{fix.title} (needs review)"
    return title if fix.proof is None else f"{title} ({fix.proof.in_words()})"
