"""Copies the NumPy arrays of a launch to the device once, and back only what the kernel writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from advisor.findings import Edit
from advisor.fixes.argument_arrays import is_host_array
from advisor.fixes.cuda_name import cuda_text
from advisor.fixes.host_loops import line_of
from advisor.fixes.host_uses import HostUses, Use
from advisor.fixes.inserted_lines import line_before, line_behind
from advisor.fixes.known_facts import Row
from advisor.fixes.launch_regions import Region, widest_region
from advisor.fixes.launch_sites import LaunchSite
from advisor.fixes.new_arrays import is_new_array
from advisor.fixes.parameter_effects import Effect, parameter_names
from advisor.fixes.place import Place


@dataclass(frozen=True)
class _Moved:
    """An array that is copied to the device in front of a region, and the arguments that it replaces."""

    name: str
    written: str
    region: Region
    arguments: tuple[cst.BaseExpression, ...]
    copied_back: bool

    @property
    def saves(self) -> bool:
        """Whether there are fewer copies than before: none back, or one for several launches."""
        single = self.region.first is self.region.last and isinstance(
            self.region.first, cst.SimpleStatementLine
        )
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
    expression = place.module.parent(found[0].call)
    line = line_of(place.module, expression) if isinstance(expression, cst.Expr) else None
    if line is None or len(found[0].subscript.slice) != 2 or found[0].arguments is None:
        return None
    moved = list(_Launch(host, found[0], found[1], line).moved())
    return _written(place, cuda, moved) if any(one.saves for one in moved) else None


def _is_at(place: Place, site: LaunchSite) -> bool:
    return place.module.range_of(site.subscript) == (place.begin, place.end)


class _Launch:
    """A launch that stands as a statement of its own."""

    def __init__(self, host: HostUses, site: LaunchSite, kernel: Row, line: cst.BaseStatement) -> None:
        self.host, self.module, self.place = host, host.module, host.place
        self.site, self.kernel, self.line = site, kernel, line
        self.scope = site.function()
        self.taken = {one.value for one in self.module.nodes(cst.Name)}

    @cached_property
    def parameters(self) -> list[str]:
        """The names of the kernel's parameters."""
        kernel = self.place.function_of(self.kernel)
        return parameter_names(kernel[1]) if kernel is not None else []

    def moved(self) -> Iterator[_Moved]:
        """The arrays that can be copied once, in the order of the arguments."""
        known: set[str] = set()
        for position, argument in enumerate(self.site.call.args):
            written = self.module.code_of(argument.value)
            if position >= len(self.parameters) or written in known:
                continue
            effect = self.host.effect(self.site.call, argument)
            one = self._moved(position, argument.value, effect)
            if one is not None:
                known.add(written)
                yield one

    def _moved(self, position: int, value: cst.BaseExpression, effect: Effect | None) -> _Moved | None:
        writes = effect is None or "write" in effect
        if isinstance(value, cst.Name) and (is_host_array(self.site, position) or self._is_new(value)):
            return self._named(value, writes)
        simple = isinstance(value, cst.Attribute | cst.Subscript | cst.Name)
        certain = is_host_array(self.site, position) if not isinstance(value, cst.Name) else False
        if writes or not (certain or (simple and self._is_array(position))):
            return None
        alike = tuple(one.value for one in self.site.call.args if self._same(one.value, value))
        name, written = self._name_of_parameter(position), self.module.code_of(value)
        return _Moved(name, written, Region(self.line, self.line), alike, False)

    def _name_of_parameter(self, position: int) -> str:
        """A free name made of the parameter's, which no array of that name on the host would get."""
        name = self.parameters[position]
        return self._free_name(f"{name}_argument" if self.host.of(name, self.scope) else name)

    def _named(self, value: cst.Name, writes: bool) -> _Moved | None:
        names = self.host.same_array(value.value, self.scope)
        new = names is not None and self._is_new(value)
        uses = self.host.of(value.value, self.scope)
        region = Region(self.line, self.line)
        if names is not None and self._is_local(value.value):
            others = [use for name in names - {value.value} for use in self.host.of(name, self.scope)]
            region = widest_region(self.host, self.line, uses, others)
        inner = [use for use in uses if use.kind == "argument" and region.contains(self.module, use.node)]
        writes = writes or any(use.effect is None or "write" in use.effect for use in inner)
        if (writes and not new) or self._meets_itself(inner, names or {value.value}, twice=writes):
            return None
        arguments = tuple(use.node for use in inner)
        moved = _Moved(self._free_name(value.value), value.value, region, arguments, writes)
        told = all(use.effect is not None for use in inner)
        return moved if told or moved.saves else None

    def _is_new(self, value: cst.Name) -> bool:
        return is_new_array(self.module, value, self.scope)

    def _is_local(self, name: str) -> bool:
        return bool(self.module.bindings(name, self.scope))

    def _meets_itself(self, uses: list[Use], names: set[str], twice: bool) -> bool:
        """Whether a launch is given another part of an array, or with `twice` the array itself once more."""
        for use in uses:
            call = self.module.parent(self.module.parent(use.node) or use.node)
            given = [one.value for one in self.module.nodes_in(cst.Name, call)] if call is not None else []
            others = [one for one in given if one in names and one != use.node.value]
            if others or (twice and given.count(use.node.value) > 1):
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

    def _same(self, one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
        return one is other or (
            not isinstance(other, cst.Call) and self.module.code_of(one) == self.module.code_of(other)
        )

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
    before: dict[cst.BaseStatement, list[str]] = {}
    behind: dict[cst.BaseStatement, list[str]] = {}
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


def _joined(place: Place, statement: cst.BaseStatement, lines: list[str]) -> str:
    return f"{place.module.line_end}{place.module.indentation(statement)}".join(lines)
