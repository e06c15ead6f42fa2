"""What the grammar accepts behind the beginning of an item or a clause."""

from __future__ import annotations

import re

from advisor.rules.language.parse_tables import lark_parser
from lsp_server.rule_files.text.words import terminal

END = "$END"
# Terminals that stand for a few words; what they are, the grammar says.
_CHOICES = (
    "QUANTIFIER", "SCOPE", "FUNCTION", "LEVEL", "DEGREE", "GAIN_KIND", "SAFETY", "VERDICT", "EVIDENCE",
)  # fmt: skip
_LONGEST = 20_000


def accepted(begun: str, start: str) -> frozenset[str] | None:
    """The terminals that may follow the beginning of an "item" or a "clause"; None where that is none."""
    from lark.exceptions import LarkError

    if len(begun) > _LONGEST:
        return None
    try:
        parser = lark_parser().parse_interactive(begun, start=start)
        parser.exhaust_lexer()
        found: set[str] = parser.accepts()  # type: ignore[no-untyped-call]
        return frozenset(found)
    except (LarkError, RecursionError):
        return None


def words_for(terminals: frozenset[str]) -> list[str]:
    """The words of the language that terminals stand for, names and numbers left out."""
    found: list[str] = []
    for name in sorted(terminals):
        if name in _CHOICES:
            found += choices(name)
        elif name.startswith("_") and not name.startswith("__"):
            found.append(name.strip("_").lower())
    return found


def choices(name: str) -> list[str]:
    """The words that a terminal stands for."""
    pattern = re.sub(r"\(\?=.*$|\\b", "", terminal(name)).replace(r"\s+", " ")
    return pattern.strip("()").split("|")
