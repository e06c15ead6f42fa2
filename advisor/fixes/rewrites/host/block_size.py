"""Gives a launch blocks of whole warps, where the kernel does the same with blocks of any size."""

# /// fix
# title = "Give the launch blocks of whole warps"
# phase = 1
# safety = "needs review"
# rules = ["block-not-warp-multiple", "block-too-small", "low-occupancy"]
# needs_kernel = true
# condition = """
# the grid is computed from the size that the kernel checks its index against, and has at most 65,535 blocks \
# along y; no code outside these files uses the changed constants; sums of floats by atomics may differ in \
# the last bits, as from run to run"""
#
# [parameters]
# warp = 32
# one_axis = 128
# first_of_two_axes = 32
# second_of_two_axes = 8
# most_threads = 1024
# ///

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import inside
from advisor.fixes.support.host.host_uses import HostUses, belongs
from advisor.fixes.support.kernel.block_free_kernel import checked_axes, covers_with_any_grid
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.model.findings import Edit
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.literals import written_integer

_DEPTH = 6


@dataclass(frozen=True)
class _Plan:
    """A launch whose kernel takes any block: the numbers of its block, and what of its grid follows.

    `stands` are the places of the block's sizes in the grid, `counts` the axes that have a number of blocks
    written in the launch.
    """

    site: LaunchSite
    numbers: tuple[ast.Constant, ...]
    stands: tuple[tuple[_Stand, int], ...] = ()
    counts: tuple[tuple[ast.Constant, int], ...] = ()

    @property
    def block(self) -> list[int]:
        """The sizes of the block."""
        return [int(one.value) for one in self.numbers]  # type: ignore[arg-type]  # numbers are integers

    def threads(self, count: ast.Constant, axis: int) -> int:
        """The threads of the grid along an axis."""
        return int(count.value) * self.block[axis]  # type: ignore[arg-type]

    def count_edits(self, sizes: Sequence[int]) -> list[Edit]:
        """The edits of the numbers of blocks, so that there are as many threads as before."""
        return [
            self.site.module.replaced(count, str(-(-self.threads(count, axis) // sizes[axis])))
            for count, axis in self.counts
            if sizes[axis] != self.block[axis]
        ]


def edits(place: Place) -> list[Edit] | None:
    """The edits of the block, of the constants that give its size, and of a grid that does not follow.

    None where kernel or grid may depend on the size, and where other code uses it as well.
    """
    host = HostUses(place)
    known = [(site, kernel) for site, kernel in host.launches if _is_meant(place, site, kernel)]
    if len(known) != 1:
        return None
    site, kernel = known[0]
    plan = _plan(place, site, kernel)
    sizes = _sizes(place, plan.block) if plan is not None else None
    if plan is None or sizes is None or _is_mostly_idle(plan, sizes):
        return None
    return _at_the_numbers(place, host, plan, sizes) or _in_the_launch(plan, sizes)


def _is_meant(place: Place, site: LaunchSite, kernel: Row | None) -> bool:
    """Whether a finding stands at a launch, or at the kernel that it alone starts, with parts of warps."""
    if place.is_at(site.row):
        return True
    own = place.kernel_row()
    if place.finding.rule != "low-occupancy" or own is None or kernel is None or own.number != kernel.number:
        return False
    threads = site.row.values.get("block_threads")
    warp = float(place.parameters["warp"])
    return len(place.rows("launch")) == 1 and isinstance(threads, float) and threads % warp != 0


def _plan(place: Place, site: LaunchSite, kernel: Row | None) -> _Plan | None:
    """What is known of a launch, None where another block might change the results."""
    found = place.function_of(kernel) if kernel is not None else None
    parts = _parts(site.block, site)
    numbers = [_number_of(site, one) for one in parts]
    if found is None or len(site.configuration) != 2 or not 1 <= len(parts) <= 3:
        return None
    sizes = tuple(one for one in numbers if one is not None)
    if len(sizes) != len(parts):
        return None
    if covers_with_any_grid(*found):
        return _Plan(site, sizes)
    return _following(site, sizes, checked_axes(*found))


def _parts(sizes: ast.expr, site: LaunchSite) -> list[ast.expr]:
    """The sizes of a grid or block along its axes."""
    meant = site.defined(sizes)
    return meant.elts if isinstance(meant, ast.Tuple) else [sizes]


def _following(site: LaunchSite, sizes: tuple[ast.Constant, ...], axes: frozenset[str]) -> _Plan | None:
    """The plan of a launch whose grid follows from the block along each axis that the kernel checks."""
    parts = _parts(site.grid, site)
    stands: list[tuple[_Stand, int]] = []
    counts = []
    for axis, size in enumerate(sizes):
        if size.value == 1:
            continue
        part = parts[axis] if axis < len(parts) else None
        if part is None or "xyz"[axis] not in axes:
            return None
        written_here = isinstance(part, ast.Constant) and inside(site.module, part, site.subscript)
        if written_here and (count := _number_of(site, part)) is not None:
            counts.append((count, axis))
            continue
        found = _GridForm(site, size).stands(part)
        if found is None:
            return None
        stands += [(one, axis) for one in found]
    return _Plan(site, sizes, tuple(stands), tuple(counts))


def _sizes(place: Place, old: list[int]) -> list[int] | None:
    """The new sizes of the block: axes of one thread stay. None where they are as they were."""
    wide = [axis for axis, size in enumerate(old) if size > 1]
    names = {1: ("one_axis",), 2: ("first_of_two_axes", "second_of_two_axes")}.get(len(wide), ())
    if not names:
        return None
    new = list(old)
    for axis, name in zip(wide, names, strict=True):
        new[axis] = int(float(place.parameters[name]))
    return new if new != old else None


def _is_mostly_idle(plan: _Plan, sizes: Sequence[int]) -> bool:
    """Whether a grid of a fixed number of threads has fewer of them than the new block along an axis."""
    return any(plan.threads(count, axis) < sizes[axis] for count, axis in plan.counts)


def _at_the_numbers(place: Place, host: HostUses, plan: _Plan, sizes: Sequence[int]) -> list[Edit] | None:
    """The edits of the numbers themselves; None where one stands for two sizes or is used elsewhere too."""
    module = place.module
    values = {id(number): size for number, size in zip(plan.numbers, sizes, strict=True)}
    if any(values[id(number)] != size for number, size in zip(plan.numbers, sizes, strict=True)):
        return None
    literal = [(stand, axis) for stand, axis in plan.stands if not stand.by_name]
    changed = _NamesOfSizes(module, [*plan.numbers, *(stand.node for stand, _ in literal)])
    involved = _involved(place, host, plan, changed)
    if involved is None or not changed.are_used_in([one.site.subscript for one in involved]):
        return None
    if _is_imported(place, changed.names):
        return None
    found = [module.replaced(number, str(values[id(number)])) for number in plan.numbers]
    for one in involved:
        new = [values.get(id(number), size) for number, size in zip(one.numbers, one.block, strict=True)]
        if prod(new) > float(place.parameters["most_threads"]) or _is_mostly_idle(one, new):
            return None
        found += one.count_edits(new)
    found += [module.replaced(stand.node, str(sizes[axis] + stand.addend)) for stand, axis in literal]
    return list(dict.fromkeys(edit for edit in found if module.text[edit.start : edit.end] != edit.text))


def _involved(place: Place, host: HostUses, plan: _Plan, changed: _NamesOfSizes) -> list[_Plan] | None:
    """The plans of all launches that use changed names; None where one cannot take another block."""
    found = [plan]
    for site, kernel in host.launches:
        used = any(inside(place.module, one, site.subscript) for one in changed.uses)
        if site.call is not plan.site.call and used:
            other = _plan(place, site, kernel)
            if other is None or not all(stand.by_name for stand, _ in other.stands):
                return None
            found.append(other)
    return found


def _in_the_launch(plan: _Plan, sizes: Sequence[int]) -> list[Edit] | None:
    """The edits that write the numbers into the launch and its grid; None where others use the grid too."""
    site, module = plan.site, plan.site.module
    changed = _NamesOfSizes(module, [stand.node for stand, _ in plan.stands])
    if not changed.are_used_in([site.subscript]):
        return None
    written = ", ".join(map(str, sizes)) + ("," if len(sizes) == 1 else "")
    whole = isinstance(site.defined(site.block), ast.Tuple)
    written = f"({written})" if whole else str(sizes[0])
    found = [module.replaced(site.block, written), *plan.count_edits(sizes)]
    found += [module.replaced(stand.node, str(sizes[axis] + stand.addend)) for stand, axis in plan.stands]
    return found


def _is_imported(place: Place, names: set[str]) -> bool:
    """Whether another file that is known names this one and one of the names."""
    stem = place.finding.path.rpartition("/")[2].removesuffix(".py")
    word = re.compile(rf"\b{re.escape(stem)}\b")
    wanted = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b") if names else None
    others = (text for path, text in place.modules.texts.items() if path != place.finding.path)
    return wanted is not None and any(word.search(text) and wanted.search(text) for text in others)


@dataclass(frozen=True)
class _Stand:
    """An expression that stands for the block's size plus `addend`; `by_name` where it follows a number that
    is written elsewhere.
    """

    node: ast.expr
    addend: int = 0
    by_name: bool = False


def _number_of(site: LaunchSite, value: ast.expr) -> ast.Constant | None:
    """The integer that an expression is: written there, by a name that is given it once, or `BLOCK[0]` of a
    tuple with such a name; else None.
    """
    value = site.defined(value)
    if isinstance(value, ast.Constant):
        return value if type(value.value) is int else None
    if isinstance(value, ast.Subscript):
        owner, position = site.defined(value.value), written_integer(value.slice)
        if isinstance(owner, ast.Tuple) and position is not None and position < len(owner.elts):
            return _number_of(site, owner.elts[position])
    return None


class _GridForm:
    """The grid of a launch along one axis, for blocks whose size along it is a number in the file."""

    def __init__(self, site: LaunchSite, size: ast.Constant) -> None:
        self.site, self.size = site, size
        self.threads = written_integer(size) or 0

    def stands(self, grid: ast.expr, depth: int = _DEPTH) -> list[_Stand] | None:
        """Where the block's size stands in a grid of at least `n / T` blocks; None for other grids."""
        found = self._stands(grid, depth)
        if found is None:
            return None
        # The size within `n` would change what is covered.
        named = [one for one in map(self._size, self._parts(grid, depth)) if one is not None and one.by_name]
        return found if len(named) <= len(found) else None

    def _stands(self, grid: ast.expr, depth: int) -> list[_Stand] | None:
        if depth == 0:
            return None
        match self.site.defined(grid):
            case meant if meant is not grid:
                return self._stands(meant, depth - 1)
            case ast.Call() as call:
                return self._of_call(call, depth)
            case ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub()), ast.FloorDiv(), threads)):
                return self._one(threads)  # -(-n // T)
            case ast.BinOp(whole, ast.FloorDiv(), threads):
                return self._of_rounded(whole, threads)
            case ast.BinOp(ast.BinOp(_, ast.FloorDiv(), threads), ast.Add(), one) | ast.BinOp(
                one, ast.Add(), ast.BinOp(_, ast.FloorDiv(), threads)
            ) if written_integer(one) == 1:
                return self._one(threads)  # n // T + 1, which covers n and one more
        return None

    def _one(self, threads: ast.expr) -> list[_Stand] | None:
        size = self._size(threads)
        return [size] if size else None

    def _size(self, node: ast.expr) -> _Stand | None:
        """The block's size, by its name or as the same number."""
        if isinstance(node, ast.Call) and called_name(node) == "float" and len(node.args) == 1:
            node = node.args[0]
        number = _number_of(self.site, node)
        if number is self.size and number is not node:
            return _Stand(node, by_name=True)
        return _Stand(node) if written_integer(node) == self.threads > 1 else None

    def _of_rounded(self, left: ast.expr, right: ast.expr) -> list[_Stand] | None:
        """`(n + T - 1) // T` and `(n + 99) // 100`, the parts of the sum in any order."""
        below = self._size(right)
        if below is None:
            return None
        sizes, offset, others, nodes = [], 0, 0, []
        for sign, part in _terms(left, 1):
            size, number = self._size(part) if sign > 0 else None, written_integer(part)
            if size is not None:
                sizes.append(size)
            elif number is not None:
                offset += sign * number
                nodes.append(part)
            else:
                others += 1
        if not others:
            return None
        if len(sizes) == 1 and offset == -1:
            return [below, *sizes]
        if not sizes and len(nodes) == 1 and offset == self.threads - 1:
            return [below, _Stand(nodes[0], -1)]
        return None

    def _of_call(self, call: ast.Call, depth: int) -> list[_Stand] | None:
        """`ceil(n / T)`, `int(…)` and `max(…, 1)` of a grid."""
        match called_name(call), call.args:
            case _ if call.keywords:
                return None
            case "int", [value]:
                return self._stands(value, depth - 1)
            case "max", [_, _]:
                grids = [one for one in call.args if written_integer(one) is None]
                return self._stands(grids[0], depth - 1) if len(grids) == 1 else None
            case "ceil", [ast.BinOp(_, ast.Div(), threads)]:
                return self._one(threads)
        return None

    def _parts(self, grid: ast.expr, depth: int) -> list[ast.expr]:
        """The names and elements of tuples in a grid, also behind its names."""
        meant = self.site.defined(grid)
        if meant is not grid and depth:
            return self._parts(meant, depth - 1)
        module = self.site.module
        found: list[ast.expr] = []
        for node in module.nodes_in(ast.Name, grid):
            above = module.parent(node)
            found.append(above if isinstance(above, ast.Subscript) and above.value is node else node)
        return found


