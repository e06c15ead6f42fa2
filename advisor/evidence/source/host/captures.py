"""CUDA graphs that torch captures: what must not happen while it does, and inputs that are bound again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, TypeAlias

from advisor.evidence.source.host.data_flow.device_names import destination
from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_records import host_record
from advisor.model.records import Record
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.statement_places import begin
from advisor.program.syntax.tree_nodes import below

WaitsFor: TypeAlias = Literal["value", "size", "copy", "device", "memory"]
_WAITS: dict[str, WaitsFor] = {
    "item": "value", "tolist": "value", "cpu": "copy", "synchronize": "device", "nonzero": "size",
    "masked_select": "size", "unique": "size", "empty_cache": "memory",
}  # fmt: skip


def capture_records(placement: Placement) -> Iterator[Record]:
    """The captures of a module, each followed by what a CUDA graph does not do: steps that wait for a value,
    a size, a copy, the device or memory, and inputs that are bound again.
    """
    module = placement.module
    for call in module.calls if placement.torch else ():
        if module.dotted(call.func) != "torch.cuda.graph":
            continue
        item = module.parents.get(call)
        capture = module.parents.get(item) if item is not None else None
        if isinstance(capture, ast.With):
            node = capture.items[0].context_expr
            yield host_record(module, "capture", node, "capture", warmed_up=_warmed_up(capture, placement))
            yield from _forbidden_steps(capture, placement)
            yield from _rebound_inputs(capture, placement)


def _step(module: ModuleSyntax, node: ast.AST, call: str, waits_for: WaitsFor | None) -> Record:
    return host_record(module, "captured_step", node, call, call=call, reason=waits_for or "rebound")


def _forbidden_steps(capture: ast.With, placement: Placement) -> Iterator[Record]:
    """What fails or goes wrong in a capture, in order of lines."""
    nodes = [node for statement in capture.body for node in below(statement)]
    for node in sorted(nodes, key=begin):
        if isinstance(node, ast.Call):
            step = _call(node, placement)
            if step is not None:
                yield step
        elif isinstance(node, ast.If | ast.While) and placement.on_gpu(node.test):
            yield _step(placement.module, node.test, ast.unparse(node.test), "value")


def _call(node: ast.Call, placement: Placement) -> Record | None:
    dotted = placement.module.dotted(node.func) or ""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if name in ("to", "cuda") and destination(node, placement.devices) == "gpu":
        assert isinstance(node.func, ast.Attribute)
        source = placement.of(node.func.value)
        if (
            source is not None
            and source.where == "host"
            and source.kind == "array"
            and source.library == "torch"
        ):
            return _step(placement.module, node, f".{name}()", "copy")
        return None
    if name not in _WAITS:
        return None
    root = dotted.split(".")[0]
    if name in ("synchronize", "empty_cache") and not dotted.startswith("torch.cuda."):
        return None
    if root in ("numpy", "cupy", "math"):
        return None
    if isinstance(node.func, ast.Attribute) and root != "torch":
        source = placement.of(node.func.value)
        if source is not None and not source.on_gpu:
            return None
    shown = dotted if root == "torch" else f".{name}()"
    return _step(placement.module, node, shown, _WAITS[name])


def _warmed_up(capture: ast.With, placement: Placement) -> bool | None:
    """Whether what a capture calls was called before it; None where its function is not seen whole."""
    module = placement.module
    inside = {
        ast.unparse(one.func) for node in capture.body for one in below(node) if isinstance(one, ast.Call)
    }
    scope = module.scope_of(capture)
    if scope is None or not inside:
        return None
    before = [one for one in below(scope) if isinstance(one, ast.Call) and begin(one) < begin(capture)]
    if any(ast.unparse(one.func) in inside for one in before):
        return True
    words = {ast.unparse(one.func).lower() for one in before}
    return None if any("warm" in word for word in words) or _has_parameters(scope) else False


def _has_parameters(scope: ast.AST) -> bool:
    return isinstance(scope, ast.FunctionDef) and bool(scope.args.args)


def _rebound_inputs(capture: ast.With, placement: Placement) -> Iterator[Record]:
    """Names that a capture reads and a loop with `replay()` binds again, which the graph does not see."""
    module = placement.module
    scope = module.scope_of(capture)
    if scope is None:
        return
    inside = [node for statement in capture.body for node in below(statement)]
    stored = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    read = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)} - stored
    for loop in module.inside(scope, ast.For):
        if begin(loop) < begin(capture) or not _replays(loop):
            continue
        for node in module.inside(scope, ast.Assign):
            target = node.targets[0]
            within = any(node is one for one in below(loop))
            if within and isinstance(target, ast.Name) and target.id in read and placement.on_gpu(node.value):
                yield _step(module, node, target.id, None)


def _replays(loop: ast.For) -> bool:
    return any(
        isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "replay"
        for one in below(loop)
    )
