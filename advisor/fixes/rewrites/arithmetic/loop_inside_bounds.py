"""Bounds a loop by the conditions on the counter in its body, and counts in a `while`."""

# /// fix
# title = "Loop only over what lies inside the bounds"
# safety = "needs review"
# rules = ["bounds-asked-in-loop"]
# condition = "what the counter is compared with are signed integers"
# ///

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.evidence.source.kernels.bounds.counter_bounds import (
    GuardedLoops,
    Term,
    counter_of,
    guarded_loops,
    is_steady,
    terms_of,
)
from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import end_with_comments, unindented, without_line
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import ARRAY_QUESTIONS, around
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.last_values import is_read_after
from advisor.fixes.support.values.integer_names import is_integer, is_local
from advisor.model.findings import Edit
from advisor.program.syntax.statement_places import LOOPS, StatementPlaces

_HEAD_END = re.compile(r"[ \t)\\\r\n]*:[ \t]*(#[^\r\n]*)?(\r\n|\r|\n)")
_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)


@dataclass(frozen=True)
class _Guard:
    """The question of a finding with the loops whose counters it bounds."""

    node: ast.If
    loops: GuardedLoops


def edits(place: Place) -> list[Edit] | None:
    """The edits of the loops' heads, the lines behind their bodies and the question; None where a value that
    the loops leave behind is read, where a bound may be no integer, and where `continue` would leave out the
    count.
    """
    module, function = place.module, place.function()
    if function is None or module.on_header_line(function):
        return None
    guard = _guard(module, function, place.begin)
    if guard is None or not guard.loops.bounds or _rebound(module, function):
        return None
    found = _counted(guard.loops)
    if not _may_be_counted(place, function, guard):
        return None
    removed = [without_line(module, one.replaced) for one in found if one.replaced is not None]
    lines = [one for one in removed if one is not None]
    question = _without_question(module, guard)
    if len(lines) != len(removed) or question is None:
        return None
    names = KernelBody(module, function).free_names(*(f"{one.name}_end" for one in found))
    heads = [_head(module, one, end) for one, end in zip(found, names, strict=True)]
    return sorted([*heads, *_steps(module, found), *lines, *question])


def _rebound(module: SourceModule, function: ast.FunctionDef) -> bool:
    """Whether a name of Python that the edits use or rely on stands for something else."""
    names = ("range", "max", "min")
    return any(is_local(module, function, name) or module.bindings(name, None) for name in names)


def _guard(module: SourceModule, function: ast.FunctionDef, begin: int) -> _Guard | None:
    for node in module.nodes_in(ast.If, function.body):
        if module.range_of(node.test)[0] == begin:
            loops = [one for one in reversed(around(module, node, function)) if isinstance(one, LOOPS)]
            found = guarded_loops(node, loops)
            return _Guard(node, found) if found is not None else None
    return None


def _may_be_counted(place: Place, function: ast.FunctionDef, guard: _Guard) -> bool:
    """Whether fewer iterations of the loops, counted in a `while`, change nothing that is read."""
    module, changed = place.module, {one.loop for one in guard.loops.bounds}
    first = next(one for one in guard.loops.loops if one in changed)
    places = StatementPlaces(function.body)
    if any(places.is_left_by(loop, ast.Continue) for loop in changed):
        return False
    inside = guard.loops.loops[guard.loops.loops.index(first) :]
    names = {counter_of(loop) for loop in inside} | {
        target.id
        for loop in inside
        for line in loop.body[:-1]
        if isinstance(line, ast.Assign)
        for target in line.targets
        if isinstance(target, ast.Name)
    }
    if any(is_read_after(module, function, first, name) for name in names):
        return False
    terms = [node for bound in guard.loops.bounds for _, node in bound.terms]
    return all(_is_integer(place, function, term) for term in terms)


def _is_integer(place: Place, function: ast.FunctionDef, node: ast.AST) -> bool:
    """Whether the names of a bound are integers; a field of a record may be anything, and be stored to."""
    if isinstance(node, ast.Name):
        return is_integer(place, function, node.id)
    if isinstance(node, ast.Attribute):
        base = node.value
        own = isinstance(base, ast.Name) and is_local(place.module, function, base.id)
        return not own or node.attr in ARRAY_QUESTIONS
    return all(_is_integer(place, function, one) for one in ast.iter_child_nodes(node))


def _head(module: SourceModule, one: _Counted, end: str) -> Edit:
    begin, indent = module.range_of(one.loop)[0], module.indentation(one.loop)
    lines = [f"{end} = {one.high}", f"{one.name} = {one.low}", f"while {one.name} < {end}"]
    return Edit(begin, module.outer_range(one.loop.iter)[1], f"{module.line_end}{indent}".join(lines))


def _steps(module: SourceModule, found: list[_Counted]) -> list[Edit]:
    """The edits that count behind the bodies, the innermost first where several end at one place."""
    texts: dict[int, str] = {}
    for one in reversed(found):
        deeper = module.indentation(one.loop.body[0])
        last = module.range_of(one.loop.body[-1])[1]
        place = end_with_comments(module.text, last, module.indentation(one.loop))
        texts[place] = f"{texts.get(place, '')}{module.line_end}{deeper}{one.name} += 1"
    return [Edit(place, place, text) for place, text in texts.items()]


def _without_question(module: SourceModule, guard: _Guard) -> list[Edit] | None:
    """The edits that leave of a question what is no bound; None for forms that cannot be read."""
    node, test = guard.node, guard.node.test
    if guard.loops.kept:
        text = " and ".join(ast.unparse(one) for one in guard.loops.kept)
        return [module.replaced(test, text)]
    head = _HEAD_END.match(module.text, module.range_of(test)[1])
    begin, end = module.range_of(node)
    indent, deeper = module.indentation(node), module.indentation(node.body[0])
    if head is None or not module.begins_line(node):
        return None
    comment = f"{indent}{head.group(1)}{head.group(2)}" if head.group(1) else ""
    less = unindented(module, head.end(), end_with_comments(module.text, end, indent), indent, deeper)
    return None if less is None else [Edit(module.line_start(begin), head.end(), comment), *less]


@dataclass(frozen=True)
class _Counted:
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


def _counted(guarded: GuardedLoops) -> list[_Counted]:
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
        found.append(_Counted(loop, name, low, high, replaced))
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
