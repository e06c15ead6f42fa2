"""Records of a kernel and of what is inside it, from its facts and the block shapes it is launched with.

A row is a part of an array that the kernel hands to a device function, one for each argument.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import THREAD
from advisor.evidence.source.kernel_walk.kernel_facts import (
    Access,
    AccessGroups,
    Array,
    BranchUse,
    Condition,
    KernelFacts,
    Place,
)
from advisor.evidence.source.kernels.access_records import access_records
from advisor.evidence.source.kernels.atomic_records import atomic_records
from advisor.evidence.source.kernels.bounds.counter_bounds import counter_bounds
from advisor.evidence.source.kernels.bounds.exact_fits import know_exact_fits
from advisor.evidence.source.kernels.bounds.exits_never_taken import is_never_taken
from advisor.evidence.source.kernels.bounds.guards_of_neighbours import know_elements_past_the_end
from advisor.evidence.source.kernels.bounds.half_guards import know_half_guards
from advisor.evidence.source.kernels.bounds.range_tests import range_test_outcome
from advisor.evidence.source.kernels.bounds.repeated_guards import repeated_guards
from advisor.evidence.source.kernels.bounds.rounded_indices import know_rounded_indices
from advisor.evidence.source.kernels.bounds.tiles import know_last_tiles
from advisor.evidence.source.kernels.bounds.unguarded_neighbours import know_unguarded_neighbours
from advisor.evidence.source.kernels.counted_indices import is_filled_by_data
from advisor.evidence.source.kernels.grid_order import exchanges_between_blocks
from advisor.evidence.source.kernels.loop_records import loop_records
from advisor.evidence.source.kernels.neighbour_reads import know_neighbour_reads
from advisor.evidence.source.kernels.operations.operation_records import operation_records
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.evidence.source.kernels.wrong_results.exchanged_axes import know_exchanged_axes
from advisor.evidence.source.kernels.wrong_results.joined_tests import joined_test_records
from advisor.evidence.source.kernels.wrong_results.name_records import name_records
from advisor.evidence.source.kernels.wrong_results.negative_counters import know_negative_counters
from advisor.evidence.source.kernels.wrong_results.position_slips import know_position_slips
from advisor.evidence.source.kernels.wrong_results.row_lengths import know_row_lengths
from advisor.evidence.source.kernels.wrong_results.statements_without_effect import statement_records
from advisor.evidence.source.kernels.wrong_results.stored_results import (
    does_nothing,
    is_without_effect,
    leaves_nothing,
    stores_nothing,
)
from advisor.evidence.source.kernels.wrong_results.unwritten_local import know_unwritten_reads
from advisor.evidence.source.kernels.wrong_results.variable_records import variable_records
from advisor.evidence.source.made_in_function import MadeInFunction
from advisor.evidence.source.test_paths import holds_tests
from advisor.evidence.source.warps.lost_updates import know_lost_updates
from advisor.evidence.source.warps.same_stores import know_same_stores
from advisor.evidence.source.warps.shared_states import draw_records
from advisor.evidence.source.warps.thread_use import (
    is_bounds_exit,
    is_bounds_guard,
    one_thread_works,
    single_thread,
)
from advisor.evidence.source.warps.unordered_shared import know_unordered
from advisor.evidence.source.warps.unset_shared import know_unset_shared
from advisor.model.records import Record
from advisor.model.text.notebooks import is_notebook
from advisor.program.arrays.escaping_kernels import kernel_is_argument
from advisor.program.arrays.stated_types import strided_parameters
from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.block_shape import ONE_THREAD, WARP, BlockShape, assumed_shapes, usual_shapes
from advisor.program.launches.launched_as import LaunchedAs
from advisor.program.resolution.signature_faults import signature_fault
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_THREADS = ("tid.x", "tid.y", "tid.z")
_MAX_UNROLLED = 64
_PATTERN = (
    "lane_axis", "lane_stride", "sectors_per_request", "ideal_sectors_per_request", "record_fields",
    "itemsize", "single_thread", "space", "fast_axis_thread", "exchanged_sectors_per_request",
    "exchange", "exchange_moves_problem", "used_together", "traffic_share", "sparse",
    "block_assumed", "outweighed_by_copies", "empty_by_default",
)  # fmt: skip


def kernel_records(facts: KernelFacts, launched: LaunchedAs, made: MadeInFunction) -> list[Record]:
    """All records of one kernel, for the block shapes of its launches or an assumed one."""
    blocks = launched.blocks
    shapes = _telling(blocks) or assumed_shapes(facts.thread_dimensions)
    kernel = _kernel_record(facts, blocks, made)
    kernel.know(
        "source",
        grid_rounded_up=bool(launched.rounded_axes) or None,
        blocks_share_data=launched.cuts_data or None,
        single_block=_has_single_block(launched),
        type_variants=launched.variants(),
        never_launched=launched.never,
        left_in_notebook=_is_left_in_notebook(facts.declaration, launched),
    )
    found = [kernel]
    open_block = launched.by_tests or not all(shape.stated for shape in shapes)
    others = usual_shapes(facts.thread_dimensions, bool(launched.types) and not blocks) if open_block else []
    if open_block and any(one.block_is_share for one in launched.stated):
        others.append(ONE_THREAD)
    groups = AccessGroups(facts)
    accesses = access_records(facts, groups, shapes, kernel.key, others, launched.single_axes)
    private = private_data(facts, groups)
    know_private_data(facts, private, accesses)
    know_neighbour_reads(facts, accesses)
    know_unwritten_reads(facts, groups, accesses)
    know_position_slips(facts, launched.stated, accesses)
    know_row_lengths(facts, accesses)
    know_exchanged_axes(facts, accesses)
    know_negative_counters(facts, accesses)
    know_elements_past_the_end(facts, shapes, accesses)
    guards = know_half_guards(facts, accesses), repeated_guards(facts)
    know_last_tiles(facts, groups, accesses)
    know_unguarded_neighbours(facts, accesses)
    know_rounded_indices(facts, launched, accesses)
    know_exact_fits(facts, launched, accesses)
    know_unordered(facts, shapes, accesses)
    know_lost_updates(facts, launched, accesses)
    know_same_stores(facts, accesses)
    know_unset_shared(facts, launched.stated, accesses)
    kernel.know("source", estimated_sectors=facts.estimated_sectors or None)
    found += accesses
    found += row_records(facts, accesses, kernel.key)
    found += atomic_records(facts, shapes, kernel.key)
    found += _branch_records(facts, shapes, guards, kernel.key)
    found += loop_records(facts, groups, launched.stated, kernel.key)
    found += _barrier_records(facts, launched, kernel.key)
    found += _array_records(facts, groups, private, kernel.key)
    found += operation_records(facts, kernel.key)
    found += name_records(facts, kernel.key)
    found += statement_records(facts, kernel.key)
    found += joined_test_records(facts, kernel.key)
    found += variable_records(facts, kernel.key)
    found += draw_records(facts, kernel.key)
    return found


def _is_left_in_notebook(kernel: Declaration, launched: LaunchedAs) -> bool:
    return is_notebook(kernel.module.path) and not launched.types and not kernel_is_argument(kernel)


def _has_single_block(launched: LaunchedAs) -> bool | None:
    """Whether each launch has one block; None without a launch, and where a grid is not known."""
    grids = [one.grid for one in launched.stated]
    if not grids or any(grid is None for grid in grids):
        return None
    sizes = [size for grid in grids for size in grid or ()]
    if any((size or 1) > 1 for size in sizes):
        return False
    return None if None in sizes else True


def _telling(blocks: Sequence[BlockShape]) -> list[BlockShape]:
    """The shapes that fill a warp; all of them when none does."""
    full = [block for block in blocks if (block.x or WARP) * (block.y or 1) * (block.z or 1) >= WARP]
    return full or list(blocks)


def _kernel_record(facts: KernelFacts, blocks: Sequence[BlockShape], made: MadeInFunction) -> Record:
    declaration = facts.declaration
    module = declaration.module
    record = Record(
        "kernel", declaration.key, module.path, module.name_span(declaration.node), declaration.name
    )
    threads = {(block.x or 0) * (block.y or 0) * (block.z or 0) for block in blocks}
    record.know(
        "source",
        name=declaration.name,
        debug_enabled=_switch(declaration, "debug"),
        optimisation_off=declaration.option("opt") in (False, 0) if "opt" in declaration.options else False,
        fastmath_enabled=_switch(declaration, "fastmath", otherwise=True),
        declared_in_function=made.again,
        made_by_script=made.again and made.by_script,
        made_for_loop=made.again and made.for_loop,
        made_each_iteration=made.each_iteration,
        lane_dependent=bool(facts.thread_dimensions),
        block_index_read=facts.block_index_read,
        one_thread_works=one_thread_works(facts),
        in_test=holds_tests(module.path),
        stores_nothing=stores_nothing(facts),
        leaves_nothing=leaves_nothing(facts),
        does_nothing=does_nothing(facts),
        without_effect=is_without_effect(facts),
        cache_enabled=_switch(declaration, "cache"),
        narrow_indices=facts.narrow_cast,
        strided_parameters=strided_parameters(declaration.signature),
        signature_fault=signature_fault(declaration),
        stated_float64=facts.float64_cast or _names_float64(declaration.signature),
        block_threads=threads.pop() if len(threads) == 1 and 0 not in threads else None,
    )
    return record


def _switch(declaration: Declaration, name: str, otherwise: bool = False) -> bool | None:
    """Whether an option is on: `otherwise` where its value is no literal, None where others are not known."""
    if name not in declaration.options:
        return None if declaration.has_open_options else False
    value = declaration.option(name)
    return bool(value) if isinstance(value, bool | int) else otherwise


def _names_float64(signature: ast.expr | None) -> bool:
    if signature is None:
        return False
    text = ast.unparse(signature)
    return any(word in text for word in ("float64", "f8", "double", "complex128"))


def thread_dependent(condition: Condition) -> bool:
    """Whether threads of one block may decide differently."""
    return any(name in condition.depends for name in _THREADS)


def _differs_in_grid(condition: Condition) -> bool:
    """Whether threads of one grid may decide differently."""
    return any(name.startswith(("tid.", "bid.")) for name in condition.depends)


def _branch_records(
    facts: KernelFacts,
    shapes: Sequence[BlockShape],
    guards: tuple[frozenset[ast.AST], frozenset[ast.AST]],
    kernel: str,
) -> list[Record]:
    found = []
    half_guards, again = guards
    for branch in facts.branches:
        record = record_at("branch", kernel, branch.place, "while" if branch.is_loop else "if")
        node = branch.place.node
        if isinstance(node, ast.If | ast.While):
            record.span = branch.place.module.span(node.test)
        axes = {axis for shape in shapes for axis in shape.lane_axes}
        bounds, trips = counter_bounds(branch)
        record.know(
            "source",
            lane_dependent=bool(branch.depends & axes),
            data_dependent=branch.loaded,
            is_loop=branch.is_loop,
            single_lane=branch.single_lane,
            serial_loop=branch.serial_loop,
            loop_invariant=_asks_the_same(branch),
            loop_depth=len(branch.place.loops),
            counter_bounds=bounds,
            counter_trips=trips,
            always=range_test_outcome(_test_of(node), branch.place.module) or "decides",
            half_guard=_test_of(node) in half_guards,
            asked_before=_test_of(node) in again,
            tests_truncated=not _limits_to_zero(node)
            and any(inner in facts.truncated_tests for inner in below(_test_of(node))),
        )
        found.append(record)
    return found


def _test_of(node: ast.AST) -> ast.AST:
    return node.test if isinstance(node, ast.If | ast.While | ast.IfExp) else node


def _limits_to_zero(node: ast.AST) -> bool:
    """Whether a branch only sets a number below 0 to 0, where one that was rounded up to 0 is already."""
    if not isinstance(node, ast.If) or len(node.body) != 1 or len(node.orelse) > 1:
        return False
    (done,), test = node.body, node.test
    if not isinstance(done, ast.Assign) or not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    sides = (test.left, test.comparators[0])
    left, right = sides if isinstance(test.ops[0], ast.Lt) else sides[::-1]
    below_zero = isinstance(test.ops[0], ast.Lt | ast.Gt) and _is_zero(right) and _is_zero(done.value)
    (target, *others) = done.targets
    other_end = all(isinstance(one, ast.If) for one in node.orelse)
    return below_zero and other_end and not others and ast.dump(target) == ast.dump(_stored(left))


def _stored(node: ast.expr) -> ast.expr:
    """A name as the target of an assignment."""
    return ast.Name(node.id, ast.Store()) if isinstance(node, ast.Name) else node


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 0


def _asks_the_same(branch: BranchUse) -> bool:
    """Whether none of the loops around a branch changes what it asks."""
    counters = {loop.counter for loop in branch.place.loops}
    return bool(counters) and not branch.loaded and not branch.depends & counters


def _barrier_records(facts: KernelFacts, launched: LaunchedAs, kernel: str) -> list[Record]:
    found = []
    exchanges = exchanges_between_blocks(facts)
    for barrier in facts.barriers:
        module = barrier.place.module
        parts = _differs_in_grid if barrier.of_grid else thread_dependent
        conditions = [condition for condition in barrier.place.conditions if parts(condition)]
        inside = [condition for condition in conditions if not condition.exit]
        exits = [
            condition
            for condition in conditions
            if condition.exit and not is_never_taken(condition, launched, facts.declaration.parameters)
        ]
        guards = [is_bounds_guard(condition, module) for condition in inside]
        shared = next((one.array for one in exchanges if one.is_divided_by(barrier)), None)
        record = record_at("barrier", kernel, barrier.place, "syncthreads")
        record.know(
            "source",
            group="grid" if barrier.of_grid else "block",
            divergent=bool(inside),
            in_bounds_guard=bool(guards) and all(guards),
            after_divergent_exit=bool(exits),
            after_bounds_exit=bool(exits) and all(is_bounds_exit(condition, module) for condition in exits),
            between_blocks=shared is not None,
            array_of_other_blocks=shared,
            loop_depth=len(barrier.place.loops),
        )
        found.append(record)
    return found


def _array_records(
    facts: KernelFacts, groups: AccessGroups, private: Sequence[Array], kernel: str
) -> list[Record]:
    found = []
    for number, array in enumerate(facts.arrays):
        if array.parameter and not groups.of(array):
            continue
        record = record_at(
            "array", kernel, Place(array.module, array.node, (), ()), array.name, f"array:{array.name}"
        )
        if array.parameter and isinstance(array.node, ast.FunctionDef):
            record.span = array.module.name_span(array.node)
        elements: int | None = 1 if array.dims else None
        for size in array.dims:
            elements = None if size is None or elements is None else elements * size
        record.know(
            "source",
            space="parameter" if array.parameter else array.space,
            elements=elements,
            bytes=None if elements is None or array.itemsize is None else float(elements * array.itemsize),
            dynamic_index=_dynamic(facts, groups.of(array)),
            filled_by_data=is_filled_by_data(groups.of(array)),
            loops_back=max((_loops_back(access) for access in groups.of(array)), default=0),
            name=array.name,
            array_number=number,
            private_data=any(array is one for one in private),
        )
        found.append(record)
    return found


def _loops_back(access: Access) -> int:
    """How many loops around an access may bring it back to an element: one whose counter is added to an index
    goes on to another element each time.
    """
    walked = {name for index in access.indices for name in index.form.atoms()}
    return sum(loop.counter not in walked for loop in access.place.loops)


def _dynamic(facts: KernelFacts, accesses: Sequence[Access]) -> bool:
    for access in accesses:
        fixed = {
            loop.counter
            for loop in access.place.loops
            if loop.trip_count is not None and loop.trip_count <= _MAX_UNROLLED
        }
        if any(facts.atoms.roots(index.form) - fixed for index in access.indices):
            return True
    return False


def row_records(facts: KernelFacts, accesses: list[Record], kernel: str) -> list[Record]:
    """One record for each row, with the pattern of the accesses that the function makes to it.

    `accesses` are the records of `facts.accesses`, in that order. Of several patterns the worst counts.
    """
    found: dict[object, tuple[Access, Record]] = {}
    for access, record in zip(facts.accesses, accesses, strict=True):
        if access.row is None:
            continue
        key = (id(access.row.place.node), id(access.array))
        known = found.get(key)
        worse = known is None or _sectors(record) > _sectors(known[1])
        found[key] = (access, record if worse or known is None else known[1])
    return [_record(*one, kernel) for one in found.values()]


def _sectors(record: Record) -> float:
    reading = record.readings.get("sectors_per_request")
    return float(reading.value) if reading is not None and isinstance(reading.value, int | float) else 0.0


def _record(access: Access, worst: Record, kernel: str) -> Record:
    row = access.row
    assert row is not None
    name = access.array.name
    record = record_at("row", kernel, row.place, name, f"{name}:row")
    for metric in _PATTERN:
        reading = worst.readings.get(metric)
        if reading is not None:
            record.readings[metric] = reading
    record.know("source", array=name, function=row.function)
    return record


def private_data(facts: KernelFacts, groups: AccessGroups) -> list[Array]:
    """The shared arrays in which all threads of a block store values of their own to the same elements: no
    index into them follows the thread, and what is stored does, by every thread that has data.

    Where no barrier lets threads hand anything on, arrays beside such a one are used in the same way if every
    thread fills and updates the same elements of them.
    """
    uses = [(array, _uses(array, facts, groups)) for array in facts.arrays if array.space == "shared"]
    told = [array for array, accesses in uses if _stores_own(accesses)]
    if told and not facts.barriers:
        told += [array for array, accesses in uses if array not in told and _fills_and_updates(accesses)]
    return told


def know_private_data(facts: KernelFacts, arrays: Sequence[Array], records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, whether it meets one of the arrays."""
    for access, record in zip(facts.accesses, records, strict=True):
        record.know("source", private_data=any(access.array is array for array in arrays))


