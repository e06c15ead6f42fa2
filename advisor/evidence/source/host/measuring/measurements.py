"""Work of the GPU between two readings of the host's clock."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_records import host_record
from advisor.evidence.source.host.measuring.clock_spans import Span, clock_spans
from advisor.evidence.source.host.measuring.unwaited_launches import (
    WAITS,
    UnwaitedLaunches,
    ending,
    goes_on,
    is_wait,
)
from advisor.evidence.source.module_parts import split
from advisor.model.records import Record
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.launches import Launch
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.module import NOWHERE, ModuleSyntax
from advisor.program.syntax.statement_places import begin

_ELAPSED = ("numba.cuda.event_elapsed_time", "cupy.cuda.get_elapsed_time")
_MAKES_ARRAYS = frozenset({"array", "asarray", "ascontiguousarray", "tensor", "as_tensor"})
_COMPUTES = frozenset({"cuda", "to", "device", "float", "half", "detach", "view", "reshape"})


def measurement_records(placement: Placement, launches: Sequence[Launch]) -> Iterator[Record]:
    """The spans of host code between two clock readings that start work of the GPU, at the second reading:
    whether the host waits for that work before it, whether a kernel is compiled in the span because it is
    launched there for the first time, and whether the last work is a copy of what lies in host memory.
    """
    by_node = {launch.node: launch for launch in launches}
    for span in clock_spans(placement.module):
        found = _measurement(span, placement, by_node)
        if found is not None:
            yield found


def _measurement(span: Span, placement: Placement, launches: dict[ast.Call, Launch]) -> Record | None:
    work: list[tuple[ast.expr, str]] = []
    functions = UnwaitedLaunches(placement, launches)
    nodes = list(span.nodes())
    for node in nodes:
        library = _work(node, placement, launches, functions)
        if library is not None and isinstance(node, ast.expr):
            work.append((node, library))
    measured = [one for one in nodes if isinstance(one, ast.Call) and one in launches]
    first_call = _first_call_of_torch(span, placement)
    compiled = _compiled(span, placement, [launches[one] for one in measured])
    if compiled is None and first_call is not None:
        compiled = ast.unparse(first_call.func)
    if not work and compiled is None:
        return None
    # A launch with NumPy arrays copies them back, and waits for that.
    found = [*work] or [(one, "numba") for one in measured] or [(one, "torch") for one in [first_call] if one]
    node, library = max(found, key=lambda one: ending(one[0]))
    name = _name(node, launches, functions)
    unclear = span.is_of_the_host() or _may_copy_back(node, placement, launches)
    return host_record(
        placement.module,
        "measurement",
        span.end,
        "measurement",
        library=library,
        work=name if len(name) <= 40 else name[:37] + "...",
        waits=None if unclear else not work or _waited(span, node, placement, launches, functions),
        uploads=_uploads(node, placement),
        events_measure_too=_is_between_events(node, placement.module),
        compiles=compiled is not None,
        compiled=compiled,
    )


def _is_between_events(work: ast.expr, module: ModuleSyntax) -> bool:
    """Whether events that are recorded before and behind some work are asked for the time between them."""
    function = module.function_around(work)
    recorded: dict[str, list[tuple[int, int]]] = {}
    for call in module.calls:
        event = call.func if isinstance(call.func, ast.Attribute) and call.func.attr == "record" else None
        if event is not None and module.function_around(call) is function:
            recorded.setdefault(ast.unparse(event.value), []).append(begin(call))
    for call in module.calls if recorded else ():
        asked = _events_asked(call, module)
        if asked is None or any(name not in recorded for name in asked):
            continue
        if min(recorded[asked[0]]) < begin(work) and max(recorded[asked[1]]) > ending(work):
            return True
    return False


def _events_asked(call: ast.Call, module: ModuleSyntax) -> tuple[str, str] | None:
    """The events between which a call asks for the time: `first.elapsed_time(second)`, or CuPy's function."""
    if not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr == "elapsed_time" and len(call.args) == 1:
        return ast.unparse(call.func.value), ast.unparse(call.args[0])
    if module.dotted(call.func) in _ELAPSED and len(call.args) == 2:
        return ast.unparse(call.args[0]), ast.unparse(call.args[1])
    return None


def _name(node: ast.expr, launches: dict[ast.Call, Launch], functions: UnwaitedLaunches) -> str:
    if isinstance(node, ast.Call):
        launch = launches.get(node) or functions.of_call(node)
        if launch is not None:
            return launch.name
    return ast.unparse(node)


