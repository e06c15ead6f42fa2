"""Gives each element of the runs that threads walk a thread of its own, with as many more blocks."""

# /// fix
# title = "Give each element a thread of its own"
# phase = 1
# safety = "needs review"
# rules = ["uncoalesced-access"]
# needs_kernel = true
# condition = """
# all launches of the kernel are those that were found, the arrays that are stored to overlap no other \
# array, and floating-point sums by atomic additions may come in another order, as those of different \
# threads always do"""
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import end_with_comments, unindented
from advisor.fixes.support.kernel.assigned_names import assigned_in, is_text, words_in
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.kernel.thread_axes import INDEX_NAMES, cuda_parts
from advisor.fixes.support.kernel.thread_runs import ThreadRun, run_around
from advisor.fixes.support.kernel.walked_kernel import (
    has_one_value,
    is_followed,
    is_in_loop,
    walked_kernel,
)
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.fixes.support.launches.launch_sizes import is_whole_number
from advisor.fixes.support.values.independent_iterations import iterations_are_independent
from advisor.model.findings import Edit
from advisor.program.syntax.literals import written_integer


def edits(place: Place) -> list[Edit] | None:
    """The edits of the kernel and of the grid of all its launches; None where the kernel does anything else
    with its threads, or where the length of the run is not known at a launch.
    """
    body = own_kernel(place)
    run = run_around(place, body) if body is not None else None
    if body is None or run is None or not _is_all(body, run):
        return None
    inner = _inner_edits(body, run)
    sites = place.launches()
    if inner is None or not sites:
        return None
    found = place.in_file(body.module, inner)
    for site in sites:
        length = _known_at(site, body, run)
        if length is None or not is_whole_number(site, site.grid):
            return None
        grid = site.module.code_of(site.grid)
        more = f"({grid}) * {length}" if isinstance(site.grid, ast.BinOp) else f"{grid} * {length}"
        found += place.in_file(site.module, [Edit(*site.module.outer_range(site.grid), more)])
    return found


def _is_all(body: KernelBody, run: ThreadRun) -> bool:
    """Whether the loop is all that a kernel does, and each of its iterations may have a thread of its own."""
    module, function = body.module, body.function
    asked = {name for _, name in cuda_parts(module, function.body)}
    ends = any(True for _ in module.nodes_in((ast.Break, ast.Continue), run.loop))
    if asked & {*INDEX_NAMES, "gridsize", "shared"} or ends or not is_followed(module, function):
        return False
    if run.loop not in body.statements or module.on_header_line(run.loop):
        return False
    facts = walked_kernel(module, function)
    places = [one.place for one in facts.accesses] + [one.place for one in facts.atomics]
    if not all(is_in_loop(one, run.loop) for one in places) or not _only_names(body, run):
        return False
    return iterations_are_independent(body, run.loop, run.index)


def _only_names(body: KernelBody, run: ThreadRun) -> bool:
    """Whether what stands beside the loop only gives names a value, and the loop uses none that differs from
    thread to thread: more threads have others.
    """
    module = body.module
    inside = run.loop.body if run.product is None else run.loop.body[1:]
    used, asked = words_in(module, inside), {name for _, name in cuda_parts(module, inside)}
    for line in body.statements:
        if line is run.loop or is_text(line):
            continue
        if not isinstance(line, ast.Assign) or not all(isinstance(one, ast.Name) for one in line.targets):
            return False
        if used & assigned_in(module, line) and not has_one_value(module, body.function, line.value):
            return False
    return "grid" not in asked


def _inner_edits(body: KernelBody, run: ThreadRun) -> list[Edit] | None:
    """The edits that put the loop's body in its place."""
    module, text = body.module, body.module.text
    grid = module.code_of(run.grid)
    head = module.range_of(run.loop)[0], module.range_of(run.loop.iter)[1]
    begin = text.index("\n", text.index(":", head[1])) + 1
    rest = text[head[1] : begin]
    # Brackets or a line break may stand between the range and the colon.
    if not rest.lstrip().startswith(":") or begin > module.range_of(run.loop.body[0])[0]:
        return None
    last = end_with_comments(text, module.range_of(run.loop)[1], module.indentation(run.loop))
    end = text.find("\n", last) + 1 or len(text)
    less = unindented(module, begin, end, body.indent, body.indent + body.step)
    start = run.without_start(module)
    if less is None or start is None:
        return None
    if run.product is not None:
        return [Edit(module.line_start(head[0]), begin, ""), module.replaced(run.product, grid), *less]
    line_end = rest[rest.index(":") + 1 :]
    return [Edit(head[0], begin, f"{run.index} = {grid}{line_end}"), *start, *less]


def _known_at(site: LaunchSite, body: KernelBody, run: ThreadRun) -> str | None:
    """The length of the run as the launch can say it: a number, or a constant of the module of both."""
    length = run.length
    if written_integer(length) is not None:
        return body.module.code_of(length)
    if not isinstance(length, ast.Name) or site.module is not body.module:
        return None
    name, function = length.id, site.function()
    if name in body.parameters or len(body.module.bindings(name, None)) != 1:
        return None
    same = written_integer(site.defined(length)) is not None and not (
        function is not None and body.module.bindings(name, function)
    )
    return name if same else None
