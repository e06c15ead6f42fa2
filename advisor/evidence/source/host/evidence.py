"""The records of one file's host code: copies, waits, loaders, measurements, captures, loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.host.array_calls import ArrayCalls
from advisor.evidence.source.host.captures import find_captures, forbidden_steps, rebound_inputs
from advisor.evidence.source.host.data_flow.loop_context import LoopContext, loop_context
from advisor.evidence.source.host.data_flow.matrix_types import find_matrix_products
from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.early_reads import reads_too_early
from advisor.evidence.source.host.host_calls import HostCall
from advisor.evidence.source.host.host_records import host_call_records, is_test_path, launch_records, listed
from advisor.evidence.source.host.launch_loops import find_launch_loops, sliced_by
from advisor.evidence.source.host.launch_pairs import find_launch_pairs
from advisor.evidence.source.host.library_calls import find_chains, find_products
from advisor.evidence.source.host.loaders import find_loaders
from advisor.evidence.source.host.measurements import find_measurements
from advisor.evidence.source.host.overwritten_arrays import unread_arrays
from advisor.evidence.source.host.several_gpus import find_collectives, find_round_trips
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.model.records import Record, Value
from advisor.program.effects.device_functions import Resolver
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.launches import Launch
from advisor.program.launches.timing_loops import reads_clock
from advisor.program.names.scope_bindings import bound_at, values_at
from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.module import ModuleSyntax


def host_side_records(
    module: ModuleSyntax, resolver: Resolver, launches: Sequence[Launch], calls: Sequence[HostCall]
) -> list[Record]:
    """The records of a module's host code: its launches first, then all others by their places.

    What belongs to a place depends on nothing but what its top-level statement names, so that a text of
    which only some statements are known says the same of them.
    """
    placement = Placement(module, resolver.workspace)
    makers = (_array_calls, _loaders, _captures, _products, _chains, _several_gpus, _early_reads, _matrices)
    others = [*_numba_calls(placement, calls)]
    for maker in (*makers, lambda given: _measurements(given, launches)):
        try:
            others += list(maker(placement))
        except RecursionError:
            # An expression nested too deeply to be followed says nothing.
            continue
    others += _loops(module, launches, calls)
    walked = WalkedKernels(resolver)
    others += _pairs(module, launches, walked)
    others.sort(key=lambda one: (one.span.line, one.span.column))
    return [*_launches(placement, launches, walked), *others]


def _launches(placement: Placement, launches: Sequence[Launch], walked: WalkedKernels) -> list[Record]:
    found = launch_records(launches)
    for record, launch in zip(found, launches, strict=True):
        sliced = sliced_by(launch, placement)
        record.know(
            "source",
            sliced_arguments=None if sliced is None else float(sliced),
            leaves_stream_out=leaves_stream_out(launch),
            unread_arrays=listed(unread_arrays(launch, walked)),
        )
    return found


def _numba_calls(placement: Placement, calls: Sequence[HostCall]) -> list[Record]:
    found = host_call_records(calls)
    for record, call in zip(found, calls, strict=True):
        record.know("source", library="numba")
        if call.entity == "transfer":
            on_stream, pinned = has_stream(call.node, placement), source_pinned(call, placement)
            record.know("source", on_stream=on_stream, source_pinned=pinned)
            record.know("source", in_test_or_benchmark=call.timed or is_test_path(call.module.path))
        if call.entity == "synchronisation":
            loops = host_loops(placement.module, call.node)
            clock = any(reads_clock(loop, placement.module) for loop in loops)
            record.know("source", kind="wait", timed=call.timed or clock)
        if call.loops:
            record.know("source", every_turn=loop_context(placement.module, call.node).every_turn)
    return found


def record_of(
    module: ModuleSyntax, entity: str, node: ast.AST, label: str, values: dict[str, Value | None]
) -> Record:
    """A record of an entity of the run at a node."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    record = Record(entity, f"{module.path}:{line}:{column}:{entity}", module.path, module.span(node), label)
    record.know("source", (), **values)
    return record


def _around(context: LoopContext) -> dict[str, Value | None]:
    return {"host_loop_depth": float(len(context.loops)), "in_test_or_benchmark": context.timed}


def _array_calls(placement: Placement) -> Iterator[Record]:
    for call in ArrayCalls(placement).found():
        values = {"call": call.call, "library": call.library, **_around(call.context), **call.values}
        if call.context.loops:
            values["every_turn"] = call.context.every_turn
        yield record_of(placement.module, call.entity, call.node, call.call, values)


