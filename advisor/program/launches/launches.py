"""Launches in host code: which kernel, what block and grid, which arguments, in which loop."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from advisor.model.compilation_unit import ArgumentValue, StatedLaunch
from advisor.model.text.notebooks.joined_text import is_repeated_by_command
from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import Order
from advisor.program.arrays.launch_arguments import (
    Extents,
    Given,
    argument_types,
    extents_of_arguments,
    given_arrays,
    largest_host_array,
    orders_of_arguments,
    sizes_of_arrays,
    values_of_arguments,
)
from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.block_shape import BlockShape, threads_of
from advisor.program.launches.configured_calls import ConfiguredCall, ConfiguredCalls
from advisor.program.launches.grid_rounding import (
    divides_up,
    makes_data_for,
    refuses_remainders,
    rounded_axes,
    shares_out,
)
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.kernel_values import Operand
from advisor.program.launches.named_values import NamedValues
from advisor.program.launches.needless_copies import NeedlessCopies, needless_copies
from advisor.program.launches.sized_grid import is_number, sized
from advisor.program.launches.timing_loops import timing_loop
from advisor.program.names.scope_bindings import values_at
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.written_code import as_written
from advisor.program.values.constant_folding import UNKNOWN, is_open
from advisor.program.values.constants import Constants

_SPEAKS_OF_THREADS = re.compile(r"thread|block|blk|tpb|bdim|warp|tile|^nt$", re.IGNORECASE)
_MOST_VALUES = 4


@dataclass(frozen=True)
class Launch:
    """One launch in the source; sizes are None where the source does not fix them. `sized_grid` is the grid
    also where it follows from arrays of fixed sizes. `named_otherwise` tells a name that stands for no kernel
    of that name, whatever else it stands for. `kernels` are all that it may launch, of which `kernel` is the
    only one, and `target` their expression; `in_helper`: the call is one of a function that launches.
    """

    module: ModuleSyntax
    node: ast.Call
    name: str
    kernel: Declaration | None
    block: tuple[int | None, ...] | None
    grid: tuple[int | None, ...] | None
    block_follows_data: bool
    block_is_share: bool
    dynamic_shared: int | None
    loops: int
    timed: bool
    host_arrays: tuple[str, ...] | None
    rounded_axes: frozenset[str]
    named_otherwise: bool = False
    argument_types: tuple[str | None, ...] = ()
    argument_extents: tuple[Extents | None, ...] = ()
    argument_orders: tuple[Order, ...] = ()
    smallest_block: int | None = None
    possible_blocks: tuple[tuple[int | None, ...], ...] = ()
    array_sizes: list[tuple[int, ...]] | None = None
    largest_host_array: int | None = None
    needless_copies: NeedlessCopies = field(default_factory=NeedlessCopies)
    default_block: tuple[int | None, ...] | None = None
    timed_by_command: bool = False
    given_arrays: tuple[Given, ...] = ()
    divides_size: bool = False
    arguments: tuple[ast.expr, ...] = ()
    target: ast.expr | None = None
    kernels: tuple[Declaration, ...] = ()
    in_helper: bool = False
    argument_values: tuple[tuple[ArgumentValue, ...], ...] = ()
    cuts_data: bool = False
    sized_grid: tuple[int | None, ...] | None = None

    @property
    def likely_block(self) -> tuple[int | None, ...] | None:
        """The block, by defaults where the source leaves it or a part of it open."""
        if self.block is None or (self.default_block is not None and None in self.block):
            return self.default_block
        return self.block

    @property
    def stated(self) -> StatedLaunch:
        """What the source says of the launch, as a plain value."""
        block = self.likely_block
        path, line = self.module.path, self.node.lineno
        return StatedLaunch(
            path,
            line,
            block,
            self.grid,
            self.dynamic_shared,
            self.argument_values,
            self.possible_blocks,
            self.block_is_share and (self.block is None or None in self.block),
            self.sized_grid,
        )

    @property
    def kernel_key(self) -> str | None:
        """The key of its kernel, None where it is not known, and an empty one for no kernel of that name."""
        return self.kernel.key if self.kernel else "" if self.named_otherwise else None

    @property
    def kernel_keys(self) -> tuple[str, ...] | None:
        """The keys of all kernels that it may launch, None where only a name is known."""
        if not self.kernels and not self.named_otherwise:
            return None
        return tuple(one.key for one in self.kernels)

    @property
    def configured_in_loop(self) -> bool:
        """Whether the host loop around the launch also writes its configuration."""
        return self.loops > 0 and isinstance(self.node.func, ast.Subscript)

    @property
    def block_shape(self) -> BlockShape | None:
        """The block's shape when it tells how a warp lies in it, also by a parameter's default.

        With an unknown size along x a warp may lie in one row of the block or in several.
        """
        block = self.likely_block
        if block is None or all(size is None for size in block):
            return None
        if block[0] is None and any(size != 1 for size in block[1:]):
            return None
        sizes = [*block, 1, 1][:3]
        return BlockShape(sizes[0], sizes[1], sizes[2])


def find_launches(
    module: ModuleSyntax, resolver: Resolver, host_values: HostValues | None = None
) -> list[Launch]:
    """The launches of a module, in order of lines; `host_values` are those of the workspace."""
    host_values = host_values or HostValues(resolver.workspace)
    calls = ConfiguredCalls(module, resolver)
    found = []
    for call in calls.all():
        launch = _launch(module, call, resolver, calls.evaluation.names, host_values)
        if launch is not None:
            found.append(launch)
    return found


def _launch(
    module: ModuleSyntax,
    configured: ConfiguredCall,
    resolver: Resolver,
    names: NamedValues,
    host_values: HostValues,
) -> Launch | None:
    call, kernel = configured.call, configured.kernel
    name = _name_of(configured)
    written = configured.configuration
    parts = written.parts
    if not configured.kernels and (not name or parts is None or not 2 <= len(parts) <= 5):
        return None
    kernels = tuple(one for one in configured.kernels if not one.device)
    if configured.kernels and not kernels:
        return None
    function = module.function_around(call)
    if function is not None and resolver.declaration_of(function, module) is not None:
        return None
    block = names.given(parts[1]) if parts and len(parts) > 1 and parts[1] else None
    grid = names.given(parts[0]) if parts and parts[0] else written.whole
    values = _configuration_values(configured, resolver.workspace)
    if not kernels and (not _plausible(values) or _is_computed_with(call, module)):
        return None
    grid_size, block_size, *_ = map(_sizes, [*values, UNKNOWN, UNKNOWN])
    scope = HostScope(module, function, host_values)
    loops = host_loops(module, call)
    shared = values[3] if len(values) > 3 else None
    arguments = [one.node for one in configured.arguments]
    # Arguments that stand elsewhere have other names there.
    here = all(one.frame is None and _is_in(one, module, function) for one in configured.arguments)
    given = call if configured.in_place else _with_arguments(call, arguments if here else [])
    sizes = _Sizes(block, grid, host_values, for_all=written.whole is None and parts is not None)
    is_chosen = len(values) > 1 and is_open(values[1])
    return Launch(
        module, call, name, kernel, block_size, grid_size,
        sizes.follows_data() or (block is not None and is_also_argument(block.node, given)),
        sizes.block_is_share(),
        shared if isinstance(shared, int) else None,
        len(loops), any(timing_loop(loop, module) for loop in loops),
        scope.host_arrays(given.args) if here else None, sizes.rounded_axes(),
        configured.otherwise and kernel is None, argument_types(given, scope) if here else (),
        extents_of_arguments(given.args, scope) if kernels and here else (),
        orders_of_arguments(given.args, scope) if here else (),
        sizes.smallest() if is_chosen else None,
        sizes.possible() if is_chosen else (),
        sizes_of_arrays(given.args, scope) if here else None,
        largest_host_array(given.args, scope) if here else None,
        needless_copies(call, kernel, scope, loops, resolver.array_effects)
        if configured.in_place else NeedlessCopies(),
        sizes.default_block() if is_chosen else None,
        is_repeated_by_command(module.source.text, call.lineno),
        given_arrays(given, scope) if here else (),
        sizes.divided_up(), tuple(arguments), configured.target.node, kernels, configured.in_helper,
        values_of_arguments(given.args, scope) if kernels and here and not given.keywords else (),
        sizes.cut_data(grid_size, block_size, arguments if here else ()),
        sizes.with_sizes_of_arrays(grid_size),
    )  # fmt: skip


class _Sizes:
    """What the source says of a block and a grid where they are written."""

    def __init__(
        self, block: Operand | None, grid: Operand | None, host_values: HostValues, for_all: bool = False
    ) -> None:
        """`for_all` tells a launch by `forall`, which divides its tasks among blocks itself, rounding up."""
        self._block, self._grid, self._host_values = block, grid, host_values
        self._for_all = for_all and grid is None

    def follows_data(self) -> bool:
        """Whether the block is a size of the data."""
        return self._block is not None and follows_data(self._block.node, self._scope(self._block))

    def block_is_share(self) -> bool:
        """Whether the block is a size of the data divided by the number of blocks."""
        if self._block is None or self._grid is None or self._block.module is not self._grid.module:
            return False
        return shares_out(self._block.node, self._grid.node, self._scope(self._block))

    def rounded_axes(self) -> frozenset[str]:
        """The axes along which the grid may have more threads than the data has elements."""
        if self._for_all:
            return frozenset() if self._is_single() else frozenset("x")
        return frozenset() if self._grid is None else rounded_axes(self._grid.node, self._scope(self._grid))

    def divided_up(self) -> bool:
        """Whether the grid is a size in whole blocks."""
        return self._grid is not None and divides_up(self._grid.node, self._scope(self._grid))

    def cut_data(
        self,
        grid: tuple[int | None, ...] | None,
        block: tuple[int | None, ...] | None,
        arguments: Sequence[ast.expr],
    ) -> bool:
        """Whether several blocks of several threads share the data, so that some sizes leave a rest; not
        where the program refuses such sizes, nor of data that is made for so many threads.
        """
        whole = self._grid is None or (grid is not None and all(size == 1 for size in grid))
        single = block is not None and all(size == 1 for size in block)
        if self._grid is None or self._block is None or whole or single or self.follows_data():
            return False
        scope = self._scope(self._grid)
        return not (
            refuses_remainders(scope) or makes_data_for(self._grid.node, self._block.node, arguments, scope)
        )

    def with_sizes_of_arrays(self, fixed: tuple[int | None, ...] | None) -> tuple[int | None, ...] | None:
        """The grid, also where it is computed from arrays of sizes that the source fixes; its one axis where
        it is a number that is not known.
        """
        if self._grid is None or (fixed is not None and None not in fixed):
            return fixed
        grid = _sizes(sized(self._grid.node, self._scope(self._grid))) or fixed
        return (None,) if grid is None and is_number(self._grid.node, self._grid.module) else grid

    def _is_single(self) -> bool:
        """Whether a block is known to have one thread."""
        block = self._block
        return block is not None and constants_at(block, self._host_values.workspace).value(block.node) == 1

    def smallest(self) -> int | None:
        """The fewest threads among the blocks that branches choose from."""
        block = self._block
        return (
            None
            if block is None
            else smallest_block(block.node, constants_at(block, self._host_values.workspace))
        )

    def possible(self) -> tuple[tuple[int | None, ...], ...]:
        """The blocks that branches choose from, as far as they are known."""
        if self._block is None:
            return ()
        constants = constants_at(self._block, self._host_values.workspace)
        sizes = map(_sizes, constants.possible(self._block.node, _MOST_VALUES))
        return tuple(dict.fromkeys(one for one in sizes if one is not None))

    def default_block(self) -> tuple[int | None, ...] | None:
        """The block where the callers of its function say nothing, else where the command line does."""
        if self._block is None:
            return None
        constants = constants_at(self._block, self._host_values.workspace, plain_start=True)
        value = constants.value(self._block.node)
        return None if threads_of(value) is None else _sizes(value)

    def _scope(self, operand: Operand) -> HostScope:
        return HostScope(operand.module, operand.module.function_around(operand.node), self._host_values)


def _configuration_values(configured: ConfiguredCall, workspace: Workspace) -> list[object]:
    """The values of grid, block, stream and shared memory as far as the source fixes them."""
    written, parts = configured.configuration, configured.configuration.parts
    if parts is None:
        whole = (
            UNKNOWN
            if written.whole is None
            else constants_at(written.whole, workspace).value(written.whole.node)
        )
        return list(whole) if isinstance(whole, tuple) else [UNKNOWN, UNKNOWN]
    # What looks like the launch of an unknown kernel is none by what its function's callers give.
    called_here = bool(configured.kernels)
    values = [
        UNKNOWN if one is None else constants_at(one, workspace, called_here=called_here).value(one.node)
        for one in parts
    ]
    block = parts[1] if len(parts) > 1 else None
    if block is not None and configured.kernels and configured.in_place and is_open(values[1]):
        shapes = shapes_of_arguments(configured.call, configured.kernels[0])
        values[1] = constants_at(block, workspace, shapes).value(block.node)
    return values


def constants_at(
    operand: Operand,
    workspace: Workspace,
    shapes: Mapping[str, object] | None = None,
    plain_start: bool = False,
    called_here: bool = False,
) -> Constants:
    """The constants where an expression stands, with what the calls that led there give the parameters."""
    bindings: dict[str, object] = dict(shapes or {})
    frame = operand.frame
    while frame is not None:
        for name, given in frame.given.items():
            if name not in bindings:
                bindings[name] = constants_at(given, workspace).value(given.node)
        frame = frame.outer
    function = operand.module.function_around(operand.node)
    return Constants(
        workspace,
        operand.module,
        function,
        bindings or None,
        plain_start=plain_start,
        called_here=called_here,
    )


def _name_of(configured: ConfiguredCall) -> str:
    """The name by which a launch calls its kernel: where it stands in the call, else the kernel's own."""
    target = configured.target.node
    if configured.in_helper and configured.kernel is not None:
        return configured.kernel.name
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute):
        return target.attr
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        # A kernel that is looked up by its name, as in the names that `exec` has bound.
        return target.slice.value if isinstance(target.slice.value, str) else ""
    if isinstance(target, ast.Call) and len(target.args) > 1 and isinstance(target.args[1], ast.Constant):
        looked_up = isinstance(target.func, ast.Name) and target.func.id == "getattr"
        if looked_up and isinstance(target.args[1].value, str):
            return target.args[1].value
    return configured.kernels[0].name if configured.kernels else ""


