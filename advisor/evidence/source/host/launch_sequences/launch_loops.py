"""Host loops that launch Numba kernels: what goes with the launches, and what a CUDA graph would forbid."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence

from advisor.evidence.source.host.data_flow.loop_context import Loop, loop_context
from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_calls import HostCall
from advisor.evidence.source.host.host_records import host_record
from advisor.evidence.source.host.launch_sequences.own_elements import OwnElements
from advisor.evidence.source.host.launch_sequences.steps_in_kernel import steps_fit_in_kernel
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.model.records import Record
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.launches import Launch
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.calls import called_name, range_bounds
from advisor.program.syntax.module import ModuleSyntax, names_in, stored_names
from advisor.program.syntax.tree_nodes import below
from advisor.program.values.constants import Constants

_NUMBERS = frozenset(
    {"range", "len", "min", "max", "int", "float", "abs", "math.ceil", "math.floor", "math.log2"}
)
_RUNS = frozenset({"range", "enumerate", "zip", "reversed", "tqdm", "trange", "sorted"})


def loop_records(
    module: ModuleSyntax, launches: Sequence[Launch], calls: Sequence[HostCall]
) -> Iterator[Record]:
    """The innermost host loops around launches: whether each iteration does the same launches and nothing
    that cannot be part of a CUDA graph, and whether it copies its own data in and its results out.
    """
    grouped: dict[Loop, list[Launch]] = {}
    for launch in launches:
        loops = host_loops(module, launch.node)
        if loops:
            grouped.setdefault(loops[0], []).append(launch)
    for loop, inside in grouped.items():
        nodes = set(below(loop))
        own = [call for call in calls if call.node in nodes]
        changed = module.changed_names(loop)
        static = not any(names_in(launch.node) & changed for launch in inside)
        yield host_record(
            module,
            "host_loop",
            loop.target if isinstance(loop, ast.For) else loop.test,
            "loop",
            launches=len(inside),
            can_be_captured=static and not own and _is_replayable(module, loop, inside),
            chunks=_in_chunks(module, loop, inside, own, changed),
            streams=_on_several_streams(module, inside, own),
            in_test_or_benchmark=loop_context(module, loop.body[0]).timed,
        )


def _is_replayable(module: ModuleSyntax, loop: Loop, launches: Sequence[Launch]) -> bool:
    """Whether a loop does nothing but launches that can be captured once and replayed."""
    for launch in launches:
        if launch.host_arrays:
            return False
        parent = module.parents.get(launch.node)
        while parent is not None and parent is not loop:
            if isinstance(parent, ast.If | ast.Try | ast.IfExp | ast.Match):
                return False
            parent = module.parents.get(parent)
    known = {launch.node for launch in launches}
    calls = (node for node in below(loop) if isinstance(node, ast.Call))
    return all(node in known or _around(node, loop) for node in calls)


def _around(node: ast.Call, loop: Loop) -> bool:
    """Whether a call makes what the loop runs over, or shows how far it is."""
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    return (isinstance(loop, ast.For) and node in below(loop.iter)) or name in ("range", "len", "print")


def _in_chunks(
    module: ModuleSyntax,
    loop: Loop,
    launches: Sequence[Launch],
    calls: Sequence[HostCall],
    changed: frozenset[str],
) -> bool:
    """Whether the loop copies in what is of its own iteration, for a kernel, and copies results out."""
    brought = set()
    for call in calls:
        parent = module.parents.get(call.node)
        if call.call == "cuda.to_device" and isinstance(parent, ast.Assign) and call.node.args:
            fresh = names_in(call.node.args[0]) & changed
            target = parent.targets[0]
            if fresh and isinstance(target, ast.Name):
                brought.add(target.id)
    given = {one.id for launch in launches for one in launch.node.args if isinstance(one, ast.Name)}
    out = any(call.call == "copy_to_host" for call in calls)
    if any(isinstance(one, ast.FunctionDef) for one in below(loop)):
        # A kernel for each iteration: the iterations try things out.
        return False
    return bool(brought & given) and out


def _on_several_streams(module: ModuleSyntax, launches: Sequence[Launch], calls: Sequence[HostCall]) -> bool:
    """Whether what a loop does may be on several streams: on another one than the default stream, or than one
    that the function makes before it.
    """
    of_launches = [_of_launch(launch) for launch in launches]
    of_calls = [_of_call(call.node) for call in calls]
    named = [one for parts in (*of_launches, *of_calls) for one in parts]
    made = {id(value) for one in named for value in _made(module, one)}
    one_only = len(made) == 1 and all(of_launches) and all(_made(module, one) for one in named)
    return bool(named) and not one_only


def _of_launch(launch: Launch) -> list[ast.expr]:
    """The stream that a launch names; the launch itself where its configuration does not show it."""
    parts = launch.node.func.slice if isinstance(launch.node.func, ast.Subscript) else None
    if not isinstance(parts, ast.Tuple):
        return [launch.node]
    return parts.elts[2:3]


def _of_call(call: ast.Call) -> list[ast.expr]:
    return [one.value for one in call.keywords if one.arg == "stream"] or call.args[1:2]


def _made(module: ModuleSyntax, stream: ast.expr) -> list[ast.expr]:
    """The call outside of all loops that makes the stream of a name."""
    values = values_at(module, stream) if isinstance(stream, ast.Name) else []
    made = [one for one in values if isinstance(one, ast.Call) and called_name(one) == "stream"]
    return [one for one in made if len(values) == 1 and not host_loops(module, one)]


def sliced_by(launch: Launch, placement: Placement) -> int | None:
    """How many of a launch's arguments are items of arrays that the innermost loop around it counts through.

    None where they are items of what may be a list of arrays.
    """
    loops = host_loops(launch.module, launch.node)
    if not loops or not isinstance(loops[0], ast.For) or not isinstance(loops[0].target, ast.Name):
        return 0
    number = loops[0].target.id
    counted = isinstance(loops[0].iter, ast.Call) and (launch.module.dotted(loops[0].iter.func) == "range")
    items = [one for one in launch.node.args if isinstance(one, ast.Subscript) and _is_item(one, number)]
    if not counted or not items:
        return 0
    places = [placement.of(one.value) for one in items]
    return sum(place is not None and place.kind == "array" for place in places) or None


def _is_item(node: ast.Subscript, number: str) -> bool:
    """Whether an expression is `a[i]` or `a[i, …]` of a plain name and the loop's number itself."""
    if not isinstance(node.value, ast.Name):
        return False
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(isinstance(one, ast.Name) and one.id == number for one in parts)


