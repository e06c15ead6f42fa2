"""The form of rule files: items, clauses, fields, examples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from advisor.rules.formatting.conditions import set_condition
from advisor.rules.formatting.fields import set_fields
from advisor.rules.formatting.page import WIDTH, Blank, Page, width
from advisor.rules.formatting.tokens import ASSIGNMENT, KEYWORD, RuleFile, Word

_STEP = 2
_CONTINUED = 4
_GROUPS = (("for_each", "param", "let"), ("when", "unless", "doubt", "once"), ("given", "example"))
# `for each branch b of kernel k` and `when b.divided` with nothing between them.
_ONE_SENTENCE = ("for_each", "when")
_BESIDE_EACH_OTHER = ("severity", "confidence", "effort")
# The keyword or the kind of the word behind which the condition of a clause or an item begins.
_BEFORE_CONDITION = {
    "when": "when", "unless": "unless", "doubt": "doubt", "once": "by", "let": "EQUAL", "gain": "GAIN_KIND",
    "without": "ARROW",
    "define": "EQUAL", "metric": "EQUAL", "suppress": "where",
}  # fmt: skip
# The clause whose parts stand on lines of their own, however short they are.
_SPREAD = "when"
_APART = ("rule", "entity", "except")
_TOGETHER = {("edition", "pack"), ("renamed", "retired"), ("retired", "renamed")}


def laid_out(file: RuleFile) -> str:
    """The text of a rule file in the form of the shipped rules."""
    page = Page()
    before = ""
    for item in file.items:
        blank = _blank_between_items(before, item.kind)
        if item.kind in ("rule", "entity", "override"):
            _set_braced(page, item.kind, item.words, blank)
        else:
            page.begin(item.words[0], 0, blank)
            _set_line(page, item.kind, item.words, 0)
        before = item.kind
    own_lines = [comment.after_blank for comment in file.ending if comment.own_line]
    if own_lines and not before:
        own_lines[0] = False
    page.remark(file.ending, 0, own_lines)
    return page.text()


def _blank_between_items(before: str, kind: str) -> Blank:
    if not before:
        return Blank.FIRST
    alike = before == kind and kind not in _APART
    return Blank.AS_WRITTEN if alike or (before, kind) in _TOGETHER else Blank.ALWAYS


def _set_braced(page: Page, kind: str, words: Sequence[Word], blank: Blank) -> None:
    starts = [index for index, word in enumerate(words) if word.begins not in ("", ASSIGNMENT)]
    opened = starts[0] if starts else len(words) - 1
    closing = words[-1]
    page.begin(words[0], 0, blank)
    page.put_all(words[1 : opened - 1], _CONTINUED)
    page.put(words[opened - 1], 0)
    parts = [words[start:end] for start, end in pairwise([*starts, len(words) - 1])]
    if kind == "override" and len(parts) == 1 and _on_one_line(words[opened:]):
        page.put_all(words[opened:], _CONTINUED)
        return
    if kind == "entity":
        set_fields(page, parts, _STEP)
    else:
        _set_clauses(page, parts)
    if parts or closing.comments:
        page.begin(closing, 0, Blank.LAST, _STEP)
    else:
        page.put(closing, 0, "")


def _set_clauses(page: Page, clauses: Sequence[Sequence[Word]]) -> None:
    before: Sequence[Word] = ()
    for clause in clauses:
        kind = clause[0].begins
        if before and not clause[0].comments and _belong_on_one_line(before, clause):
            page.put(clause[0], _STEP, "  ")
        else:
            page.begin(clause[0], _STEP, _blank_between(before, clause))
        _set_line(page, kind, clause, _STEP)
        before = clause


def _blank_between(before: Sequence[Word], clause: Sequence[Word]) -> Blank:
    if not before:
        return Blank.FIRST
    kinds = before[0].begins, clause[0].begins
    same = _group(kinds[0]) == _group(kinds[1]) or kinds == _ONE_SENTENCE
    return Blank.BESIDE_COMMENTS if same else Blank.SOMEWHERE


def _belong_on_one_line(before: Sequence[Word], clause: Sequence[Word]) -> bool:
    """Whether two clauses are of one word each, as `confidence high` and `effort low` are."""
    return all(len(one) == 2 and one[0].begins in _BESIDE_EACH_OTHER for one in (before, clause))


def _group(kind: str) -> int:
    return next((number for number, group in enumerate(_GROUPS) if kind in group), -1)


def _set_line(page: Page, kind: str, words: Sequence[Word], indent: int) -> None:
    """Set a clause or an item whose first word is there already."""
    if kind in _BEFORE_CONDITION:
        _set_with_condition(page, _BEFORE_CONDITION[kind], words, indent)
    elif kind == "try_":
        column = page.column + 1
        page.put(words[1], column)
        for advice in words[2:]:
            page.begin(advice, column)
    elif kind == "except":
        _set_exception(page, words, indent)
    elif kind == "say_when":
        _set_sentence(page, words, indent)
    elif kind in ("given", "example"):
        _set_values(page, words, indent)
    else:
        page.put_all(words[1:], indent + _CONTINUED)


def _set_exception(page: Page, words: Sequence[Word], indent: int) -> None:
    """Write the rules of an exception, several on lines of their own, and its condition."""
    end = next(index for index, word in enumerate(words) if _keyword(word) == "for")
    when = next(index for index, word in enumerate(words) if _keyword(word) == "when")
    because = next(index for index, word in enumerate(words) if _keyword(word) == "because")
    several = end > len(("except", "rule"))
    for word in words[1:end]:
        if several and word.kind != ",":
            page.begin(word, indent + _STEP)
        else:
            page.put(word, indent + _CONTINUED)
    page.begin(words[end], indent + _STEP)
    page.put_all(words[end + 1 : when + 1], indent + _CONTINUED)
    set_condition(page, words[when + 1 : because], page.column + 1, spread=False)
    page.put_all(words[because:], indent + _CONTINUED)


def _set_sentence(page: Page, words: Sequence[Word], indent: int) -> None:
    """Write a sentence and its condition, on a line of its own where both do not fit on one."""
    when = next(index for index, word in enumerate(words) if _keyword(word) == "when")
    page.put_all(words[1:when], indent + _CONTINUED)
    if page.column + 1 + width(words[when:]) > WIDTH:
        page.begin(words[when], indent + _CONTINUED)
    else:
        page.put(words[when], indent + _CONTINUED)
    set_condition(page, words[when + 1 :], page.column + 1, spread=False)


def _set_with_condition(page: Page, opener: str, words: Sequence[Word], indent: int) -> None:
    openers = (i for i, word in enumerate(words, 1) if opener in (word.kind, _keyword(word)))
    ends = (i for i, word in enumerate(words) if _keyword(word) == "because")
    start, end = next(openers, len(words)), next(ends, len(words))
    page.put_all(words[1:start], indent + _CONTINUED)
    column, condition = page.column + 1, words[start:end]
    if column > WIDTH // 2 and column + width(condition) > WIDTH:
        # Behind a long description hardly anything fits.
        page.break_line()
        column = indent + _CONTINUED
    set_condition(page, condition, column, spread=_keyword(words[0]) == _SPREAD)
    page.put_all(words[end:], indent + _CONTINUED)


def _keyword(word: Word) -> str:
    return word.text if word.kind == KEYWORD else ""


def _set_values(page: Page, words: Sequence[Word], indent: int) -> None:
    """Write the values of an example, or those that examples share, on one line or a line each."""
    opened = 1 + next(index for index, word in enumerate(words) if word.kind == "{")
    page.put_all(words[1:opened], indent + _CONTINUED)
    inside, closing = words[opened:-1], words[-1]
    if _on_one_line(words[opened:]):
        page.put_all(inside, indent + _CONTINUED)
        page.put(closing, indent, None if inside else "")
        return
    blank = Blank.FIRST
    for word in inside:
        if word.begins == ASSIGNMENT:
            page.begin(word, indent + _STEP, blank)
            blank = Blank.BESIDE_COMMENTS
        else:
            page.put(word, indent + _STEP + _CONTINUED)
    page.begin(closing, indent, Blank.LAST, indent + _STEP)


def _on_one_line(inside: Sequence[Word]) -> bool:
    """Whether what stands between braces was begun on the line of its opening brace and has no comments."""
    return not inside[0].new_line and not any(word.comments for word in inside)