def _uploads(work: ast.expr, placement: Placement) -> bool:
    """Whether a call makes an array of the GPU of what is no such array."""
    if not isinstance(work, ast.Call) or not work.args:
        return False
    root, _, name = (placement.module.dotted(work.func) or "").rpartition(".")
    return root in ("cupy", "torch") and name in _MAKES_ARRAYS and not placement.on_gpu(work.args[0])


def _work(
    node: ast.AST, placement: Placement, launches: dict[ast.Call, Launch], functions: UnwaitedLaunches
) -> str | None:
    """The library of a node that starts work of the GPU and does not wait for it."""
    if isinstance(node, ast.Call) and functions.of_call(node) is not None:
        return "numba"
    if isinstance(node, ast.Call) and node in launches:
        return None if launches[node].host_arrays else "numba"
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in _COMPUTES or name in WAITS:
            return None
    elif not isinstance(node, ast.BinOp):
        return None
    place = placement.of(node)
    return place.library if place is not None and place.on_gpu and place.library != "numba" else None


def _may_copy_back(work: ast.expr, placement: Placement, launches: dict[ast.Call, Launch]) -> bool:
    """Whether a launch has no argument that surely lies on the device: arrays of the host are copied back
    behind the kernel, and that waits for it.
    """
    if not isinstance(work, ast.Call) or work not in launches:
        return False
    return not any(placement.on_gpu(argument) for argument in work.args)


def _waited(
    span: Span,
    last: ast.expr,
    placement: Placement,
    launches: dict[ast.Call, Launch],
    functions: UnwaitedLaunches,
) -> bool | None:
    """Whether the host waits for the last work; None where a function might that the source does not show."""
    loops_outside = len(host_loops(placement.module, span.end))
    # `kernel.forall(n)` of a launch returns at once.
    configuring = {launch.func for launch in launches}
    verdict: bool | None = False
    for node in span.nodes():
        if not isinstance(node, ast.Call) or node in launches or node is span.end or node in configuring:
            if isinstance(node, ast.With | ast.Await):
                verdict = None
            continue
        repeated = loops_outside or len(host_loops(placement.module, node)) > loops_outside
        if is_wait(node, placement):
            if repeated or ending(node) >= ending(last):
                return True
        elif not goes_on(node, placement) and functions.of_call(node) is None:
            verdict = None
    return verdict


def _compiled(span: Span, placement: Placement, measured: Sequence[Launch]) -> str | None:
    """The name of a kernel that is launched in a span for the first time, so is compiled there."""
    module = placement.module
    if span.repeated or host_loops(module, span.end):
        return None
    for launch in measured:
        kernel = launch.kernel
        if kernel is None or kernel.states_types:
            continue
        if "cache" in kernel.options or kernel.has_open_options:
            continue
        if kernel.module is not module or launch.name != kernel.name or host_loops(module, launch.node):
            continue
        # One statement of a module, as `if __name__ == "__main__":`, may launch it several times.
        around = module.scope_of(launch.node) or module.tree
        uses = [one for one in module.loads(kernel.name, around) if one is not _target(launch.node)]
        if not uses and not _named_often(module, kernel.name):
            return launch.name
    return None


def _first_call_of_torch(span: Span, placement: Placement) -> ast.Call | None:
    """The call in a span of what `torch.compile` made in the same function, which nothing calls before."""
    module = placement.module
    if not placement.torch or host_loops(module, span.end):
        return None
    for node in span.nodes():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or host_loops(module, node):
            continue
        bound, scope = values_at(module, node.func), module.scope_of(node)
        made = bound[0] if len(bound) == 1 else None
        if not isinstance(made, ast.Call) or module.dotted(made.func) != "torch.compile":
            continue
        if module.scope_of(made) is scope and all(
            one is node.func or begin(one) > begin(span.end)
            for one in module.loads(node.func.id, scope or module.tree)
        ):
            return node
    return None


def _target(launch: ast.Call) -> ast.expr:
    return launch.func.value if isinstance(launch.func, ast.Subscript) else launch.func


def _named_often(module: ModuleSyntax, name: str) -> bool:
    """Whether more of a module's top-level statements name a kernel than its own and one that launches it."""
    if module.elsewhere is not NOWHERE:
        return name in module.elsewhere.often
    parts = split(module.source.lines)
    return parts is None or sum(name in part.names.words for part in parts) > 2