def _terms(value: ast.expr, sign: int) -> list[tuple[int, ast.expr]]:
    """The parts of a sum with their signs."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
        other = sign if isinstance(value.op, ast.Add) else -sign
        return [*_terms(value.left, sign), *_terms(value.right, other)]
    return [(sign, value)]


class _NamesOfSizes:
    """The names that get another value when some numbers or parts of expressions of a file are changed.

    `names` are those of the module, which other files may use; `uses` are all places where one is read.
    """

    def __init__(self, module: SourceModule, changed: Iterable[ast.expr]) -> None:
        self.module = module
        self.names: set[str] = set()
        self.uses: list[ast.Name] = []
        self._lines: list[ast.Assign | ast.AnnAssign] = []
        for node in changed:
            self._follow(node)

    def are_used_in(self, allowed: Iterable[ast.AST]) -> bool:
        """Whether the names are used in these nodes only, and in the values of such names."""
        known = [*allowed, *(line.value for line in self._lines if line.value is not None)]
        return all(any(inside(self.module, use, one) for one in known) for use in self.uses)

    def _follow(self, node: ast.expr) -> None:
        """Note the assignment that a node is part of, and those that use what it assigns."""
        line = self.module.statement_of(node)
        if not isinstance(line, ast.Assign | ast.AnnAssign) or line in self._lines:
            return
        self._lines.append(line)
        scope = self.module.scope_of(line)
        for target in line.targets if isinstance(line, ast.Assign) else [line.target]:
            for name in self.module.nodes_in(ast.Name, target):
                if scope is None:
                    self.names.add(name.id)
                for use in self.module.names[name.id]:
                    if use is not name and belongs(self.module, use, scope):
                        self.uses.append(use)
                        self._follow(use)
