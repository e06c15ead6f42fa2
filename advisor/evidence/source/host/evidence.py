"""The records of one file's host code: copies, waits, loaders, measurements, captures, loops."""

from __future__ import annotations

import ast
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from advisor.evidence.source.host.array_calls import array_call_records
from advisor.evidence.source.host.captures import capture_records
from advisor.evidence.source.host.copies.changed_copies import changes_on_device
from advisor.evidence.source.host.copies.copied_values import elements_filled
from advisor.evidence.source.host.copies.element_copies import element_copy_records
from advisor.evidence.source.host.data_flow.generator_states import generator_records
from advisor.evidence.source.host.data_flow.grid_extents import exchanged_array, grid_of
from advisor.evidence.source.host.data_flow.grid_of_other_array import grid_of_other_array
from advisor.evidence.source.host.data_flow.grids.grid_values import grid_values
from advisor.evidence.source.host.data_flow.loop_context import is_reusable, loop_context
from advisor.evidence.source.host.data_flow.matrix_types import matrix_product_records
from advisor.evidence.source.host.data_flow.needless_fills import needless_fills
from advisor.evidence.source.host.data_flow.needless_waits import LaunchingLoops
from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.data_flow.results.early_reads import early_read_records
from advisor.evidence.source.host.data_flow.results.lost_results import lost_results
from advisor.evidence.source.host.data_flow.results.unset_arrays import added_to_unset
from advisor.evidence.source.host.data_flow.results.unused_arguments import unused_arguments
from advisor.evidence.source.host.data_flow.results.unused_results import unused_results
from advisor.evidence.source.host.data_flow.swapped_arguments import swapped_arguments
from advisor.evidence.source.host.data_flow.used_parts import used_part
from advisor.evidence.source.host.failing.earlier_numpy import earlier_numpy_records
from advisor.evidence.source.host.failing.unconfigured_calls import unconfigured_call_records
from advisor.evidence.source.host.failing.used_results import used_result
from advisor.evidence.source.host.host_calls import HostCall
from advisor.evidence.source.host.host_records import host_call_records, launch_records, listed
from advisor.evidence.source.host.launch_sequences.beside_loops import ArraysOfLoops, LoopsOfLaunches
from advisor.evidence.source.host.launch_sequences.dearer_kernels import DearerKernels
from advisor.evidence.source.host.launch_sequences.launch_loops import (
    StepLoops,
    loop_records,
    sliced_by,
    steps,
)
from advisor.evidence.source.host.launch_sequences.launch_pairs import pair_records
from advisor.evidence.source.host.launch_sequences.own_elements import OwnElements
from advisor.evidence.source.host.library_calls import chain_records, product_records
from advisor.evidence.source.host.loaders import loader_records
from advisor.evidence.source.host.measuring.measurements import measurement_records
from advisor.evidence.source.host.measuring.timed_functions import timed_function_records
from advisor.evidence.source.host.overwritten_arrays import unread_arrays
from advisor.evidence.source.host.several_gpus import collective_records, gradient_records, round_trip_records
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.evidence.source.kernels.bounds.launched_sizes import Reach, elements_without_thread
from advisor.evidence.source.test_paths import is_test_path
from advisor.evidence.source.warps.thread_use import alike_axes
from advisor.model.records import Record, Value
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.effects.device_functions import Resolver
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.launches import Launch
from advisor.program.launches.sized_grid import most_blocks
from advisor.program.launches.timing_loops import reads_clock
from advisor.program.names.scope_bindings import bound_at, values_at
from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.written_code import as_written
from advisor.program.values.constants import Constants

_MAKERS = (
    loader_records,
    capture_records,
    product_records,
    chain_records,
    collective_records,
    round_trip_records,
    gradient_records,
    early_read_records,
    matrix_product_records,
)


def host_side_records(
    module: ModuleSyntax,
    resolver: Resolver,
    launches: Sequence[Launch],
    calls: Sequence[HostCall],
    values: HostValues,
) -> list[Record]:
    """The records of a module's host code: its launches first, then all others by their places.

    What belongs to a place depends on nothing but what its top-level statement names, so that a text of
    which only some statements are known says the same of them.
    """
    placement = Placement(module, resolver.workspace)
    walked = WalkedKernels(resolver)
    others = [*_numba_calls(placement, calls, launches, values, walked)]
    with_launches = (
        lambda given: measurement_records(given, launches),
        lambda given: timed_function_records(given, launches),
        lambda given: generator_records(given, launches),
        lambda given: earlier_numpy_records(given.module, launches),
        lambda given: unconfigured_call_records(given.module, resolver),
        lambda given: array_call_records(given, launches, walked),
    )
    for maker in (*_MAKERS, *with_launches):
        try:
            others += list(maker(placement))
        except RecursionError:
            # An expression nested too deeply to be followed says nothing.
            continue
    others += element_copy_records(module, resolver, values)
    others += loop_records(module, launches, calls)
    others += pair_records(module, launches, walked)
    others.sort(key=lambda one: (one.span.line, one.span.column))
    return [*_launches(placement, launches, walked, values), *others]


