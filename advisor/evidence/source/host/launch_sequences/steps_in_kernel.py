"""Host loops whose steps could be those of a loop in the kernel: no thread needs what another has stored."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.evidence.source.host.launch_sequences.own_elements import Axes, OwnElements
from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.launches import Launch
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.module import ModuleSyntax, names_in
from advisor.program.syntax.tree_nodes import below
from advisor.program.syntax.written_code import as_written

_VIEWS = frozenset({"reshape", "ravel", "view", "transpose", "squeeze", "T", "flat", "split"})


@dataclass(frozen=True)
class _Given:
    """An array that a launch of the loop hands to its kernel."""

    name: ast.Name | ast.Attribute
    kernel: Declaration
    parameter: str


def steps_fit_in_kernel(launch: Launch, launches: Sequence[Launch], kernels: OwnElements) -> bool:
    """Whether each thread would meet nothing but its own elements if the loop around a launch ran in the
    kernel: of the arrays that launches of the loop change, a thread touches in all of them only elements at
    its own position along every axis along which threads have work.

    Whatever else the loop does is not asked for.
    """
    module, loops = launch.module, host_loops(launch.module, launch.node)
    inside = [one for one in launches if loops and loops[0] in host_loops(one.module, one.node)]
    if not inside or any(host_loops(module, one.node)[0] is not loops[0] for one in inside):
        return False
    if len({_configuration(one) for one in inside}) > 1 or _is_configured(inside[0], loops[0]):
        return False
    given = [*_arrays(inside, kernels)]
    axes = [kernels.positions(one.kernel) for one in inside if one.kernel is not None]
    if len(axes) < len(inside) or None in axes or None in given:
        return False
    known = [one for one in given if one is not None]
    positions = frozenset[str]().union(*(one for one in axes if one is not None))
    groups = _groups(known, loops[0])
    changed = [
        group for group in groups if any(kernels.may_store(one.kernel, one.parameter) for one in group)
    ]
    if not any(_goes_on(group, kernels) for group in changed) and not _numbers_change(inside, loops[0]):
        return False  # Each iteration does what the first has done.
    return bool(changed) and all(
        _is_own(group, positions, kernels) and not _is_seen_elsewhere(group, known, module)
        for group in changed
    )


def _configuration(launch: Launch) -> object:
    return as_written(
        launch.node.func.slice if isinstance(launch.node.func, ast.Subscript) else launch.node.func
    )


def _is_configured(launch: Launch, loop: ast.For | ast.While) -> bool:
    """Whether iterations have grids or blocks of their own."""
    parts = launch.node.func
    wanted = names_in(parts.slice) if isinstance(parts, ast.Subscript) else names_in(parts)
    bound = {one.id for one in below(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return bool(wanted & bound)


def _arrays(launches: Sequence[Launch], kernels: OwnElements) -> Iterator[_Given | None]:
    """The arrays that launches hand over, None for one that is no plain name."""
    for launch in launches:
        kernel, call = launch.kernel, launch.node
        if kernel is None or call.keywords or len(call.args) != len(kernel.parameters):
            yield None
            continue
        for argument, parameter in zip(call.args, kernel.parameters, strict=True):
            if not kernels.is_array(kernel, parameter):
                continue
            if isinstance(argument, ast.Name | ast.Attribute):
                yield _Given(argument, kernel, parameter)
            else:
                yield None


def _groups(given: Sequence[_Given], loop: ast.For | ast.While) -> list[list[_Given]]:
    """The arrays by their names; those that the loop lets change places belong together."""
    names = {_key(one.name): frozenset({_key(one.name)}) for one in given}
    for node in below(loop):
        if isinstance(node, ast.Assign):
            parts = [one for one in below(node) if isinstance(one, ast.Name | ast.Attribute)]
            meeting = [names[_key(one)] for one in parts if _key(one) in names]
            joined = frozenset[str]().union(*meeting)
            names.update(dict.fromkeys(joined, joined))
    found: dict[frozenset[str], list[_Given]] = {}
    for one in given:
        found.setdefault(names[_key(one.name)], []).append(one)
    return [*found.values()]


def _goes_on(group: Sequence[_Given], kernels: OwnElements) -> bool:
    """Whether a step reads what the one before it has left."""
    return any(kernels.does(one.kernel, one.parameter, "load", "update") for one in group)


def _numbers_change(launches: Sequence[Launch], loop: ast.For | ast.While) -> bool:
    """Whether iterations hand over numbers of their own."""
    bound = {one.id for one in below(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return any(names_in(argument) & bound for one in launches for argument in one.node.args)


def _is_own(group: Sequence[_Given], positions: frozenset[str], kernels: OwnElements) -> bool:
    """Whether threads touch the elements at their own position only, and at the same indices everywhere."""
    places: set[Axes | None] = {kernels.own_places(one.kernel, one.parameter) for one in group}
    own = next(iter(places))
    return len(places) == 1 and own is not None and {axis for axis in own if axis} >= positions > set()


def _is_seen_elsewhere(group: Sequence[_Given], given: Sequence[_Given], module: ModuleSyntax) -> bool:
    """Whether the same memory, or a part of it, may have another name among the arrays."""
    own = {_key(one.name) for one in group}
    others = [one.name for one in given if _key(one.name) not in own]
    roots = {root for one in group for root in _roots(one.name, module)}
    return any(not roots.isdisjoint(_roots(one, module)) for one in others)


def _roots(name: ast.expr, module: ModuleSyntax) -> set[str]:
    """The names of what an array is, or is a part of."""
    found = {_key(name)}
    values = values_at(module, name) if isinstance(name, ast.Name) else []
    return found | {_key(_viewed(one)) for one in values if one is not None}


def _viewed(value: ast.expr) -> ast.expr:
    """The array of which an expression is a part or another shape."""
    while True:
        inner = value.func if isinstance(value, ast.Call) else value
        if isinstance(inner, ast.Attribute) and inner.attr in _VIEWS:
            value = inner.value
        elif isinstance(value, ast.Subscript):
            value = value.value
        else:
            return value


def _key(node: ast.expr) -> str:
    return ast.unparse(node)