def _loaders(placement: Placement) -> Iterator[Record]:
    if not placement.torch:
        return
    for one in find_loaders(placement):
        values: dict[str, Value | None] = {
            "feeds_gpu": one.feeds_gpu,
            "workers": None if one.workers is None else float(one.workers),
            "pinned": one.pinned,
            "persistent": one.persistent,
            "passes": None if one.passes is None else float(one.passes),
            "in_test_or_benchmark": one.timed,
        }
        yield record_of(placement.module, "loader", one.node, "DataLoader", values)


def _captures(placement: Placement) -> Iterator[Record]:
    for capture in find_captures(placement):
        yield record_of(
            placement.module,
            "capture",
            capture.node.items[0].context_expr,
            "capture",
            {"warmed_up": capture.warmed_up},
        )
        for step in (*forbidden_steps(capture, placement), *rebound_inputs(capture, placement)):
            values: dict[str, Value | None] = {
                "call": step.call,
                "reason": step.reason,
                "waits_for": step.waits_for,
            }
            yield record_of(placement.module, "captured_step", step.node, step.call, values)


def _products(placement: Placement) -> Iterator[Record]:
    for one in find_products(placement):
        values: dict[str, Value | None] = {
            "call": one.call,
            "library": one.library,
            "item_operands": float(one.items),
            "independent": one.independent,
            **_around(one.context),
        }
        yield record_of(placement.module, "product", one.node, one.call, values)


def _chains(placement: Placement) -> Iterator[Record]:
    for one in find_chains(placement):
        values: dict[str, Value | None] = {
            "library": one.library,
            "operations": float(one.operations),
            **_around(one.context),
        }
        yield record_of(placement.module, "expression", one.node, "expression", values)


def _matrices(placement: Placement) -> Iterator[Record]:
    if not placement.torch:
        return
    for one in find_matrix_products(placement):
        values: dict[str, Value | None] = {
            "call": one.call,
            "type": one.type,
            "smallest_size": float(one.smallest),
            "odd_sizes": float(one.odd),
            "reduced": one.reduced,
            "in_test_or_benchmark": one.timed,
        }
        yield record_of(placement.module, "matrix_product", one.node, one.call, values)


def _several_gpus(placement: Placement) -> Iterator[Record]:
    for one in find_collectives(placement) if placement.torch else ():
        values: dict[str, Value | None] = {
            "call": one.call,
            "per_parameter": one.per_parameter,
            "waits": one.waits,
            **_around(one.context),
        }
        yield record_of(placement.module, "collective", one.node, one.call, values)
    for trip in find_round_trips(placement):
        values = {
            "call": trip.call,
            "library": trip.library,
            "other_device": trip.other_device,
            **_around(trip.context),
        }
        yield record_of(placement.module, "round_trip", trip.node, trip.call, values)


def _early_reads(placement: Placement) -> Iterator[Record]:
    for call in placement.module.calls:
        read = reads_too_early(call, placement, placement.workspace)
        if read is not None:
            values: dict[str, Value | None] = {
                "call": ast.unparse(call.func),
                "waited": False,
            }
            yield record_of(placement.module, "early_read", read, "read", values)


def _measurements(placement: Placement, launches: Sequence[Launch]) -> Iterator[Record]:
    for one in find_measurements(placement, launches):
        values: dict[str, Value | None] = {
            "library": one.library,
            "work": one.work,
            "waits": one.waits,
            "uploads": one.uploads,
            "compiles": one.compiles,
            "compiled": one.compiled,
        }
        yield record_of(placement.module, "measurement", one.node, "measurement", values)


def _loops(module: ModuleSyntax, launches: Sequence[Launch], calls: Sequence[HostCall]) -> Iterator[Record]:
    for one in find_launch_loops(module, launches, calls):
        values: dict[str, Value | None] = {
            "launches": float(one.launches),
            "can_be_captured": one.static and one.replayable,
            "chunks": one.chunks,
            "streams": one.streams,
            "in_test_or_benchmark": one.timed,
        }
        record = record_of(
            module,
            "host_loop",
            one.node.target if isinstance(one.node, ast.For) else one.node.test,
            "loop",
            values,
        )
        yield record


def _pairs(module: ModuleSyntax, launches: Sequence[Launch], walked: WalkedKernels) -> Iterator[Record]:
    for one in find_launch_pairs(module, launches, walked):
        values: dict[str, Value | None] = {
            "first": one.first.name,
            "second": one.second.name,
            "array": one.array,
            "same_place": one.same_place,
            "same_grid": one.same_grid,
        }
        yield record_of(module, "launch_pair", one.second.node.func, one.second.name, values)


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