def _uses(array: Array, facts: KernelFacts, groups: AccessGroups) -> list[Access]:
    """The accesses to an array, none where threads may meet different elements or wait for each other."""
    found = groups.of(array)
    if any(atomic.array is array for atomic in facts.atomics):
        return []
    return [] if any(_follows_thread(access, facts) for access in found) else found


def _follows_thread(access: Access, facts: KernelFacts) -> bool:
    """Whether an index depends on the thread, or a part of the array is handed on that is not known."""
    return any(
        index.is_slice or not facts.atoms.depends(index.form).isdisjoint(THREAD) for index in access.indices
    )


def _stores_own(accesses: Sequence[Access]) -> bool:
    own = [
        access
        for access in accesses
        if access.kind == "store" and not access.value_depends.isdisjoint(THREAD)
    ]
    return bool(own) and all(_by_every_thread(access) for access in own)


def _fills_and_updates(accesses: Sequence[Access]) -> bool:
    changes = [access for access in accesses if access.kind != "load"]
    return {access.kind for access in changes} == {"store", "update"} and all(map(_by_every_thread, changes))


def _by_every_thread(access: Access) -> bool:
    place = access.place
    return not single_thread(place) and all(_only_bounds(one, place.module) for one in place.conditions)


def _only_bounds(condition: Condition, module: ModuleSyntax) -> bool:
    """Whether a condition is the same for a whole block, or only asks if the thread is inside of the data."""
    if condition.depends.isdisjoint(THREAD):
        return True
    return not condition.loaded and is_bounds_guard(condition, module)
