"""Two launches one behind the other, where the second only reads what the first wrote at the same place."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Sequence

from advisor.evidence.source.host.host_records import host_record
from advisor.evidence.source.kernel_walk.index_bounds import grid_axis
from advisor.evidence.source.kernel_walk.walk import WalkedKernels, all_uses_are_followed
from advisor.model.records import Record
from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.launches import Launch
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.written_code import as_written


def pair_records(module: ModuleSyntax, launches: Sequence[Launch], walked: WalkedKernels) -> Iterator[Record]:
    """The pairs of launches in neighbouring statements of which the second reads an array that the first
    writes: whether each thread touches only its own element of it in both kernels, and whether both launches
    have the same grid, block and stream.
    """
    by_statement: dict[ast.stmt, Launch] = {
        parent: launch
        for launch in launches
        if isinstance(parent := module.parents.get(launch.node), ast.Expr)
    }
    kernels = _Kernels(walked)
    for statement, second in by_statement.items():
        before = _before(statement, module)
        first = by_statement.get(before) if before is not None else None
        if first is None or first.kernel is None or second.kernel is None:
            continue
        if first.node.keywords or second.node.keywords or first.kernel is second.kernel:
            continue
        pair = _pair(first, first.kernel, second, second.kernel, kernels)
        if pair is not None:
            yield pair


def _before(statement: ast.stmt, module: ModuleSyntax) -> ast.stmt | None:
    """The statement before another one of its block; none at the top of a module."""
    if isinstance(module.parents.get(statement), ast.Module):
        return None
    block = module.block_of(statement)
    at = block.index(statement)
    return block[at - 1] if at else None


class _Kernels:
    """What kernels do with the elements of the arrays that they are given."""

    def __init__(self, walked: WalkedKernels) -> None:
        self._walked, self._resolver = walked, walked.resolver

    def may_store(self, kernel: Declaration, parameter: str) -> bool:
        """Whether a kernel may store to an array."""
        return self._resolver.array_effects.of(kernel.module, kernel.node, parameter).writes

    def does(self, kernel: Declaration, parameter: str, *kinds: str) -> bool:
        """Whether a kernel has an access of one of some kinds to an array."""
        return any(
            one.array.name == parameter and one.kind in kinds for one in self._walked.facts(kernel).accesses
        )

    def own_axes(self, kernel: Declaration, parameter: str) -> tuple[str, ...] | None:
        """The grid axes by which each thread indexes an array, where it touches nothing but its own element.

        None where the array is used in any other way, or in more than one order.
        """
        facts = self._walked.facts(kernel)
        array = next((one for one in facts.arrays if one.parameter and one.name == parameter), None)
        if array is None or not all_uses_are_followed(array, facts, self._resolver.resolve):
            return None
        if any(one.array is array for one in facts.atomics):
            return None
        found: set[tuple[str, ...] | None] = set()
        for access in facts.accesses:
            if access.array is array:
                axes = [grid_axis(one.form, access.place.loops) for one in access.indices if not one.is_slice]
                known = tuple(one for one in axes if one is not None)
                found.add(known if len(known) == len(access.indices) and not access.whole else None)
        return next(iter(found)) if len(found) == 1 else None


def _pair(
    first: Launch, producer: Declaration, second: Launch, consumer: Declaration, kernels: _Kernels
) -> Record | None:
    for number, argument in enumerate(first.node.args):
        if not isinstance(argument, ast.Name) or number >= len(producer.parameters):
            continue
        places = [
            at
            for at, one in enumerate(second.node.args)
            if isinstance(one, ast.Name) and one.id == argument.id
        ]
        if len(places) != 1 or places[0] >= len(consumer.parameters):
            continue
        written, read = producer.parameters[number], consumer.parameters[places[0]]
        if not kernels.does(producer, written, "store", "update"):
            continue
        if not kernels.does(consumer, read, "load", "update"):
            continue
        axes = kernels.own_axes(producer, written)
        same = axes is not None and axes == kernels.own_axes(consumer, read)
        same = same and _others_apart(first, second, argument.id, kernels)
        return host_record(
            second.module,
            "launch_pair",
            second.node.func,
            second.name,
            first=first.name,
            second=second.name,
            array=argument.id,
            same_place=same,
            same_grid=_configuration(first) == _configuration(second),
        )
    return None


def _others_apart(first: Launch, second: Launch, array: str, kernels: _Kernels) -> bool:
    """Whether every other array of both launches is one that the first does not write, or of own elements."""
    assert first.kernel is not None and second.kernel is not None
    for number, argument in enumerate(first.node.args[: len(first.kernel.parameters)]):
        if not isinstance(argument, ast.Name) or argument.id == array:
            continue
        for at, other in enumerate(second.node.args[: len(second.kernel.parameters)]):
            if not (isinstance(other, ast.Name) and other.id == argument.id):
                continue
            here, there = first.kernel.parameters[number], second.kernel.parameters[at]
            if not kernels.may_store(first.kernel, here) and not kernels.may_store(second.kernel, there):
                continue
            axes = kernels.own_axes(first.kernel, here)
            if axes is None or axes != kernels.own_axes(second.kernel, there):
                return False
    return True


def _configuration(launch: Launch) -> Hashable:
    return as_written(launch.node.func.slice) if isinstance(launch.node.func, ast.Subscript) else None