def _launches(
    placement: Placement, launches: Sequence[Launch], walked: WalkedKernels, values: HostValues
) -> list[Record]:
    found = launch_records(launches)
    larger, kernels = _LargerLaunches(launches), OwnElements(walked)
    loops = StepLoops(launches, kernels, walked)
    dearer = DearerKernels(launches, walked)
    looping, of_loops = (
        LoopsOfLaunches(launches),
        ArraysOfLoops(launches, kernels, lambda one: steps(one, placement)),
    )
    for record, launch in zip(found, launches, strict=True):
        sliced = sliced_by(launch, placement)
        sized = grid_values(launch, walked, values)
        exchanged = exchanged_array(launch, walked, placement.workspace) or exchanged_by_sizes(sized)
        unset = list(added_to_unset(launch, launches, walked))
        lost = lost_results(launch, walked)
        other_threads, other_iterations = loops.of_others(launch)
        record.know(
            "source",
            other_threads=other_threads,
            other_iterations=other_iterations,
            sliced_arguments=sliced,
            leaves_stream_out=leaves_stream_out(launch),
            unread_arrays=listed(unread_arrays(launch, walked)),
            only_steps=loops.only_steps(launch),
            steps_fit_in_kernel=loops.fit_in_kernel(launch),
            alike_threads=_alike_threads(launch, walked),
            exchanges_axes=exchanged is not None,
            exchanged_array=exchanged,
            adds_to_unset=bool(unset),
            unset_arrays=listed(name for name, _ in unset),
            lost_results=None if lost is None else listed(lost) or "",
            unused_results=listed(unused_results(launch, walked)) or "",
            unused_indices=listed(unused_arguments(launch, values)) or "",
            unset_by=ast.unparse(unset[0][1].func) if unset else None,
            steps=steps(launch, placement),
            beside_larger_launch=larger.beside(launch),
            beside_loop_of_launches=looping.are_beside(launch.module, launch.node, launch.loops),
            prepares_loop=of_loops.meet(launch),
            prepared_steps=of_loops.most_steps(launch),
            beside_walk=dearer.beside(launch),
            used_result=used_result(launch),
        )
        if launch.kernel is not None:
            fills = list(needless_fills(launch, walked))
            record.know(
                "source",
                swapped_arguments=listed(swapped_arguments(launch, walked, launches)) or "",
                filled_arrays=listed(name for name, _ in fills) or "",
                fills_are_copied=any(copied for _, copied in fills),
            )
        record.know("source", (), **sized)
        other = grid_of_other_array(launch, walked, placement.workspace)
        if other is not None:
            record.know(
                "source",
                other_size=other.source,
                wanted_size=other.wanted,
                other_size_axis=other.axis,
                other_size_differs=other.differ,
            )
        elif launch.kernel is not None:
            record.know("source", other_size="")
        if launch.grid in (None, (None,)):
            most = _most_blocks(launch, walked)
            record.know("source", blocks=most, grid_constant=None if most is None else True)
        reach = _short_reach(launch, walked)
        if reach is not None:
            record.know(
                "source",
                short_axis=reach.axis,
                short_axis_array=reach.array,
                short_axis_threads=float(reach.threads),
                short_axis_elements=float(reach.wanted),
                short_axis_guarded=reach.guarded,
            )
        elif launch.kernel is not None:
            record.know("source", short_axis="")
    return found


def exchanged_by_sizes(sized: Mapping[str, Value | None]) -> str | None:
    """The kernel's array along which the grid has its sizes the other way round, None where it has not."""
    array = sized.get("left_out_array")
    return array if sized.get("left_out_by") == "other" and isinstance(array, str) else None


class _LargerLaunches:
    """What launches of more than one block are given, by the function that they stand in and their kernel."""

    def __init__(self, launches: Sequence[Launch]) -> None:
        self._given: dict[Hashable, set[Hashable]] = {}
        for one in launches:
            if one.grid is None or any(size != 1 for size in one.grid):
                self._given.setdefault(self._group(one), set()).add(self._arguments(one))

    def beside(self, launch: Launch) -> bool:
        """Whether the same function launches the kernel with more than one block, too, for other arrays."""
        given = self._given.get(self._group(launch), set())
        return bool(given - {self._arguments(launch)})

    @staticmethod
    def _group(launch: Launch) -> Hashable:
        return launch.kernel_keys, launch.name, launch.module.function_around(launch.node)

    @staticmethod
    def _arguments(launch: Launch) -> Hashable:
        return tuple(as_written(one) for one in launch.arguments)


