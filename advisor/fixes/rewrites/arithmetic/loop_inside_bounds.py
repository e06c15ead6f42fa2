"""Bounds a loop by what its body asks of the counter, and counts in a `while`."""

# /// fix
# title = "Loop over what lies inside the bounds alone"
# safety = "needs review"
# rules = ["bounds-asked-in-loop"]
# condition = "what the counter is compared with are signed integers"
# ///

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from advisor.evidence.source.kernels.counter_bounds import GuardedLoops, counter_of, guarded_loops
from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import end_with_comments, has_long_text, without_line
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import ARRAY_QUESTIONS, around
from advisor.fixes.support.kernel.bounded_counters import Counted, counted
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.last_values import is_read_after
from advisor.fixes.support.values.integer_names import is_integer, is_local
from advisor.model.findings import Edit
from advisor.program.syntax.statement_places import LOOPS, StatementPlaces

_HEAD_END = re.compile(r"[ \t)\\\r\n]*:[ \t]*(#[^\r\n]*)?(\r\n|\r|\n)")


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
    found = counted(guard.loops)
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


def _head(module: SourceModule, one: Counted, end: str) -> Edit:
    begin, indent = module.range_of(one.loop)[0], module.indentation(one.loop)
    lines = [f"{end} = {one.high}", f"{one.name} = {one.low}", f"while {one.name} < {end}"]
    return Edit(begin, module.outer_range(one.loop.iter)[1], f"{module.line_end}{indent}".join(lines))


def _steps(module: SourceModule, found: list[Counted]) -> list[Edit]:
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
    if head is None or not module.begins_line(node) or has_long_text(module, begin, end):
        return None
    comment = f"{indent}{head.group(1)}{head.group(2)}" if head.group(1) else ""
    found = [Edit(module.line_start(begin), head.end(), comment)]
    end, place = end_with_comments(module.text, end, indent), head.end()
    for line in module.text[place:end].splitlines(keepends=True):
        if line.startswith(deeper):
            found.append(Edit(place, place + len(deeper) - len(indent), ""))
        elif line.strip() and not line.strip().startswith("#"):
            return None
        place += len(line)
    return found
