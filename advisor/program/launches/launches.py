"""Launches in host code: which kernel, what block and grid, which arguments, in which loop."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from advisor.model.text.notebooks.joined_text import is_repeated_by_command
from advisor.program.arrays.array_extents import (
    Extents,
    extents_of_arguments,
    largest_host_array,
    sizes_of_arrays,
)
from advisor.program.arrays.array_orders import Order, orders_of_arguments
from advisor.program.arrays.given_arrays import Given, given_arrays
from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.host_types import HostTypes
from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.block_shape import BlockShape
from advisor.program.launches.block_sizes import (
    default_of,
    is_also_argument,
    shapes_of_arguments,
    smallest_block,
)
from advisor.program.launches.grid_rounding import divides_up, rounds_up
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.launch_targets import launched_kernel
from advisor.program.launches.needless_copies import NeedlessCopies, needless_copies
from advisor.program.launches.timing_loops import timing_loop
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.values.constant_folding import UNKNOWN, is_open
from advisor.program.values.constants import Constants


@dataclass(frozen=True)
class Launch:
    """One launch in the source; sizes are None where the source does not fix them. `named_otherwise` tells a
    name that stands for no kernel of that name, whatever else it stands for.
    """

    module: ModuleSyntax
    node: ast.Call
    name: str
    kernel: Declaration | None
    block: tuple[int | None, ...] | None
    grid: tuple[int | None, ...] | None
    block_follows_data: bool
    block_node: ast.expr | None
    dynamic_shared: int | None
    loops: int
    timed: bool
    host_arrays: tuple[str, ...] | None
    rounded_up: bool
    named_otherwise: bool = False
    argument_types: tuple[str | None, ...] = ()
    argument_extents: tuple[Extents | None, ...] = ()
    argument_orders: tuple[Order, ...] = ()
    smallest_block: int | None = None
    array_sizes: list[tuple[int, ...]] | None = None
    largest_host_array: int | None = None
    needless_copies: NeedlessCopies = field(default_factory=NeedlessCopies)
    default_block: tuple[int | None, ...] | None = None
    timed_by_command: bool = False
    given_arrays: tuple[Given, ...] = ()
    divides_size: bool = False

    @property
    def kernel_key(self) -> str | None:
        """The key of its kernel, None where it is not known, and an empty one for no kernel of that name."""
        return self.kernel.key if self.kernel else "" if self.named_otherwise else None

    @property
    def configured_in_loop(self) -> bool:
        """Whether the host loop around the launch also writes its configuration."""
        return self.loops > 0 and isinstance(self.node.func, ast.Subscript)

    @property
    def block_shape(self) -> BlockShape | None:
        """The block's shape when at least its first size is known, also by a parameter's default."""
        block = self.default_block if self.block is None else self.block
        if block is None or all(size is None for size in block):
            return None
        sizes = [*block, 1, 1][:3]
        return BlockShape(sizes[0], sizes[1], sizes[2])


def find_launches(module: ModuleSyntax, resolver: Resolver) -> list[Launch]:
    """The launches of a module, in order of lines."""
    found = []
    for call in module.calls:
        configured = _configured(call, module)
        if configured is None:
            continue
        launch = _launch(module, call, *configured, resolver)
        if launch is not None:
            found.append(launch)
    return found


def _configured(
    call: ast.Call, module: ModuleSyntax
) -> tuple[ast.expr, ast.expr, Sequence[ast.expr] | None] | None:
    """The kernel expression, the configuration and its parts where these are written one by one, of
    `kernel[config](…)` and `kernel.configure(grid, block)(…)`, also through a name.
    """
    function = call.func
    if isinstance(function, ast.Name):
        scope = module.scope_of(call)
        function_around = scope if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) else None
        values = HostScope.bound(module, function_around, function.id)
        if len(values) == 1 and isinstance(values[0], ast.Subscript | ast.Call):
            function = values[0]
    if isinstance(function, ast.Subscript):
        parts = function.slice.elts if isinstance(function.slice, ast.Tuple) else None
        return function.value, function.slice, parts
    if isinstance(function, ast.Call) and isinstance(function.func, ast.Attribute):
        starred = any(isinstance(one, ast.Starred) for one in function.args)
        if function.func.attr == "configure" and not starred and function.args:
            return function.func.value, function.args[0], function.args
    return None


def _launch(
    module: ModuleSyntax,
    call: ast.Call,
    target: ast.expr,
    configuration: ast.expr,
    parts: Sequence[ast.expr] | None,
    resolver: Resolver,
) -> Launch | None:
    kernel, named_otherwise = launched_kernel(target, module, resolver)
    name = (
        target.id
        if isinstance(target, ast.Name)
        else target.attr
        if isinstance(target, ast.Attribute)
        else kernel.name
        if kernel is not None
        else ""
    )
    if kernel is None and (not name or parts is None or not 2 <= len(parts) <= 5):
        return None
    if kernel is not None and kernel.device:
        return None
    function = next(
        (s for s in module.scopes(call) if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef)), None
    )
    if function is not None and resolver.declaration_of(function, module) is not None:
        return None
    constants = Constants(resolver.workspace, module, function)
    if parts is None:
        whole = constants.value(configuration)
        values = list(whole) if isinstance(whole, tuple) else [UNKNOWN, UNKNOWN]
        block_node = None
    else:
        values = [constants.value(part) for part in parts]
        if kernel is not None and is_open(values[1]):
            constants = Constants(resolver.workspace, module, function, shapes_of_arguments(call, kernel))
            values[1] = constants.value(parts[1])
        block_node = parts[1]
    if kernel is None and (not _plausible(values) or _is_computed_with(call, module)):
        return None
    scope = HostScope(module, function, resolver.workspace)
    loops = host_loops(module, call)
    shared = values[3] if len(values) > 3 else None
    return Launch(
        module, call, name, kernel, _sizes(values[1] if len(values) > 1 else UNKNOWN), _sizes(values[0]),
        block_node is not None and (scope.follows_data(block_node) or is_also_argument(block_node, call)),
        block_node,
        shared if isinstance(shared, int) else None,
        len(loops), any(timing_loop(loop, module) for loop in loops), scope.host_arrays(call.args),
        rounds_up(parts[0] if parts else configuration, scope), named_otherwise, _argument_types(call, scope),
        extents_of_arguments(call.args, scope) if kernel is not None else (),
        orders_of_arguments(call.args, scope),
        smallest_block(block_node, constants) if block_node is not None and is_open(values[1]) else None,
        sizes_of_arrays(call.args, scope), largest_host_array(call.args, scope),
        needless_copies(call, kernel, scope, loops, resolver.array_effects),
        _sizes(default_of(block_node.id, function)) if isinstance(block_node, ast.Name) else None,
        is_repeated_by_command(module.source.text, call.lineno), given_arrays(call, scope),
        divides_up(parts[0] if parts else configuration, scope),
    )  # fmt: skip


def _argument_types(call: ast.Call, scope: HostScope) -> tuple[str | None, ...]:
    if call.keywords or any(isinstance(argument, ast.Starred) for argument in call.args):
        return ()
    return HostTypes(scope).of_arguments(call.args)


def _is_computed_with(call: ast.Call, module: ModuleSyntax) -> bool:
    """Whether the value of a call is used, which a launch has none of; a lambda's or list's is not."""
    parent = module.parents.get(call)
    unused = ast.Expr | ast.Await | ast.Lambda | ast.ListComp | ast.Assign
    return not isinstance(parent, unused)


def _plausible(values: list[object]) -> bool:
    """Whether an unknown callee with these values can be a launch: the block must be a size."""
    block = _sizes(values[1]) if len(values) > 1 else None
    return block is not None and all(size is not None and 1 <= size <= 1024 for size in block)


def _sizes(value: object) -> tuple[int | None, ...] | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int) and value > 0:
        return (value,)
    if isinstance(value, float) and value > 0 and value == int(value):
        return (int(value),)
    if isinstance(value, tuple) and 1 <= len(value) <= 3:
        return tuple(_size(item) for item in value)
    return None


def _size(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value > 0 else None
