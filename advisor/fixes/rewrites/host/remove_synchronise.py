"""Moves the wait for the device from each iteration of a host loop behind the loop."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import line_behind, whole_lines, without_line
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import (
    indented_as,
    inside,
    line_of,
    loop_around,
    pauses,
    siblings,
    with_comments,
)
from advisor.fixes.support.host.host_uses import HostUses
from advisor.fixes.support.host.understood_calls import COPIES, copies, is_understood
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.model.findings import Edit

# Memory that the host sees without a copy: only a wait tells it that the device is done.
_SEEN_BY_HOST = (
    "mapped_array", "mapped_array_like", "managed_array", "mapped", "pinned", "pinned_array",
    "pinned_array_like", "stream", "external_stream", "per_thread_default_stream", "event",
)  # fmt: skip
_QUESTIONS = ("shape", "size", "ndim", "dtype")
_STATEMENTS = (cst.Expr, cst.Assign, cst.AugAssign, cst.AnnAssign, cst.Pass, cst.Continue, cst.Break)
_COMPOUND = (cst.For, cst.While, cst.If, cst.Else, cst.IndentedBlock, cst.SimpleStatementLine)


def edits(place: Place) -> list[Edit] | None:
    """The edits that remove the wait and put one behind the loop, where none stands there.

    None where something in the loop might need the wait: a clock, an unknown function, memory that host and
    device share, streams, or an element of an array that a kernel is given.
    """
    module, call = place.module, place.exactly(cst.Call)
    expression = module.parent(call) if call is not None else None
    line = line_of(module, expression) if isinstance(expression, cst.Expr) else None
    loop = loop_around(module, line) if line is not None else None
    if call is None or line is None or loop is None or loop.orelse is not None or call.args:
        return None
    if cuda_attribute(module, call.func) != "synchronize" or len(siblings(module, line)) < 2:
        return None
    if any(cuda_attribute(module, node) in _SEEN_BY_HOST for node in module.nodes(cst.Attribute)):
        return None
    if not _Loop(place, loop).needs_no_wait():
        return None
    if _waits_next(module, loop):
        removed = without_line(module, line)
        return [removed] if removed else None
    begin, end = with_comments(module, line), whole_lines(module, line)[1]
    lines = indented_as(module, module.text[begin:end], line, loop).rstrip("\r\n")
    return [Edit(begin, end, ""), line_behind(module, loop, lines.removeprefix(module.indentation(loop)))]


def _waits_next(module: SourceModule, loop: cst.For | cst.While) -> bool:
    """Whether the statement behind a loop is a wait."""
    behind = siblings(module, loop)
    number = next(number for number, one in enumerate(behind) if one is loop)
    following = behind[number + 1] if number + 1 < len(behind) else None
    if not isinstance(following, cst.SimpleStatementLine) or not isinstance(following.body[0], cst.Expr):
        return False
    call = following.body[0].value
    return isinstance(call, cst.Call) and cuda_attribute(module, call.func) == "synchronize" and not call.args


class _Loop:
    """A host loop whose statements and calls are all of kinds that are understood."""

    def __init__(self, place: Place, loop: cst.For | cst.While) -> None:
        self.module, self.loop, self.host = place.module, loop, HostUses(place)
        self.launches = [site for site, _ in self.host.launches if inside(self.module, site.call, loop)]
        self.given = {
            name.value
            for site in self.launches
            for argument in site.call.args
            for name in self.module.nodes_in(cst.Name, argument)
        }

    def needs_no_wait(self) -> bool:
        """Whether everything in the loop gives the same without the wait."""
        plain = all(len(site.subscript.slice) == 2 for site in self.launches)
        return plain and bool(self.launches) and self._statements() and self._calls() and self._elements()

    def _statements(self) -> bool:
        for kind in (cst.BaseCompoundStatement, cst.BaseSmallStatement):
            for node in self.module.nodes_in(kind, self.loop):
                if not isinstance(node, (*_STATEMENTS, *_COMPOUND)):
                    return False
        return True

    def _calls(self) -> bool:
        own = {site.call for site in self.launches}
        calls = [one for one in self.module.nodes_in(cst.Call, self.loop) if one not in own]
        return all(is_understood(self.module, one) for one in calls) and not pauses(self.module, self.loop)

    def _elements(self) -> bool:
        """Whether arrays that kernels are given are used for launches, copies and their shape only."""
        for name in self.module.nodes_in(cst.Name, self.loop):
            if name.value in self.given and self._is_looked_at(name):
                return False
        return True

    def _is_looked_at(self, name: cst.Name) -> bool:
        above = self.module.parent(name)
        if any(inside(self.module, name, site.call) for site in self.launches):
            return False
        if isinstance(above, cst.Attribute):
            return above.value is name and above.attr.value not in (*_QUESTIONS, *COPIES)
        if isinstance(above, cst.Subscript) and above.value is name:
            return True
        if isinstance(above, cst.Arg):
            call = self.module.parent(above)
            return not (isinstance(call, cst.Call) and copies(self.module, call))
        return False
