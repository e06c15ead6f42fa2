"""Records of host code: launches, copies, waits and allocations."""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from advisor.evidence.source.host.data_flow.loop_context import LoopContext
from advisor.evidence.source.host.failing.refused_launches import refusal
from advisor.evidence.source.host.host_calls import HostCall
from advisor.evidence.source.host.launch_sequences.written_configuration import written_configuration
from advisor.evidence.source.test_paths import holds_benchmarks, holds_tests
from advisor.model.records import Record, Value
from advisor.model.text.notebooks import is_notebook
from advisor.program.launches.block_shape import WARP
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.launches import Launch
from advisor.program.launches.timing_loops import does_the_same_again
from advisor.program.resolution.undefined_names import expects_errors
from advisor.program.syntax.module import ModuleSyntax

_WORKLOAD = re.compile(r"workload(_\w+)?\Z")


def host_record(
    module: ModuleSyntax,
    entity: str,
    node: ast.AST,
    label: str,
    context: LoopContext | None = None,
    **values: Value | None,
) -> Record:
    """A record of an entity of the run at a node, with the host loops around that where these are given."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    record = Record(entity, f"{module.path}:{line}:{column}:{entity}", module.path, module.span(node), label)
    record.know("source", (), **values)
    if context is not None:
        record.know("source", host_loop_depth=len(context.loops), in_test_or_benchmark=context.timed)
    return record


def launch_records(launches: Sequence[Launch]) -> list[Record]:
    """One record for each launch."""
    return [_launch_record(launch) for launch in launches]


def listed(names: Iterable[str]) -> str | None:
    """The names as a list in a text, None without any."""
    return ", ".join(names) or None


def _launch_record(launch: Launch) -> Record:
    module, node = launch.module, launch.node
    # A call of a function that launches what it is given may launch several kernels.
    which = f":{launch.name}" if launch.in_helper else ""
    record = Record(
        "launch", f"{module.path}:{node.lineno}:{node.col_offset}:launch{which}", module.path,
        module.span(node.func), launch.name, launch.kernel_key,
    )  # fmt: skip
    threads = _product(launch.block)
    fixed = _product(launch.grid)
    sizes = [
        *(launch.block or ()),
        *([1, 1] if launch.block and None not in launch.block else []),
        None,
        None,
        None,
    ]
    record.know(
        "source",
        block_threads=threads,
        partial_warp_lanes=None if threads is None else float(int(threads) % WARP),
        idle_lane_share=None if threads is None else 1.0 - threads / (math.ceil(threads / WARP) * WARP),
        block_follows_data=launch.block_follows_data if threads is None else False,
        block_is_share=launch.block_is_share and threads is None,
        blocks=_product(launch.sized_grid) if fixed is None else fixed,
        grid_constant=fixed is not None and not launch.divides_size,
        host_loop_depth=launch.loops,
        in_function=module.scope_of(node) is not None,
        in_test_or_benchmark=launch.timed or holds_tests(module.path) or _repeated_by_benchmark(launch),
        in_tests=holds_tests(module.path),
        timed_by_command=launch.timed_by_command,
        in_workload=_in_workload(launch),
        arguments=len(launch.arguments),
        wanted_arguments=_wanted_arguments(launch),
        refusal=refusal(launch),
        host_arrays=None if launch.host_arrays is None else len(launch.host_arrays),
        host_array_names=listed(launch.host_arrays or ()),
        copied_each_iteration=listed(launch.needless_copies.each_iteration),
        copied_again=listed(launch.needless_copies.again),
        unchanged_arrays=listed(launch.needless_copies.unchanged),
        dynamic_shared_bytes=launch.dynamic_shared,
        configuration=written_configuration(module, node),
        configured_in_loop=launch.configured_in_loop,
        smallest_block_threads=launch.smallest_block,
        largest_array=max(map(math.prod, launch.array_sizes or ()), default=None),
        longest_axis=max(itertools.chain(*(launch.array_sizes or ())), default=None),
        largest_host_array=launch.largest_host_array,
        block_x=sizes[0],
        block_y=sizes[1],
        block_z=sizes[2],
    )
    return record


def _wanted_arguments(launch: Launch) -> int | None:
    """How many arguments the launched kernel takes, where it takes exactly so many, where no other function
    can be meant, and the launch writes them one by one; None elsewhere.
    """
    kernel = launch.kernel
    if kernel is None or len(launch.kernels) > 1 or launch.named_otherwise or launch.in_helper:
        return None
    node, home = kernel.node, kernel.module
    given = node.args
    if given.vararg or given.kwarg or given.kwonlyargs or given.defaults or len(node.decorator_list) != 1:
        return None
    named = {*home.assigned, *home.imports}
    if kernel.form != "decorator" or len(home.functions_by_name[node.name]) != 1 or node.name in named:
        return None
    inside_class = isinstance(home.scope_of(node), ast.ClassDef)
    written = [*launch.node.args, *launch.node.keywords]
    open_call = any(isinstance(one, ast.Starred | ast.keyword) for one in written)
    if inside_class or open_call or len(written) != len(launch.arguments):
        return None
    wanted = len(kernel.parameters)
    fails = len(written) != wanted
    return None if fails and any(map(expects_errors, launch.module.scopes(launch.node))) else wanted


def _repeated_by_benchmark(launch: Launch) -> bool:
    """Whether a benchmark launches the same again and again; who reads the clock may be its framework."""
    loops = host_loops(launch.module, launch.node) if holds_benchmarks(launch.module.path) else []
    return any(does_the_same_again(loop, launch.module) for loop in loops)


def _in_workload(launch: Launch) -> bool:
    """Whether the launch stands in a function that runs the kernel for a check, on what that needs."""
    scopes = launch.module.scopes(launch.node)
    return any(_WORKLOAD.match(one.name) for one in scopes if isinstance(one, ast.FunctionDef))


def with_device_launches(records: Iterable[Record]) -> list[Record]:
    """The records of one file, of which each launch tells whether another one of its kernel has no NumPy
    array; those that were given stay as they are.
    """
    every = list(records)
    arrays = {
        one.key: one.readings["host_arrays"].value
        for one in every
        if one.entity == "launch" and one.owner and "host_arrays" in one.readings
    }
    shown = {one.owner for one in every if arrays.get(one.key) == 0}
    # A notebook defines a kernel again where it goes on with it.
    names = {one.label for one in every if arrays.get(one.key) == 0 and is_notebook(one.path)}
    for place, one in enumerate(every):
        if one.key in arrays:
            every[place] = replace(one, readings=dict(one.readings))
            elsewhere = bool(arrays[one.key]) and (one.owner in shown or one.label in names)
            every[place].know("source", device_arrays_elsewhere=elsewhere)
    return every


def _product(sizes: tuple[int | None, ...] | None) -> float | None:
    if sizes is None or any(size is None for size in sizes):
        return None
    return float(math.prod(size for size in sizes if size is not None))


def host_call_records(calls: Sequence[HostCall]) -> list[Record]:
    """One record for each copy, wait and allocation."""
    found = []
    for call in calls:
        record = Record(
            call.entity, f"{call.module.path}:{call.node.lineno}:{call.node.col_offset}:{call.entity}",
            call.module.path, call.module.span(call.node), call.call,
        )  # fmt: skip
        record.know("source", call=call.call, host_loop_depth=call.loops)
        if call.entity == "transfer":
            record.know(
                "source",
                direction=call.direction,
                loop_invariant=call.invariant,
                created_for_copy=call.created is not None,
                in_test_or_benchmark=call.timed,
            )
        if call.entity == "synchronisation":
            record.know("source", timed=call.timed)
        found.append(record)
    return found
