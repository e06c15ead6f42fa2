"""Copies the NumPy arrays of a launch to the device once, and back only what the kernel writes."""

# /// fix
# title = "Copy the arrays to the device once, and back only what the kernel writes"
# safety = "safe"
# rules = ["host-array-argument"]
# needs_kernel = true
# condition = """
# the same elements reach the kernel, and those it writes reach the host before the host looks at them"""
# ///

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.inserted_lines import line_before, line_behind
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.argument_arrays import is_host_array
from advisor.fixes.support.host.host_arguments import names_of
from advisor.fixes.support.host.host_loops import inside, loop_around, pauses
from advisor.fixes.support.host.host_uses import HostUses, Use
from advisor.fixes.support.host.source_effects import known_call, positional_parameters
from advisor.fixes.support.host.understood_calls import copies, is_understood
from advisor.fixes.support.kernel.assigned_names import around, words_in
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.model.findings import Edit
from advisor.program.arrays.operations.array_functions import CREATORS
from advisor.program.effects.callees import Known
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.calls import called_name, last_name
from advisor.program.syntax.reaching_definitions import START, Definition
from advisor.program.syntax.statement_places import DEFINITIONS, LOOPS, TRIES

# Functions that make memory which both the host and the device see.
_SHARED_MEMORY = frozenset({"mapped_array", "managed_array", "mapped_array_like", "mapped"})
# What may leave a statement before its end, run later, or bind a name in a way that is not looked at.
_LEAVING = (
    ast.Return, ast.Raise, ast.Assert, ast.Lambda, ast.With, ast.AsyncWith, *DEFINITIONS, *TRIES, ast.Match,
    ast.Import, ast.ImportFrom,
)  # fmt: skip


@dataclass(frozen=True)
class _Moved:
    """An array that is copied to the device in front of a region, and the arguments that it replaces."""

    name: str
    written: str
    region: _Region
    arguments: tuple[ast.expr, ...]
    copied_back: bool

    @property
    def saves(self) -> bool:
        """Whether there are fewer copies than before: none back, or one for several launches."""
        single = self.region.first is self.region.last and isinstance(self.region.first, ast.Expr)
        return not (self.copied_back and single)


def edits(place: Place) -> list[Edit] | None:
    """The edits of the launch and the lines around it; None where they would save no copy, since no argument
    is known to be such an array or all are written, and where the launch is part of another expression.
    """
    host = HostUses(place)
    found = next(((site, kernel) for site, kernel in host.launches if _is_at(place, site)), None)
    cuda = cuda_text(place.module)
    if found is None or found[1] is None or cuda is None:
        return None
    line = place.module.parent(found[0].call)
    if not isinstance(line, ast.Expr) or place.module.shares_line(line):
        return None
    if len(found[0].configuration) != 2 or found[0].arguments is None:
        return None
    launch = _Launch(host, found[0], found[1], line)
    if place.module.answer(_waits_for_other_work, place.module.tree):
        return None
    moved = list(launch.moved())
    return _written(place, cuda, moved) if any(one.saves for one in moved) else None


def _is_at(place: Place, site: LaunchSite) -> bool:
    return place.module.range_of(site.subscript) == (place.begin, place.end)