class StepLoops:
    """The innermost host loops around launches; each is looked at once."""

    def __init__(self, launches: Sequence[Launch], kernels: OwnElements, walked: WalkedKernels) -> None:
        self._launches, self._kernels, self._walked = launches, kernels, walked
        self._inside: dict[Loop, list[Launch]] = {}
        self._steps: dict[Loop, bool] = {}
        self._fit: dict[Loop, bool] = {}
        self._largest: dict[tuple[Loop, tuple[str, ...] | None], tuple[int | None, int | None]] = {}
        for one in launches:
            for loop in host_loops(one.module, one.node):
                self._inside.setdefault(loop, []).append(one)

    def only_steps(self, launch: Launch) -> bool:
        """Whether the loop around a launch counts steps, or runs through numbers, and does nothing but
        launch: with numbers that it computes, and arrays that are the same in each iteration or change
        places.
        """
        loop = next(iter(host_loops(launch.module, launch.node)), None)
        if loop is None:
            return False
        if loop not in self._steps:
            self._steps[loop] = _only_steps(loop, launch.module, self._launches, self._kernels)
        return self._steps[loop]

    def fit_in_kernel(self, launch: Launch) -> bool:
        """Whether the loop around a launch could run in the kernel, as `steps_fit_in_kernel` says."""
        loop = next(iter(host_loops(launch.module, launch.node)), None)
        if loop is None:
            return False
        if loop not in self._fit:
            self._fit[loop] = steps_fit_in_kernel(launch, self._inside[loop], self._kernels)
        return self._fit[loop]

    def of_others(self, launch: Launch) -> tuple[int | None, int | None]:
        """What the loop around a launch launches of other kernels: the threads of the largest grid, and the
        iterations of the longest loop in them; each 0 where there are none and None where one is not known.
        """
        loop = next(iter(host_loops(launch.module, launch.node)), None)
        if loop is None:
            return 0, 0
        key = loop, launch.kernel_keys
        if key not in self._largest:
            others = [one for one in self._inside[loop] if one.kernel_keys != launch.kernel_keys]
            grids = [_product((*(one.sized_grid or (None,)), *(one.block or (None,)))) for one in others]
            counts = [count for one in others for count in _trip_counts(one, self._walked)]
            self._largest[key] = _largest(grids), _largest(counts)
        return self._largest[key]


