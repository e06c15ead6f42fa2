"""Rule names as users write them: an id, a category, a glob; and what they select."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from advisor.model.errors import UsageError


def suggestion(word: str, known: Iterable[str]) -> str:
    """The sentence "Did you mean …?" with a leading blank, or "" when nothing known is close to `word`."""
    names = {name.lower().replace("_", "-"): name for name in known}
    close = difflib.get_close_matches(word.lower().replace("_", "-"), names, n=1, cutoff=0.6)
    return f" Did you mean `{names[close[0]]}`?" if close else ""


def matches(selector: str, rule: str, category: str) -> bool:
    """Whether `selector` (an id, a category, `all` or a glob on ids) names the rule."""
    return selector in (rule, category, "all") or (
        any(mark in selector for mark in "*?[") and fnmatchcase(rule, selector)
    )


def select_rules(
    categories: Mapping[str, str],
    select: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> frozenset[str]:
    """The ids that remain of `categories` (rule id to category): `select` (all when empty) plus
    `extend_select` less `ignore`; of an id and a wider selector the id decides.

    Raises UsageError naming each selector that names no rule, with a suggestion.
    """
    check_selectors((*select, *extend_select, *ignore), categories)
    return frozenset(
        rule
        for rule, category in categories.items()
        if _strength(select or ("all",), rule, category) > _strength(ignore, rule, category)
        or _strength(extend_select, rule, category) > _strength(ignore, rule, category)
    )


def check_selectors(selectors: Iterable[str], categories: Mapping[str, str], place: str = "") -> None:
    """Raise UsageError when a selector names no rule. `place` begins each message."""
    known = {*categories, *categories.values(), "all"}
    problems = [
        f"{place}unknown rule `{selector}`.{suggestion(selector, known)}"
        for selector in dict.fromkeys(selectors)
        if not any(matches(selector, rule, category) for rule, category in categories.items())
    ]
    if problems:
        raise UsageError("\n".join(problems))


def _strength(selectors: Iterable[str], rule: str, category: str) -> int:
    """3 for the id itself, 2 for a glob, 1 for a category, 0 when nothing names the rule."""
    best = 0
    for selector in selectors:
        if selector == rule:
            return 3
        if matches(selector, rule, category):
            best = max(best, 1 if selector in (category, "all") else 2)
    return best