def _is_in(operand: Operand, module: ModuleSyntax, function: FunctionNode | None) -> bool:
    return operand.module is module and module.function_around(operand.node) is function


def _with_arguments(call: ast.Call, arguments: Sequence[ast.expr]) -> ast.Call:
    """A call as it would be with the arguments that it does not give itself."""
    return ast.copy_location(ast.Call(call.func, list(arguments), []), call)


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
    if isinstance(value, tuple):
        return tuple(map(_size, value)) if 1 <= len(value) <= 3 else None
    size = _size(value)
    return None if size is None else (size,)


def _size(value: object) -> int | None:
    """A number of blocks or threads; None for what is neither a whole number nor above zero."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        return None
    return int(value) if isinstance(value, int) or value.is_integer() else None


def shapes_of_arguments(call: ast.Call, kernel: Declaration) -> dict[str, object]:
    """For arrays that a launch passes by name, `name.shape` as a tuple of unknown sizes, its length known
    from the indices that the kernel uses.
    """
    found: dict[str, object] = {}
    for parameter, argument in zip(kernel.parameters, call.args, strict=False):
        rank = _rank(kernel, parameter) if isinstance(argument, ast.Name) else 0
        if rank and isinstance(argument, ast.Name):
            found[f"{argument.id}.shape"] = (UNKNOWN,) * rank
    return found


def follows_data(node: ast.expr, scope: HostScope, asked: frozenset[str] = frozenset()) -> bool:
    """Whether a block size is taken from a size of the data (`x.shape[0]`, `len(x)`); `asked` are the
    names that lead to it.
    """
    match node:
        case ast.Tuple():
            return any(follows_data(item, scope, asked) for item in node.elts)
        case ast.Name():
            values = [] if node.id in asked else values_at(scope.module, node)
            return bool(values) and all(
                one is not None and follows_data(one, scope, asked | {node.id}) for one in values
            )
        case ast.Subscript():
            return follows_data(node.value, scope, asked)
        case ast.Attribute():
            return node.attr in ("shape", "size")
        case ast.Call(func=ast.Name(id="int"), args=[first, *_]):
            return follows_data(first, scope, asked)
        case ast.Call(func=ast.Name(id="len"), args=[measured]):
            return not _is_written_out(measured, scope)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in ("len", "size")
    return False


def _is_written_out(node: ast.expr, scope: HostScope) -> bool:
    """Whether the source writes out all that an expression holds: a literal, or a name that is bound to a
    text or a tuple, which nothing can change.
    """
    if isinstance(node, ast.Name):
        values = [one for one in values_at(scope.module, node) if isinstance(one, ast.Constant | ast.Tuple)]
        fixed = len(values) == len(values_at(scope.module, node))
        return bool(values) and fixed and all(_is_written_out(one, scope) for one in values)
    if isinstance(node, ast.Tuple | ast.List):
        return not any(isinstance(one, ast.Starred) for one in node.elts)
    return isinstance(node, ast.Constant)


def _rank(kernel: Declaration, parameter: str) -> int:
    """The most indices in one subscript of a parameter, 0 where it is never indexed."""
    ranks = [
        len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1
        for node in kernel.module.inside(kernel.node, ast.Subscript)
        if isinstance(node.value, ast.Name) and node.value.id == parameter
    ]
    return max(ranks, default=0)


def is_also_argument(block: ast.expr, call: ast.Call) -> bool:
    """Whether a block size that is no count of threads by its name is also handed to the kernel, as sizes of
    data are.
    """
    if not isinstance(block, ast.Name | ast.Attribute):
        return False
    name = block.id if isinstance(block, ast.Name) else block.attr
    if _SPEAKS_OF_THREADS.search(name):
        return False
    written = as_written(block)
    return any(as_written(argument) == written for argument in call.args)


def smallest_block(block: ast.expr, constants: Constants) -> int | None:
    """The fewest threads among the block sizes that the branches of the host code choose from, None where
    fewer than two of them are known.
    """
    sizes = [threads_of(value) for value in constants.possible(block, _MOST_VALUES)]
    known = [size for size in sizes if size is not None]
    return min(known) if len(known) > 1 else None