def _only_steps(loop: Loop, module: ModuleSyntax, launches: Sequence[Launch], kernels: OwnElements) -> bool:
    if not (_counts(loop, module) or _runs_through_numbers(loop, launches, kernels)):
        return False
    inside = [node for statement in loop.body for node in below(statement)]
    bound = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    bound |= stored_names(loop.target) if isinstance(loop, ast.For) else set()
    known = {one.node for one in launches}
    configured = {id(one.node.func) for one in launches}
    parts = (one for one in inside if isinstance(one, ast.Subscript | ast.Attribute))
    if any(names_in(one) & bound for one in parts if id(one) not in configured):
        return False
    return all(
        _is_arithmetic(one, module) for one in inside if isinstance(one, ast.Call) and one not in known
    )


def _trip_counts(launch: Launch, walked: WalkedKernels) -> list[int | None]:
    if launch.kernel is None:
        return [None]
    facts = walked.facts(launch.kernel)
    return [loop.context.trip_count for loop in facts.loops] if facts.complete else [None]


def _largest(values: Sequence[int | None]) -> int | None:
    known = [one for one in values if one is not None]
    return max(known, default=0) if len(known) == len(values) else None


def _product(sizes: Sequence[int | None]) -> int | None:
    known = [one for one in sizes if one is not None]
    return math.prod(known) if len(known) == len(sizes) else None


def steps(launch: Launch, placement: Placement) -> int | None:
    """How many iterations the innermost loop around a launch has, where they are constant."""
    module, loops = launch.module, host_loops(launch.module, launch.node)
    bounds = range_bounds(loops[0]) if loops else None
    constants = Constants(placement.workspace, module, module.function_around(launch.node))
    values = [constants.value(one) for one in bounds or ()]
    known = [one for one in values if isinstance(one, int)]
    return len(range(*known)) if known and len(known) == len(values) and 0 not in known[2:] else None


def _counts(loop: Loop, module: ModuleSyntax) -> bool:
    if isinstance(loop, ast.While):
        return True
    return isinstance(loop.iter, ast.Call) and module.dotted(loop.iter.func) == "range"


def _runs_through_numbers(loop: Loop, launches: Sequence[Launch], kernels: OwnElements) -> bool:
    """Whether a loop takes items of what is there before it, and all that launches do with an item is to hand
    it over as a number.
    """
    if not isinstance(loop, ast.For):
        return False
    items, used = stored_names(loop.target), set[ast.AST]()
    made = [one for one in below(loop.iter) if isinstance(one, ast.Call)]
    if any(not isinstance(one.func, ast.Name) or one.func.id not in _RUNS for one in made):
        return False
    for launch in launches:
        if launch.kernel is not None and loop in host_loops(launch.module, launch.node):
            given = zip(launch.node.args, launch.kernel.parameters, strict=False)
            used |= {one for one, name in given if not kernels.is_array(launch.kernel, name)}
    inside = (one for statement in loop.body for one in below(statement))
    return all(one in used for one in inside if isinstance(one, ast.Name) and one.id in items)


def _is_arithmetic(call: ast.Call, module: ModuleSyntax) -> bool:
    """Whether a call computes a number, by a function of Python or one of the module without calls."""
    name = module.dotted(call.func) or ""
    if name in _NUMBERS:
        return True
    functions = module.functions_by_name.get(name, ())
    return bool(functions) and not any(isinstance(one, ast.Call) for own in functions for one in below(own))