class _Launch:
    """A launch that stands as a statement of its own."""

    def __init__(self, host: HostUses, site: LaunchSite, kernel: Row, line: ast.stmt) -> None:
        self.host, self.module, self.place = host, host.module, host.place
        self.site, self.kernel, self.line = site, kernel, line
        self.scope = site.function()
        self.taken = set(self.module.names) | self.module.syntax.bound_anywhere

    @cached_property
    def parameters(self) -> list[str]:
        """The names of the kernel's parameters."""
        kernel = self.place.function_of(self.kernel)
        return positional_parameters(kernel[1]) if kernel is not None else []

    def moved(self) -> Iterator[_Moved]:
        """The arrays that can be copied once, in the order of the arguments."""
        known: set[str] = set()
        for position, argument in enumerate(self.site.call.args):
            written = self.module.code_of(argument)
            if position >= len(self.parameters) or written in known:
                continue
            one = self._moved(position, argument)
            if one is not None:
                known.add(written)
                yield one

    def _moved(self, position: int, value: ast.expr) -> _Moved | None:
        certain = is_host_array(self.site, position) and self._is_used_as_array(position)
        if isinstance(value, ast.Name) and (certain or self._is_new(value)):
            return self._named(position, value)
        simple = isinstance(value, ast.Attribute | ast.Subscript | ast.Name)
        if not ((certain and not isinstance(value, ast.Name)) or (simple and self._is_array(position))):
            return None
        alike = tuple(one for one in self.site.call.args if self._same(one, value))
        if any(self._writes(one) for one in alike) or self._is_written_before(position):
            return None
        name, written = self._name_of_parameter(position), self.module.code_of(value)
        return _Moved(name, written, _Region(self.line, self.line), alike, False)

    def _writes(self, argument: ast.expr) -> bool:
        return self.host.effect(self.site.call, argument).writes

    def _is_written_before(self, position: int) -> bool:
        """Whether the kernel may write to an argument in front of one, and that may be the same memory. The
        copy back of the one, as it was, then hides what the kernel wrote.
        """
        arguments = self.site.call.args
        named = words_in(self.module, arguments[position])
        for value in arguments[:position]:
            if not self._writes(value):
                continue
            if not isinstance(value, ast.Name) or not self._is_new(value):
                return True
            names = self.host.same_array(value.id, self.scope, self.line)
            if names is None or names & named:
                return True
        return False

    def _name_of_parameter(self, position: int) -> str:
        """A free name made of the parameter's, which no array of that name on the host would get."""
        name = self.parameters[position]
        return self._free_name(f"{name}_argument" if self.host.of(name, self.scope) else name)

    def _named(self, position: int, value: ast.Name) -> _Moved | None:
        names = self.host.same_array(value.id, self.scope, self.line)
        new = self._is_new(value)
        uses = self.host.of(value.id, self.scope)
        region = _Region(self.line, self.line)
        apart = names is not None and new and all(self.host.is_in(use.node, self.scope) for use in uses)
        if names is not None and apart and not self._may_be_left_early():
            others = [use for name in names - {value.id} for use in self.host.of(name, self.scope)]
            region = _widest_region(self.host, self.line, uses, others)
        inner = [use for use in uses if use.kind == "argument" and region.contains(self.module, use.node)]
        writes = any(use.effect.writes for use in inner)
        if (writes and not (new and names is not None)) or self._meets_itself(
            inner, names or {value.id}, twice=writes
        ):
            return None
        if not (new and names is not None) and self._is_written_before(position):
            return None
        arguments = tuple(use.node for use in inner)
        moved = _Moved(self._free_name(value.id), value.id, region, arguments, writes)
        told = not any(use.effect.keeps for use in inner)
        return moved if told or moved.saves else None

    def _may_be_left_early(self) -> bool:
        """Whether an error in a launch may be caught before the end of the function."""
        outer = around(self.module, self.line, self.scope or self.module.tree)
        return any(isinstance(one, (*TRIES, ast.With, ast.AsyncWith)) for one in outer)

    def _is_used_as_array(self, position: int) -> bool:
        """Whether the kernel itself uses elements or the shape of a parameter, which numbers do not have."""
        kernel = self.place.function_of(self.kernel)
        if kernel is None:
            return False
        module, function = kernel
        uses = names_of(module, self.parameters[position], function.body)
        return any(isinstance(module.parent(one), ast.Subscript | ast.Attribute) for one in uses)

    def _is_new(self, value: ast.Name) -> bool:
        """Whether a name has only been given arrays that NumPy makes, so that it is none of the others."""
        definitions = self.module.syntax.definitions(self.scope or self.module.tree)
        reaching = definitions.reaching(value.id, value) or frozenset()
        if self.scope is None or value.id not in parameter_names(self.scope):
            reaching -= {START}
        new = all(self._makes_array(one) for one in reaching)
        return bool(reaching) and new and not definitions.bound_by_others(value.id)

    def _makes_array(self, line: Definition) -> bool:
        """Whether a definition is `name = numpy.zeros(…)` or the like."""
        if not isinstance(line, ast.Assign) or [type(one) for one in line.targets] != [ast.Name]:
            return False
        call = line.value
        if not isinstance(call, ast.Call) or called_name(call) not in CREATORS:
            return False
        return known_call(self.module, call) is Known.NUMBERS

    def _meets_itself(self, uses: list[Use], names: set[str], twice: bool) -> bool:
        """Whether a launch is given another part of an array, or with `twice` the array itself once more."""
        for use in uses:
            launch = self.module.parent(use.node) or use.node
            given = [one.id for one in self.module.nodes_in(ast.Name, launch)]
            others = [one for one in given if one in names and one != use.node.id]
            if others or (twice and given.count(use.node.id) > 1):
                return True
        return False

    def _is_array(self, position: int) -> bool:
        """Whether a run has shown that a parameter is an array in device memory."""
        return any(
            row.values.get("array") == self.parameters[position]
            and row.values.get("space") == "global"
            and "moved_bytes" in row.values
            for row in self.place.facts.of_kernel("access", self.kernel)
        )

    def _same(self, one: ast.expr, other: ast.expr) -> bool:
        alike = not isinstance(other, ast.Call) and self.module.code_of(one) == self.module.code_of(other)
        return one is other or alike

    def _free_name(self, name: str) -> str:
        wanted = free = f"d_{name}"
        number = 1
        while free in self.taken:
            number += 1
            free = f"{wanted}_{number}"
        self.taken.add(free)
        return free


