"""Two launches one behind the other, where the second only reads what the first wrote at the same place."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Sequence

from advisor.evidence.source.host.host_records import host_record
from advisor.evidence.source.host.launch_sequences.fused_traffic import saved_share
from advisor.evidence.source.host.launch_sequences.own_elements import OwnElements
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
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
    kernels = OwnElements(walked)
    for statement, second in by_statement.items():
        before = _before(statement, module)
        first = by_statement.get(before) if before is not None else None
        if first is None or first.kernel is None or second.kernel is None:
            continue
        if first.node.keywords or second.node.keywords or first.kernel is second.kernel:
            continue
        pair = _pair(first, first.kernel, second, second.kernel, kernels)
        if pair is not None:
            run = _run(statement, by_statement, module, kernels)
            pair.know("source", saved_share=saved_share(run, kernels) if len(run) > 1 else None)
            yield pair


def _run(
    statement: ast.stmt, by_statement: dict[ast.stmt, Launch], module: ModuleSyntax, kernels: OwnElements
) -> list[Launch]:
    """A launch and those directly before it that one kernel could do with it, in their order."""
    run = [by_statement[statement]]
    before = _before(statement, module)
    while before is not None and (launch := by_statement.get(before)) is not None:
        alike = launch.kernel is not None and _configuration(launch) == _configuration(run[0])
        if not alike or launch.node.keywords or not all(_apart(launch, one, kernels) for one in run):
            break
        run.insert(0, launch)
        before = _before(before, module)
    return run


def _before(statement: ast.stmt, module: ModuleSyntax) -> ast.stmt | None:
    """The statement before another one of its block; none at the top of a module."""
    if isinstance(module.parents.get(statement), ast.Module):
        return None
    block = module.block_of(statement)
    at = block.index(statement)
    return block[at - 1] if at else None


def _pair(
    first: Launch, producer: Declaration, second: Launch, consumer: Declaration, kernels: OwnElements
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
        return host_record(
            second.module,
            "launch_pair",
            second.node.func,
            second.name,
            first=first.name,
            second=second.name,
            array=argument.id,
            same_place=_apart(first, second, kernels),
            same_grid=_configuration(first) == _configuration(second),
        )
    return None


def _apart(first: Launch, second: Launch, kernels: OwnElements) -> bool:
    """Whether each array that both launches get is one that neither writes, or of own elements in both."""
    assert first.kernel is not None and second.kernel is not None
    for number, argument in enumerate(first.node.args[: len(first.kernel.parameters)]):
        if not isinstance(argument, ast.Name):
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
