"""Stretches of host code in which an array is used by launches only, so that it can stay on the device."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import inside, loop_around, pauses, siblings
from advisor.fixes.support.host.host_uses import HostUses, Use
from advisor.fixes.support.host.understood_calls import is_understood


@dataclass(frozen=True)
class Region:
    """The statements of one block from the first to the last, both included."""

    first: cst.BaseStatement
    last: cst.BaseStatement

    def contains(self, module: SourceModule, node: cst.CSTNode) -> bool:
        """Whether a node lies in it."""
        begin, _ = module.range_of(self.first)
        _, end = module.range_of(self.last)
        return begin <= module.range_of(node)[0] < end


def widest_region(
    host: HostUses, line: cst.BaseStatement, uses: Iterable[Use], others: Iterable[Use]
) -> Region:
    """The most statements around a launch between which the host does not touch an array.

    `uses` are those of the array's name, `others` those of names that may stand for the same array. The
    region grows over loops; what the host does in them must be understood. From each launch in a region one
    comes to the same region.
    """
    known = list(uses)
    branches = _branches(host.module, line)
    launched: list[cst.Name] = []
    touched = [one.node for one in others]
    for one in known:
        if one.kind == "argument":
            alike = _is_single(host, one, known) and _branches(host.module, one.node) == branches
            (launched if alike else touched).append(one.node)
        elif one.kind != "question":
            touched.append(one.node)
    return _Growth(host, touched, launched).from_line(line)


def _is_single(host: HostUses, use: Use, uses: list[Use]) -> bool:
    """Whether a use is an argument of a launch without a stream that is given the array only there."""
    argument = host.module.parent(use.node)
    call = host.module.parent(argument) if argument is not None else None
    known = host.launch_of(call) if isinstance(call, cst.Call) else None
    if call is None or known is None or known[1] is None or len(known[0].subscript.slice) != 2:
        return False
    return sum(inside(host.module, one.node, call) for one in uses) == 1


def _branches(module: SourceModule, node: cst.CSTNode) -> list[cst.CSTNode]:
    """The blocks around a node, innermost first, but for those of loops."""
    found: list[cst.CSTNode] = []
    above = module.parent(node)
    while above is not None:
        owner = module.parent(above)
        looped = isinstance(owner, cst.For | cst.While) and owner.body is above
        if isinstance(above, cst.BaseSuite) and not looped:
            found.append(above)
        above = owner
    return found


class _Growth:
    def __init__(self, host: HostUses, touched: list[cst.Name], launched: list[cst.Name]) -> None:
        self.host, self.module = host, host.module
        self.touched, self.launched = touched, launched

    def from_line(self, line: cst.BaseStatement) -> Region:
        region = Region(line, line)
        if any(inside(self.module, name, line) for name in self.touched):
            return region
        region = self._along_block(region)
        loop = loop_around(self.module, region.first)
        while loop is not None and self._is_free(loop, within_loop=True):
            region = self._along_block(Region(loop, loop))
            loop = loop_around(self.module, region.first)
        return region

    def _along_block(self, region: Region) -> Region:
        block = siblings(self.module, region.first)
        place = next(number for number, one in enumerate(block) if one is region.first)
        before = self._reached(block[:place][::-1])
        behind = self._reached(block[place + 1 :])
        return Region(before or region.first, behind or region.last)

    def _reached(self, statements: Iterable[cst.BaseStatement]) -> cst.BaseStatement | None:
        """The last of the statements with a launch of the array that is reached over free statements."""
        found = None
        for statement in statements:
            if not self._is_free(statement):
                break
            if any(inside(self.module, name, statement) for name in self.launched):
                found = statement
        return found

    def _is_free(self, statement: cst.BaseStatement, within_loop: bool = False) -> bool:
        """Whether the host leaves the array alone in a statement, and comes from its beginning to its end."""
        module = self.module
        if any(inside(module, name, statement) for name in self.touched) or pauses(module, statement):
            return False
        for kind in (
            cst.Return,
            cst.Raise,
            cst.Assert,
            cst.FunctionDef,
            cst.ClassDef,
            cst.Lambda,
            cst.Try,
            cst.With,
        ):
            if any(True for _ in module.nodes_in(kind, statement)):
                return False
        for leave in (cst.Break, cst.Continue):
            if any(
                not self._ends_in(one, statement, within_loop) for one in module.nodes_in(leave, statement)
            ):
                return False
        launches = {site.call for site, kernel in self.host.launches if kernel is not None}
        calls = [one for one in module.nodes_in(cst.Call, statement) if one not in launches]
        return all(is_understood(module, one) for one in calls)

    def _ends_in(self, leave: cst.CSTNode, statement: cst.BaseStatement, within_loop: bool) -> bool:
        """Whether the loop that `break` or `continue` belongs to is part of a statement."""
        above = self.module.parent(leave)
        while above is not None and above is not statement:
            if isinstance(above, cst.For | cst.While):
                return True
            above = self.module.parent(above)
        return within_loop or isinstance(statement, cst.For | cst.While)