def _written(place: Place, cuda: str, moved: list[_Moved]) -> list[Edit]:
    """The edits: lines for the same place in one edit, in the order of the arguments."""
    module = place.module
    before: dict[ast.stmt, list[str]] = {}
    behind: dict[ast.stmt, list[str]] = {}
    found = []
    for one in moved:
        before.setdefault(one.region.first, []).append(f"{one.name} = {cuda}.to_device({one.written})")
        if one.copied_back:
            behind.setdefault(one.region.last, []).append(f"{one.name}.copy_to_host({one.written})")
        found += [module.replaced(argument, one.name) for argument in one.arguments]
    for statement, lines in before.items():
        found.append(line_before(module, statement, _joined(place, statement, lines)))
    for statement, lines in behind.items():
        found.append(line_behind(module, statement, _joined(place, statement, lines)))
    return found


def _joined(place: Place, statement: ast.stmt, lines: list[str]) -> str:
    return f"{place.module.line_end}{place.module.indentation(statement)}".join(lines)


def _waits_for_other_work(module: SourceModule, _: ast.Module) -> bool:
    """Whether the host may rely on the end of a launch, which copies back: for what kernels print, for memory
    that both sides see, and for copies on streams.
    """
    attributes = {one.attr for one in module.nodes(ast.Attribute)}
    if not _SHARED_MEMORY.isdisjoint(attributes | module.names.keys()):
        return True
    calls = list(module.nodes(ast.Call))
    if any(copies(module, one) and not is_understood(module, one) for one in calls):
        return True
    printing = [module.scope_of(one) for one in calls if last_name(one.func) == "print"]
    # Kernels and device functions have a decorator.
    return any(one is not None and bool(one.decorator_list) for one in printing)


@dataclass(frozen=True)
class _Region:
    """The statements of one block from the first to the last, both included."""

    first: ast.stmt
    last: ast.stmt

    def contains(self, module: SourceModule, node: ast.AST) -> bool:
        """Whether a node lies in it."""
        begin, _ = module.range_of(self.first)
        _, end = module.range_of(self.last)
        return begin <= module.range_of(node)[0] < end


def _widest_region(host: HostUses, line: ast.stmt, uses: Iterable[Use], others: Iterable[Use]) -> _Region:
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
    known = host.launch_of(host.module.parent(use.node))
    if known is None or known[1] is None or len(known[0].configuration) != 2:
        return False
    return sum(inside(host.module, one.node, known[0].call) for one in uses) == 1


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

    def from_line(self, line: ast.stmt) -> _Region:
        region = _Region(line, line)
        if any(inside(self.module, name, line) for name in self.touched):
            return region
        region = self._along_block(region)
        loop = loop_around(self.module, region.first)
        while loop is not None and self._is_free(loop, within_loop=True):
            region = self._along_block(_Region(loop, loop))
            loop = loop_around(self.module, region.first)
        return region

    def _along_block(self, region: _Region) -> _Region:
        block = self.module.block_of(region.first)
        place = block.index(region.first)
        before = self._reached(block[:place][::-1])
        behind = self._reached(block[place + 1 :])
        return _Region(before or region.first, behind or region.last)

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
        for leave in module.nodes_in((ast.Break, ast.Continue), statement):
            inner = any(isinstance(one, LOOPS) for one in around(module, leave, statement))
            if not (inner or within_loop or isinstance(statement, LOOPS)):
                return False
        launches = {site.call for site, kernel in self.host.launches if kernel is not None}
        calls = [one for one in module.nodes_in(ast.Call, statement) if one not in launches]
        return all(is_understood(module, one) for one in calls)
