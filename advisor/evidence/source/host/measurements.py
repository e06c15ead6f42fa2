"""Work of the GPU between two readings of the host's clock."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_records import host_record
from advisor.evidence.source.module_parts import split
from advisor.model.records import Record
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.launches import Launch
from advisor.program.launches.timing_loops import CLOCKS
from advisor.program.syntax.module import NOWHERE, ModuleSyntax
from advisor.program.syntax.statement_places import begin
from advisor.program.syntax.tree_nodes import below

_WAITS = frozenset({
    "synchronize", "item", "tolist", "cpu", "numpy", "get", "asnumpy", "copy_to_host", "wait", "result",
    "join", "elapsed_time", "deviceSynchronize", "barrier", "block_until_ready",
})  # fmt: skip
_GO_ON = frozenset({
    "backward", "step", "zero_grad", "append", "update", "format", "record", "train", "eval", "to", "cuda",
    "range", "len", "enumerate", "min", "max", "zip", "clip_grad_norm_", "size", "join", "tqdm",
    "set_description",
})  # fmt: skip
_OF_THE_HOST = ("compil", "codegen", "jit", "launch", "enqueue", "dispatch", "overhead", "cold", "first call")
_ELAPSED = ("numba.cuda.event_elapsed_time", "cupy.cuda.get_elapsed_time")
_MAKES_ARRAYS = frozenset({"array", "asarray", "ascontiguousarray", "tensor", "as_tensor"})
_COMPUTES = frozenset({"cuda", "to", "device", "float", "half", "detach", "view", "reshape"})


@dataclass(frozen=True)
class _Span:
    statements: Sequence[ast.stmt]
    end: ast.Call
    behind: Sequence[ast.stmt] = ()

    def is_of_the_host(self) -> bool:
        """Whether the text says that it is the time of a compilation or a launch that is measured."""
        for statement in (self.statements[-1], *self.behind):
            for node in below(statement):
                said = node.value if isinstance(node, ast.Constant) else getattr(node, "id", "")
                if isinstance(said, str) and any(word in said.lower() for word in _OF_THE_HOST):
                    return True
        return False

    def nodes(self) -> Iterator[ast.AST]:
        """The nodes between the two readings."""
        for statement in self.statements:
            for node in below(statement):
                if begin(node) < begin(self.end) or statement is not self.statements[-1]:
                    yield node


def measurement_records(placement: Placement, launches: Sequence[Launch]) -> Iterator[Record]:
    """The spans of host code between two clock readings that start work of the GPU, at the second reading:
    whether the host waits for that work before it, whether a kernel is compiled in the span because it is
    launched there for the first time, and whether the last work is a copy of what lies in host memory.
    """
    module = placement.module
    clocks = [call for call in module.calls if module.dotted(call.func) in CLOCKS]
    if len(clocks) < 2:
        return
    by_node = {launch.node: launch for launch in launches}
    for first in clocks:
        start = module.parents.get(first)
        if not isinstance(start, ast.Assign) or not isinstance(start.targets[0], ast.Name):
            continue
        span = _span(start, start.targets[0].id, clocks, placement)
        if span is not None:
            found = _measurement(span, placement, by_node)
            if found is not None:
                yield found


def _span(start: ast.Assign, name: str, clocks: Collection[ast.Call], placement: Placement) -> _Span | None:
    """The statements from a first reading to the second one that is taken from it, in one block."""
    module = placement.module
    block = module.block_of(start)
    at = block.index(start) if block else 0
    ends_in = _by_child(clocks, module.parents.get(start), module.parents)
    for number, statement in enumerate(block[at + 1 :], at + 1):
        if ends := ends_in.get(statement):
            whole = not isinstance(statement, ast.For | ast.While | ast.If | ast.With | ast.Try)
            taken = whole and _difference(block[number:], ends[0], name, module.parents)
            return (
                _Span(block[at + 1 : number + 1], ends[0], block[number + 1 : number + 4]) if taken else None
            )
        if name in {one.id for one in below(statement) if isinstance(one, ast.Name) and _stores(one)}:
            return None
    return None


def _stores(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def _by_child(
    calls: Iterable[ast.Call], node: ast.AST | None, parents: dict[ast.AST, ast.AST]
) -> dict[ast.AST, list[ast.Call]]:
    """The calls in a node by that child of it which holds them."""
    found: dict[ast.AST, list[ast.Call]] = {}
    for call in calls:
        child: ast.AST | None = call
        while child is not None and parents.get(child) is not node:
            child = parents.get(child)
        if child is not None:
            found.setdefault(child, []).append(call)
    return found


def _difference(
    statements: Sequence[ast.stmt], end: ast.Call, name: str, parents: dict[ast.AST, ast.AST]
) -> bool:
    """Whether the time between the readings is taken: `clock() - start`, or `end - start` behind it."""
    above = parents.get(end)
    named = (
        above.targets[0].id
        if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name)
        else ""
    )
    for statement in statements:
        for node in below(statement):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
                right = isinstance(node.right, ast.Name) and node.right.id == name
                left = node.left is end or (isinstance(node.left, ast.Name) and node.left.id == named)
                if right and left:
                    return True
    return False


def _measurement(span: _Span, placement: Placement, launches: dict[ast.Call, Launch]) -> Record | None:
    work: list[tuple[ast.expr, str]] = []
    nodes = list(span.nodes())
    for node in nodes:
        library = _work(node, placement, launches)
        if library is not None and isinstance(node, ast.expr):
            work.append((node, library))
    measured = [one for one in nodes if isinstance(one, ast.Call) and one in launches]
    compiled = _compiled(span, placement, [launches[one] for one in measured])
    if not work and compiled is None:
        return None
    # A launch with NumPy arrays copies them back, and waits for that.
    found = [*work] or [(one, "numba") for one in measured]
    node, library = max(found, key=lambda one: _ending(one[0]))
    name = launches[node].name if isinstance(node, ast.Call) and node in launches else ast.unparse(node)
    unclear = span.is_of_the_host() or _may_copy_back(node, placement, launches)
    return host_record(
        placement.module,
        "measurement",
        span.end,
        "measurement",
        library=library,
        work=name if len(name) <= 40 else name[:37] + "...",
        waits=None if unclear else not work or _waited(span, node, placement, launches),
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
        if min(recorded[asked[0]]) < begin(work) and max(recorded[asked[1]]) > _ending(work):
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


def _uploads(work: ast.expr, placement: Placement) -> bool:
    """Whether a call makes an array of the GPU of what is no such array."""
    if not isinstance(work, ast.Call) or not work.args:
        return False
    root, _, name = (placement.module.dotted(work.func) or "").rpartition(".")
    return root in ("cupy", "torch") and name in _MAKES_ARRAYS and not placement.on_gpu(work.args[0])


def _ending(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0


def _work(node: ast.AST, placement: Placement, launches: dict[ast.Call, Launch]) -> str | None:
    """The library of a node that starts work of the GPU and does not wait for it."""
    if isinstance(node, ast.Call) and node in launches:
        return None if launches[node].host_arrays else "numba"
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in _COMPUTES or name in _WAITS:
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
    span: _Span, last: ast.expr, placement: Placement, launches: dict[ast.Call, Launch]
) -> bool | None:
    """Whether the host waits for the last work; None where a function might that the source does not show."""
    loops_outside = len(host_loops(placement.module, span.end))
    verdict: bool | None = False
    for node in span.nodes():
        if not isinstance(node, ast.Call) or node in launches or node is span.end:
            if isinstance(node, ast.With | ast.Await):
                verdict = None
            continue
        repeated = loops_outside or len(host_loops(placement.module, node)) > loops_outside
        if _is_wait(node, placement):
            if repeated or _ending(node) >= _ending(last):
                return True
        elif not _goes_on(node, placement):
            verdict = None
    return verdict


def _is_wait(call: ast.Call, placement: Placement) -> bool:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in _WAITS
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    dotted = placement.module.dotted(call.func) or ""
    if dotted.rpartition(".")[2] in _WAITS:
        return True
    return name in ("float", "int", "bool", "print") and any(placement.on_gpu(one) for one in call.args)


def _goes_on(call: ast.Call, placement: Placement) -> bool:
    """Whether a call that is no wait surely returns without one."""
    dotted = placement.module.dotted(call.func) or ""
    root, name = dotted.split(".")[0], dotted.rpartition(".")[2]
    if isinstance(call.func, ast.Attribute) and call.func.attr in _GO_ON:
        return True
    if root in ("torch", "cupy", "numpy", "math", "time", "numba") or name in _GO_ON or dotted == "print":
        return True
    place = placement.of(call)
    return place is not None and place.on_gpu


def _compiled(span: _Span, placement: Placement, measured: Sequence[Launch]) -> str | None:
    """The name of a kernel that is launched in a span for the first time, so is compiled there."""
    module = placement.module
    if host_loops(module, span.end):
        return None
    for launch in measured:
        kernel = launch.kernel
        if kernel is None or kernel.signature is not None:
            continue
        if "cache" in kernel.options or kernel.has_open_options:
            continue
        if kernel.module is not module or launch.name != kernel.name or host_loops(module, launch.node):
            continue
        scope = module.scope_of(launch.node)
        uses = [
            one
            for one in (below(scope) if scope is not None else ())
            if isinstance(one, ast.Name) and one.id == kernel.name and one is not _target(launch.node)
        ]
        if not uses and not _named_often(module, kernel.name):
            return launch.name
    return None


def _target(launch: ast.Call) -> ast.expr:
    return launch.func.value if isinstance(launch.func, ast.Subscript) else launch.func


def _named_often(module: ModuleSyntax, name: str) -> bool:
    """Whether more of a module's top-level statements name a kernel than its own and one that launches it."""
    if module.elsewhere is not NOWHERE:
        return name in module.elsewhere.often
    parts = split(module.source.lines)
    return parts is None or sum(name in part.names.words for part in parts) > 2
