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

import libcst as cst

from advisor.evidence.source.kernels.counter_bounds import GuardedLoops, counter_of, guarded_loops
from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import end_with_comments, without_line
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.edits.syntax_places import SyntaxPlaces
from advisor.fixes.support.kernel.assigned_names import ARRAY_QUESTIONS
from advisor.fixes.support.kernel.bounded_counters import Counted, counted
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.last_values import is_read_after
from advisor.fixes.support.values.integer_names import is_integer, is_local
from advisor.model.findings import Edit

_HEAD_END = re.compile(r"[ \t)\\\r\n]*:[ \t]*(#[^\r\n]*)?(\r\n|\r|\n)")
_LOOPS = (ast.For, ast.While, ast.AsyncFor)


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
    if function is None or not isinstance(function.body, cst.IndentedBlock):
        return None
    try:
        syntax = SyntaxPlaces(module)
    except (SyntaxError, RecursionError, ValueError):
        return None
    guard = _guard(syntax, place.begin)
    if guard is None or not guard.loops.bounds or _rebound(module, function):
        return None
    found = counted(guard.loops)
    if not _may_be_counted(place, function, syntax, guard):
        return None
    removed = [_without(module, syntax, one.replaced) for one in found if one.replaced is not None]
    lines = [one for one in removed if one is not None]
    question = _without_question(module, syntax, guard)
    if len(lines) != len(removed) or question is None:
        return None
    names = KernelBody(module, function).free_names(*(f"{one.name}_end" for one in found))
    heads = [_head(module, syntax, one, end) for one, end in zip(found, names, strict=True)]
    return sorted([*heads, *_steps(module, syntax, found), *lines, *question])


def _rebound(module: SourceModule, function: cst.FunctionDef) -> bool:
    """Whether a name of Python that the edits use or rely on stands for something else."""
    names = ("range", "max", "min")
    return any(is_local(module, function, name) or module.bindings(name, None) for name in names)


def _guard(syntax: SyntaxPlaces, begin: int) -> _Guard | None:
    for node, around in syntax.questions():
        if syntax.begin(node.test) == begin:
            loops = [one for one in around if isinstance(one, _LOOPS)]
            found = guarded_loops(node, loops)
            return _Guard(node, found) if found is not None else None
    return None


def _may_be_counted(place: Place, function: cst.FunctionDef, syntax: SyntaxPlaces, guard: _Guard) -> bool:
    """Whether fewer iterations of the loops, counted in a `while`, change nothing that is read."""
    module, changed = place.module, {one.loop for one in guard.loops.bounds}
    first = next(one for one in guard.loops.loops if one in changed)
    outer = syntax.at(cst.For, first)
    if outer is None or any(_skips(loop) for loop in changed):
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
    if any(is_read_after(module, function, outer, name) for name in names):
        return False
    terms = [node for bound in guard.loops.bounds for _, node in bound.terms]
    return all(_is_integer(place, function, term) for term in terms)


def _is_integer(place: Place, function: cst.FunctionDef, node: ast.AST) -> bool:
    """Whether the names of a bound are integers; a field of a record may be anything, and be stored to."""
    if isinstance(node, ast.Name):
        return is_integer(place, function, node.id)
    if isinstance(node, ast.Attribute):
        base = node.value
        own = isinstance(base, ast.Name) and is_local(place.module, function, base.id)
        return not own or node.attr in ARRAY_QUESTIONS
    return all(_is_integer(place, function, one) for one in ast.iter_child_nodes(node))


def _skips(loop: ast.For) -> bool:
    """Whether a loop has a `continue` of its own."""
    waiting: list[ast.AST] = list(loop.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Continue):
            return True
        if not isinstance(node, _LOOPS):
            waiting += ast.iter_child_nodes(node)
    return False


def _head(module: SourceModule, syntax: SyntaxPlaces, one: Counted, end: str) -> Edit:
    begin = syntax.begin(one.loop)
    indent = module.text[module.line_start(begin) : begin]
    lines = [f"{end} = {one.high}", f"{one.name} = {one.low}", f"while {one.name} < {end}"]
    return Edit(begin, syntax.end(one.loop.iter), f"{module.line_end}{indent}".join(lines))


def _steps(module: SourceModule, syntax: SyntaxPlaces, found: list[Counted]) -> list[Edit]:
    """The edits that count behind the bodies, the innermost first where several end at one place."""
    texts: dict[int, str] = {}
    for one in reversed(found):
        begin, first = syntax.begin(one.loop), syntax.begin(one.loop.body[0])
        indent = module.text[module.line_start(begin) : begin]
        deeper = module.text[module.line_start(first) : first]
        place = end_with_comments(module.text, syntax.end(one.loop.body[-1]), indent)
        texts[place] = f"{texts.get(place, '')}{module.line_end}{deeper}{one.name} += 1"
    return [Edit(place, place, text) for place, text in texts.items()]


def _without(module: SourceModule, syntax: SyntaxPlaces, line: ast.Assign) -> Edit | None:
    statement = syntax.at(cst.SimpleStatementLine, line)
    return None if statement is None else without_line(module, statement)


def _without_question(module: SourceModule, syntax: SyntaxPlaces, guard: _Guard) -> list[Edit] | None:
    """The edits that leave of a question what is no bound; None for forms that cannot be read."""
    node, test = guard.node, guard.node.test
    if guard.loops.kept:
        text = " and ".join(ast.unparse(one) for one in guard.loops.kept)
        return [Edit(syntax.begin(test), syntax.end(test), text)]
    head = _HEAD_END.match(module.text, syntax.end(test))
    begin, first = syntax.begin(node), syntax.begin(node.body[0])
    indent = module.text[module.line_start(begin) : begin]
    deeper = module.text[module.line_start(first) : first]
    if head is None or indent.strip() or not deeper.startswith(indent) or syntax.has_long_text(node):
        return None
    comment = f"{indent}{head.group(1)}{head.group(2)}" if head.group(1) else ""
    found = [Edit(module.line_start(begin), head.end(), comment)]
    end, place = end_with_comments(module.text, syntax.end(node), indent), head.end()
    for line in module.text[place:end].splitlines(keepends=True):
        if line.startswith(deeper):
            found.append(Edit(place, place + len(deeper) - len(indent), ""))
        elif line.strip() and not line.strip().startswith("#"):
            return None
        place += len(line)
    return found
