"""Loops with bounds that their bodies ask for, as a counter that begins at the first and ends at the last."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.evidence.source.kernels.counter_bounds import GuardedLoops, Term, counter_of, is_steady, terms_of

_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)


@dataclass(frozen=True)
class Counted:
    """A loop as it is to be counted: the name that counts, where it begins and which number it stays below.

    `replaced` is the assignment whose name counts in the place of the loop's own counter, None where that
    one stays.
    """

    loop: ast.For
    name: str
    low: str
    high: str
    replaced: ast.Assign | None


@dataclass(frozen=True)
class _Sum:
    """A sum of integers: a number, and terms by their text with how often they are added."""

    number: int
    terms: tuple[tuple[str, int, bool], ...]

    def __str__(self) -> str:
        parts = [(times, text, atom) for text, times, atom in self.terms]
        parts.sort(key=lambda one: one[0] < 0)
        written = ""
        for times, text, atom in parts:
            inner = text if atom or (times > 0 and abs(times) == 1) else f"({text})"
            factor = inner if abs(times) == 1 else f"{abs(times)} * {inner}"
            sign = ("-" if times < 0 else "") if not written else (" - " if times < 0 else " + ")
            if written and not atom and times == -1:
                # A product behind a minus needs no brackets, one behind a sign does.
                factor = text
            written += sign + factor
        if not written:
            return str(self.number)
        return written + (f" {'+' if self.number > 0 else '-'} {abs(self.number)}" if self.number else "")


def counted(guarded: GuardedLoops) -> list[Counted]:
    """The loops that have bounds, the outermost first."""
    found = []
    for loop in guarded.loops:
        bounds = [one for one in guarded.bounds if one.loop is loop]
        if not bounds:
            continue
        replaced = _replaced(guarded, loop)
        added = _rest(replaced, loop) if replaced is not None else []
        call = loop.iter
        assert isinstance(call, ast.Call)
        start = terms_of(call.args[0], {}) if len(call.args) == 2 else []
        lows = [start, *(list(one.terms) for one in bounds if not one.upper)]
        highs = [terms_of(call.args[-1], {}), *(list(one.terms) for one in bounds if one.upper)]
        name = _name(replaced) if replaced is not None else counter_of(loop)
        low = _extreme("max", [_sum([*added, *terms]) for terms in lows])
        high = _extreme("min", [_sum([*added, *terms]) for terms in highs])
        found.append(Counted(loop, name, low, high, replaced))
    return found


def _replaced(guarded: GuardedLoops, loop: ast.For) -> ast.Assign | None:
    """The only assignment that reads a loop's counter, where its name is the counter and something that the
    loop does not change; it can count itself.
    """
    counter = counter_of(loop)
    reads = _loads(loop, counter)
    if len(reads) != 1:
        return None
    for name, line in guarded.definitions.items():
        if not any(one is reads[0] for one in ast.walk(line.value)):
            continue
        own = [sign for sign, node in terms_of(line.value, {}) if node is reads[0]]
        place = (line.lineno, line.col_offset)
        early = any((one.lineno, one.col_offset) < place for one in _loads(loop, name))
        steady = all(is_steady(node, loop) for _, node in _rest(line, loop))
        return line if own == [1] and steady and not early else None
    return None


def _name(line: ast.Assign) -> str:
    assert isinstance(line.targets[0], ast.Name)
    return line.targets[0].id


def _loads(node: ast.AST, name: str) -> list[ast.Name]:
    return [
        one
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
    ]


def _rest(line: ast.Assign, loop: ast.For) -> list[Term]:
    """What an assignment adds to the counter of a loop."""
    counter = counter_of(loop)
    return [
        (sign, node)
        for sign, node in terms_of(line.value, {})
        if not (isinstance(node, ast.Name) and node.id == counter)
    ]


def _sum(terms: Sequence[Term]) -> _Sum:
    number = 0
    times: dict[str, tuple[int, bool]] = {}
    for sign, node in terms:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            number += sign * node.value
            continue
        text = ast.unparse(node)
        atom = isinstance(node, _ATOMS)
        times[text] = (times.get(text, (0, atom))[0] + sign, atom)
    return _Sum(number, tuple((text, count, atom) for text, (count, atom) in times.items() if count))


def _extreme(function: str, sums: Sequence[_Sum]) -> str:
    """The text of the largest or smallest of some sums; numbers are compared here."""
    numbers = [one.number for one in sums if not one.terms]
    texts = list(dict.fromkeys(str(one) for one in sums if one.terms))
    if numbers:
        texts.append(str(max(numbers) if function == "max" else min(numbers)))
    return texts[0] if len(texts) == 1 else f"{function}({', '.join(texts)})"