def _most_blocks(launch: Launch, walked: WalkedKernels) -> int | None:
    """The number of blocks that a launch never exceeds, whatever the data."""
    grid, module = grid_of(launch), launch.module
    if grid is None:
        return None
    constants = Constants(walked.resolver.workspace, module, module.function_around(launch.node))
    return most_blocks(grid, constants)


def _short_reach(launch: Launch, walked: WalkedKernels) -> Reach | None:
    """Where the grid of a launch leaves elements without a thread."""
    if launch.kernel is None or not launch.argument_values:
        return None
    stated = replace(launch.stated, grid=launch.sized_grid)
    return elements_without_thread(walked.facts(launch.kernel), stated)


def _alike_threads(launch: Launch, walked: WalkedKernels) -> int | None:
    """How many threads of a block do the same work each time, 1 where each does its own."""
    if launch.kernel is None or launch.block is None:
        return None
    alike = alike_axes(walked.facts(launch.kernel))
    sizes = [size for axis, size in zip("xyz", launch.block, strict=False) if axis in alike]
    known = [size for size in sizes if size is not None]
    return math.prod(known) if len(known) == len(sizes) else None


def _numba_calls(
    placement: Placement,
    calls: Sequence[HostCall],
    launches: Sequence[Launch],
    values: HostValues,
    walked: WalkedKernels,
) -> list[Record]:
    found = host_call_records(calls)
    launching = LaunchingLoops(placement.module, placement.workspace, launches)
    looping = LoopsOfLaunches(launches)
    for record, call in zip(found, calls, strict=True):
        record.know("source", library="numba")
        if call.entity == "transfer":
            on_stream, pinned = has_stream(call.node, placement), source_pinned(call, placement)
            record.know("source", on_stream=on_stream, source_pinned=pinned)
            record.know("source", created_elements=created_elements(call.created, placement))
            beside = looping.are_beside(call.module, call.node, call.loops)
            record.know("source", beside_loop_of_launches=beside)
        if call.invariant:
            changes = changes_on_device(call.node, placement.module, launches, walked)
            record.know("source", changes_on_device=changes)
        record.know("source", in_test_or_benchmark=call.timed or is_test_path(call.module.path))
        if call.entity == "synchronisation":
            loops = host_loops(placement.module, call.node)
            clock = any(reads_clock(loop, placement.module) for loop in loops)
            between = launching.between_launches(call.node)
            record.know("source", kind="wait", timed=call.timed or clock, between_launches=between)
        if call.call == "copy_to_host":
            part = used_part(call.node, placement.module, values)
            record.know("source", used_part=part.what if part else "")
            if part:
                record.know("source", shown_only=part.shown_only, used_elements=part.used_elements)
                record.know("source", array_elements=part.array_elements)
        if call.entity == "allocation" and call.loops:
            record.know("source", reusable=is_reusable(placement.module, call.node))
        if call.loops:
            record.know("source", every_iteration=loop_context(placement.module, call.node).every_iteration)
    return found


def created_elements(created: ast.Call | None, placement: Placement) -> int | None:
    """How many elements an array has that is made for a copy, where that is a constant."""
    if created is None:
        return None
    module = placement.module
    return elements_filled(created, Constants(placement.workspace, module, module.function_around(created)))


def stream_of(call: ast.Call) -> ast.expr | None:
    """The stream that a copy of Numba is given, None where it is given none."""
    named = keyword_value(call, "stream")
    found = named or (call.args[1] if len(call.args) > 1 else None)
    return None if isinstance(found, ast.Constant) else found


def has_stream(call: ast.Call, placement: Placement) -> bool | None:
    """Whether a copy of Numba is given a stream; None for the caller's, which may be the default."""
    stream = stream_of(call)
    if isinstance(stream, ast.Name):
        return None if None in bound_at(placement.module, stream) else True
    return stream is not None


def source_pinned(call: HostCall, placement: Placement) -> bool | None:
    """Whether the host memory of a copy is page-locked; None where the source does not tell."""
    if not call.node.args:
        return False if call.call == "copy_to_host" else None
    place = placement.of(call.node.args[0])
    if place is None or place.library != "numpy":
        return None
    return place.pinned


def leaves_stream_out(launch: Launch) -> bool | None:
    """Whether a launch names no stream though an argument was copied to the device on one.

    None where the launch's configuration is not written out.
    """
    function = launch.node.func
    if not isinstance(function, ast.Subscript) or not isinstance(function.slice, ast.Tuple):
        return None
    if len(function.slice.elts) != 2:
        return False
    for argument in launch.node.args:
        if not isinstance(argument, ast.Name):
            continue
        bound = values_at(launch.module, argument)
        calls = [one for one in bound if isinstance(one, ast.Call) and _copies(one)]
        if calls and len(calls) == len(bound) and all(_named_stream(one) for one in calls):
            return True
    return False


def _copies(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "to_device"


def _named_stream(call: ast.Call) -> bool:
    stream = stream_of(call)
    return isinstance(stream, ast.Name | ast.Subscript | ast.Attribute)
