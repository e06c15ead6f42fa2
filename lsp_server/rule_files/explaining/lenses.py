"""What the lenses over a rule say, and the longer text behind each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from advisor.rules.model import Rule
from advisor.rules.testing.coverage import RuleCoverage, cover
from lsp_server.rule_files.explaining.firing import Evidence, Firing, firing_of
from lsp_server.rule_files.snapshot import Snapshot
from lsp_server.rule_files.text.words import Word

LensKind: TypeAlias = Literal["examples", "mutants", "kernels"]
KINDS: tuple[LensKind, ...] = ("examples", "mutants", "kernels")
_BROKEN = "not loaded, for it has errors"
_MOST_TOLD = 12


class Said(NamedTuple):
    """What a lens says, and the lines that tell more; no lines where there is no more."""

    title: str
    lines: tuple[str, ...] = ()


def rules_in(snapshot: Snapshot) -> Iterator[tuple[Word, Rule | None]]:
    """The name of each rule of a document, and the rule where it has no errors."""
    for item in snapshot.reading.items:
        if item.kind == "rule" and item.name is not None and item.name.kind == "id":
            yield item.name, rule_of(snapshot, item.name.text)


def rule_of(snapshot: Snapshot, name: str) -> Rule | None:
    """The document's rule of that name, None for one with errors."""
    rule = snapshot.book.rule(name)
    return rule if rule is not None and rule.path == snapshot.path else None


def said(kind: str, name: str, snapshot: Snapshot, evidence: Evidence | None = None) -> Said:
    """What a lens says of a rule; `evidence` is needed for the kernels of the workspace."""
    rule = rule_of(snapshot, name)
    if rule is None:
        return Said(_BROKEN)
    if kind == "examples":
        return _examples(_covered(rule, snapshot), rule)
    if kind == "mutants":
        return _mutants(_covered(rule, snapshot))
    if evidence is None or evidence.tables is None:
        return Said("kernels of this workspace not looked at")
    return _kernels(firing_of(rule, snapshot.book, evidence))


def _covered(rule: Rule, snapshot: Snapshot) -> RuleCoverage:
    """The coverage of a rule; an edit elsewhere leaves the rule the same object."""
    known = snapshot.opened.covered
    if id(rule) not in known or known[id(rule)].rule is not rule:
        if len(known) > 2 * len(snapshot.book.rules):
            known.clear()
        (known[id(rule)],) = cover(snapshot.book, [rule])
    return known[id(rule)]


def _examples(covered: RuleCoverage, rule: Rule) -> Said:
    holding = covered.examples - len(covered.failures)
    on_files = sum(bool(example.file) for example in rule.examples)
    more = f", {on_files} on files not run here" if on_files else ""
    lines = tuple(str(failure) for failure in covered.failures)
    verb = "holds" if covered.examples == 1 else "hold"
    return Said(f"{holding} of {_counted(covered.examples, 'example')} {verb}{more}", lines)


def _mutants(covered: RuleCoverage) -> Said:
    if covered.failures:
        return Said("no mutants made while an example fails")
    lines = tuple(
        f"Line {mutant.span.line}: {mutant.sentence}: every example keeps its verdict."
        for mutant in covered.surviving
    )
    return Said(f"{covered.killed} of {_counted(covered.mutants, 'mutant')} killed", lines)


def _kernels(firing: Firing) -> Said:
    if firing.places is not None:
        return Said(f"fires at {_counted(len(firing.places), 'place')} of this workspace", firing.places)
    if not firing.kernels:
        return Said("no kernels in this workspace")
    more = f", undecided on {firing.undecided}" if firing.undecided else ""
    kernels = _counted(firing.kernels, "kernel")
    return Said(f"fires on {len(firing.fires_on)} of {kernels} of this workspace{more}", firing.fires_on)


def message_of(name: str, told: Said) -> str:
    """The text that a click on a lens shows."""
    return "\n".join([f"{name}: {told.title}.", *_cut(told.lines)])


def _cut(lines: Sequence[str]) -> list[str]:
    left = len(lines) - _MOST_TOLD
    return [*lines[:_MOST_TOLD], *([f"and {left} more."] if left > 0 else [])]


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
