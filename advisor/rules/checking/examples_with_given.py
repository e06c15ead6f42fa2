"""The values that the examples of a rule share: put into each of them, and an error where none takes them."""

from __future__ import annotations

from dataclasses import replace

from advisor.rules.language.drafts import RuleDraft
from advisor.rules.language.problems import Complaints
from advisor.rules.model import Example


def examples_with_given(draft: RuleDraft) -> tuple[Example, ...]:
    """The examples of a rule with all their values.

    An example's own value stands in the place of the shared one of that name. Examples on files have none.
    """
    given = dict(value for value, _ in draft.given)
    return tuple(
        one if one.file else replace(one, values=tuple({**given, **dict(one.values)}.items()))
        for one in draft.examples
    )


def check_given(draft: RuleDraft, complaints: Complaints) -> None:
    """Complain about shared values that are given twice, or that no example takes."""
    known: set[tuple[str, ...]] = set()
    for (parts, _), span in draft.given:
        if parts in known:
            name = ".".join(parts)
            complaints.add("E303", span, kind="a value of", name=name, place="this `given`")
        known.add(parts)
    if "example" in draft.broken or not draft.examples:
        # What needs a value may be what could not be read, or is not there yet.
        return
    own = [{parts for parts, _ in example.values} for example in draft.examples if not example.file]
    idle = set[tuple[str, ...]].intersection(known, *own)
    if draft.given and idle == known:
        complaints.add("E340", draft.clauses["given"][0])
        return
    for (parts, _), span in draft.given:
        if parts in idle:
            complaints.add("E341", span, name=".".join(parts))
