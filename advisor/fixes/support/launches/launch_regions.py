"""Stretches of host code in which an array is used by launches only, so that it can stay on the device."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import inside, loop_around, pauses
from advisor.fixes.support.host.host_uses import HostUses, Use
from advisor.fixes.support.host.understood_calls import is_understood
from advisor.program.syntax.statement_places import DEFINITIONS, LOOPS, TRIES

# What may leave a statement before its end, or run later.
_LEAVING = (
    ast.Return, ast.Raise, ast.Assert, ast.Lambda, ast.With, ast.AsyncWith, *DEFINITIONS, *TRIES,
)  # fmt: skip


@dataclass(frozen=True)
class Region:
    """The statements of one block from the first to the last, both included."""

    first: ast.stmt
    last: ast.stmt

    def contains(self, module: SourceModule, node: ast.AST) -> bool:
        """Whether a node lies in it."""
        begin, _ = module.range_of(self.first)
        _, end = module.range_of(self.last)
        return begin <= module.range_of(node)[0] < end


def widest_region(host: HostUses, line: ast.stmt, uses: Iterable[Use], others: Iterable[Use]) -> Region:
    """The most statements around a launch between which the host does not touch an array.

    `uses` are those of the array's name, `others` those of names that may stand for the same array. The
    region grows over loops; what the host does in them must be understood. From each launch in a region one
    comes to the same region.
    """
    known = list(uses)
    branches = _branches(host.module, line)
    launched: list[ast.Name] = []
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
    call = host.module.parent(use.node)
    if isinstance(call, ast.keyword):
        call = host.module.parent(call)
    known = host.launch_of(call) if isinstance(call, ast.Call) else None
    if call is None or known is None or known[1] is None or len(known[0].configuration) != 2:
        return False
    return sum(inside(host.module, one.node, call) for one in uses) == 1


def _branches(module: SourceModule, node: ast.AST) -> list[list[ast.stmt]]:
    """The blocks around a node, innermost first, but for those of loops."""
    found: list[list[ast.stmt]] = []
    above: ast.AST | None = node
    while above is not None:
        owner = module.parent(above)
        if isinstance(above, ast.stmt):
            block = module.block_of(above)
            if not isinstance(owner, LOOPS) or owner.body is not block:
                found.append(block)
        above = owner
    return found


class _Growth:
    def __init__(self, host: HostUses, touched: list[ast.Name], launched: list[ast.Name]) -> None:
        self.host, self.module = host, host.module
        self.touched, self.launched = touched, launched

    def from_line(self, line: ast.stmt) -> Region:
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
        block = self.module.block_of(region.first)
        place = block.index(region.first)
        before = self._reached(block[:place][::-1])
        behind = self._reached(block[place + 1 :])
        return Region(before or region.first, behind or region.last)

    def _reached(self, statements: Iterable[ast.stmt]) -> ast.stmt | None:
        """The last of the statements with a launch of the array that is reached over free statements."""
        found = None
        for statement in statements:
            if not self._is_free(statement):
                break
            if any(inside(self.module, name, statement) for name in self.launched):
                found = statement
        return found

    def _is_free(self, statement: ast.stmt, within_loop: bool = False) -> bool:
        """Whether the host leaves the array alone in a statement, and comes from its beginning to its end."""
        module = self.module
        if module.shares_line(statement) or pauses(module, statement):
            return False
        if any(inside(module, name, statement) for name in self.touched):
            return False
        if any(True for _ in module.nodes_in(_LEAVING, statement)):
            return False
        leaves = module.nodes_in((ast.Break, ast.Continue), statement)
        if not all(self._ends_in(one, statement, within_loop) for one in leaves):
            return False
        launches = {site.call for site, kernel in self.host.launches if kernel is not None}
        calls = [one for one in module.nodes_in(ast.Call, statement) if one not in launches]
        return all(is_understood(module, one) for one in calls)

    def _ends_in(self, leave: ast.AST, statement: ast.stmt, within_loop: bool) -> bool:
        """Whether the loop that `break` or `continue` belongs to is part of a statement."""
        above = self.module.parent(leave)
        while above is not None and above is not statement:
            if isinstance(above, LOOPS):
                return True
            above = self.module.parent(above)
        return within_loop or isinstance(statement, LOOPS)
