"""Moves the wait for the device out of a host loop, to the line after it."""

# /// fix
# title = "Wait for the device after the loop instead of in each iteration"
# safety = "needs review"
# rules = ["wait-in-host-loop", "wait-between-launches"]
# condition = """
# the launches go to one stream, and nothing outside these lines looks at the device's results or the clock \
# in each iteration; an error of a kernel is reported after the loop"""
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import line_behind, whole_lines, without_line
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import (
    Loop,
    indented_as,
    inside,
    loop_around,
    pauses,
    with_comments,
)
from advisor.fixes.support.host.host_uses import HostUses
from advisor.fixes.support.host.understood_calls import COPIES, copies, is_understood
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.model.findings import Edit
from advisor.program.effects.array_flow import QUESTIONS

# Memory that the host sees without a copy: only a wait tells it that the device is done.
_SEEN_BY_HOST = (
    "mapped_array", "mapped_array_like", "managed_array", "mapped", "pinned", "pinned_array",
    "pinned_array_like", "stream", "external_stream", "per_thread_default_stream", "event",
)  # fmt: skip
_STATEMENTS = (
    ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Pass, ast.Continue, ast.Break, ast.For, ast.While,
    ast.If,
)  # fmt: skip


def edits(place: Place) -> list[Edit] | None:
    """The edits that remove the wait and put one behind the loop, where none stands there.

    None where something in the loop might need the wait: a clock, an unknown function, memory that host and
    device share, streams, or an element of an array that a kernel is given.
    """
    module, call = place.module, place.exactly(ast.Call)
    line = module.parent(call) if call is not None else None
    if not isinstance(line, ast.Expr) or module.shares_line(line) or not _is_wait(module, line):
        return None
    loop = loop_around(module, line)
    if loop is None or loop.orelse or len(loop.body) < 2:
        return None
    if any(cuda_attribute(module, node) in _SEEN_BY_HOST for node in module.nodes(ast.Attribute)):
        return None
    if not _Loop(place, loop).needs_no_wait():
        return None
    if _waits_next(module, loop):
        removed = without_line(module, line)
        return [removed] if removed else None
    begin, end = with_comments(module, line), whole_lines(module, line)[1]
    lines = indented_as(module, module.text[begin:end], line, loop).rstrip("\r\n")
    behind = line_behind(module, loop, lines.removeprefix(module.indentation(loop)))
    if begin < behind.start < end:  # the wait is the last line of the loop
        return [Edit(begin, behind.start, behind.text.removeprefix(module.line_end))]
    return [Edit(begin, end, ""), behind]


def _waits_next(module: SourceModule, loop: Loop) -> bool:
    """Whether the statement behind a loop is a wait."""
    block = module.block_of(loop)
    return any(_is_wait(module, one) for one in block[block.index(loop) + 1 :][:1])


def _is_wait(module: SourceModule, line: ast.stmt) -> bool:
    """Whether a statement is `cuda.synchronize()`."""
    call = line.value if isinstance(line, ast.Expr) else None
    if not isinstance(call, ast.Call) or call.args or call.keywords:
        return False
    return cuda_attribute(module, call.func) == "synchronize"


class _Loop:
    """A host loop whose statements and calls are all of kinds that are understood."""

    def __init__(self, place: Place, loop: Loop) -> None:
        self.module, self.loop, self.host = place.module, loop, HostUses(place)
        self.launches = [site for site, _ in self.host.launches if inside(self.module, site.call, loop)]
        given = [
            argument
            for site in self.launches
            for argument in (*site.call.args, *(one.value for one in site.call.keywords))
        ]
        self.given = {name.id for one in given for name in self.module.nodes_in(ast.Name, one)}

    def needs_no_wait(self) -> bool:
        """Whether everything in the loop gives the same without the wait."""
        plain = all(len(site.configuration) == 2 for site in self.launches)
        return plain and bool(self.launches) and self._statements() and self._calls() and self._elements()

    def _statements(self) -> bool:
        return all(isinstance(one, _STATEMENTS) for one in self.module.nodes_in(ast.stmt, self.loop))

    def _calls(self) -> bool:
        own = {site.call for site in self.launches}
        calls = [one for one in self.module.nodes_in(ast.Call, self.loop) if one not in own]
        return all(is_understood(self.module, one) for one in calls) and not pauses(self.module, self.loop)

    def _elements(self) -> bool:
        """Whether arrays that kernels are given are used for launches, copies and their shape only."""
        names = self.module.nodes_in(ast.Name, self.loop)
        return not any(one.id in self.given and self._is_looked_at(one) for one in names)

    def _is_looked_at(self, name: ast.Name) -> bool:
        above = self.module.parent(name)
        if any(inside(self.module, name, site.call) for site in self.launches):
            return False
        if isinstance(above, ast.Attribute):
            return above.attr not in (*QUESTIONS, *COPIES)
        if isinstance(above, ast.Call):
            return name in above.args and not copies(self.module, above)
        if isinstance(above, ast.Subscript):
            return above.value is name
        return isinstance(above, ast.keyword | ast.Starred)
