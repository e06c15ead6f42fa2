"""Which sort of name is looked for at a place where the grammar takes one."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from lsp_server.rule_files.completion.place import Place
from lsp_server.rule_files.text.expression_names import FUNCTIONS
from lsp_server.rule_files.text.words import reserved

Sort: TypeAlias = Literal[
    "entity", "unit", "variable", "new", "rule", "own id", "pattern", "param", "example", "value", "nothing"
]
_QUANTIFIERS = ("some", "every", "no")
_WITH_EXPRESSION = (
    "when",
    "unless",
    "remark",
    "once",
    "let",
    "gain",
    "without",
    "define",
    "suppress",
    "except",
)


class Sought(NamedTuple):
    """The sort of name, and what it belongs to where that decides."""

    sort: Sort
    of: str = ""


_NOTHING = Sought("nothing")


def sought(place: Place) -> Sought:
    """The sort of name that is looked for."""
    words = [word.text for word in place.before]
    if not words:
        return _NOTHING
    kind = place.clause.kind if place.clause is not None else place.item.kind if place.item else ""
    found = {
        "for": _in_for,
        "metric": _in_metric,
        "entity": _in_entity,
        "override": _in_override,
        "given": _in_example,
        "example": _in_example,
    }.get(kind)
    if found is not None:
        return found(words)
    if kind in ("see", "renamed", "retired", "rule") or (kind == "suppress" and len(words) == 1):
        return _id(kind, words)
    if kind == "except" and "when" not in words:
        return _in_exception(words)
    if kind == "covers":
        return Sought("pattern")
    if kind in ("param", "define", "let") and "=" not in words:
        return _NOTHING
    said_where = kind == "say" and "when" in words
    return _in_expression(words) if said_where or kind in _WITH_EXPRESSION else _NOTHING


def _id(kind: str, words: list[str]) -> Sought:
    if kind == "rule":
        return Sought("own id") if len(words) == 1 else _NOTHING
    if kind == "retired" or (kind == "renamed" and words[-1] != "to"):
        return _NOTHING
    return Sought("rule")


def _in_for(words: list[str]) -> Sought:
    """`for each access a of kernel k`."""
    if len(words) == 2:
        return Sought("entity")
    if len(words) in (3, 6):
        return Sought("new", words[-1])
    return Sought("entity", words[2]) if len(words) == 5 else _NOTHING


def _in_metric(words: list[str]) -> Sought:
    if "=" in words:
        return _in_expression(words)
    if words[-1] in (":", "/"):
        return Sought("unit")
    if words[-1] == "of":
        return Sought("entity")
    return Sought("new", words[-1]) if len(words) > 1 and words[-2] == "of" else _NOTHING


def _in_entity(words: list[str]) -> Sought:
    if words[-1] in (":", "/"):
        return Sought("unit")
    return Sought("entity") if words[-1] == "of" else _NOTHING


def _in_exception(words: list[str]) -> Sought:
    """`except a-rule, b-rule for launch l`, or `for x` alone."""
    if "for" not in words:
        return Sought("rule")
    behind = len(words) - words.index("for")
    return Sought("entity") if behind == 1 else Sought("new", words[-1]) if behind == 2 else _NOTHING


def _in_override(words: list[str]) -> Sought:
    if len(words) == 1:
        return Sought("rule")
    return Sought("param", words[1]) if words[-1] == "set" else _NOTHING


def _in_example(words: list[str]) -> Sought:
    return Sought("example") if words[-1] in ("{", ",") else _NOTHING


def _in_expression(words: list[str]) -> Sought:
    counted = words[-2:] == ["number", "of"]
    if words[-1] in _QUANTIFIERS or counted:
        return Sought("entity")
    if len(words) > 1 and (words[-2] in _QUANTIFIERS or words[-3:-1] == ["number", "of"]):
        return Sought("new", words[-1])
    if words[-1] == "of" and ("".join(words[-4:-3]) in _QUANTIFIERS or words[-5:-3] == ["number", "of"]):
        return Sought("variable")
    if words[-1] == "(" and len(words) > 1 and _calls(words[-2]):
        return Sought("variable")
    return Sought("value")


def _calls(word: str) -> bool:
    """Whether a word before a bracket is the name of a definition."""
    return word.isidentifier() and word not in reserved() and word not in FUNCTIONS
