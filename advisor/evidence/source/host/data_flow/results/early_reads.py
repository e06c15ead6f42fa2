"""Copies to the host that go on while the host already reads what they bring."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.host.data_flow.call_options import non_blocking
from advisor.evidence.source.host.data_flow.device_names import destination
from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_records import host_record
from advisor.model.records import Record
from advisor.program.kernels.declarations import cuda_member
from advisor.program.names.scope_bindings import values_at
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.module import stored_names
from advisor.program.syntax.tree_nodes import below

_WAITS = frozenset({
    "synchronize", "wait", "wait_event", "wait_stream", "query", "wait_for", "auto_synchronize", "async_done",
    "result", "item", "tolist", "join",
})  # fmt: skip


def early_read_records(placement: Placement) -> Iterator[Record]:
    """The reads of what an asynchronous copy brings before anything waits for it."""
    for call in placement.module.calls:
        read = _read_too_early(call, placement, placement.workspace)
        if read is not None:
            name = ast.unparse(call.func)
            yield host_record(placement.module, "early_read", read, "read", call=name, waited=False)


def _read_too_early(call: ast.Call, placement: Placement, workspace: Workspace) -> ast.AST | None:
    """The first place where what an asynchronous copy brings is read before anything waits for it.

    None where there is no such place for certain: the statements behind the copy in its own block are looked
    at, up to the first that waits, or that the source does not show.
    """
    module = placement.module
    name = _brought(call, placement, workspace)
    statement = module.statement_of(call)
    if name is None or not isinstance(statement, ast.Assign | ast.Expr):
        return None
    block = module.block_of(statement)
    for following in block[block.index(statement) + 1 :]:
        if not isinstance(following, ast.Assign | ast.Expr | ast.Return | ast.AugAssign | ast.AnnAssign):
            return None
        read = _read(following, name, placement)
        if read is not None:
            return read
        if _may_wait(following, placement) or name in stored_names(following):
            return None
    return None


def _brought(call: ast.Call, placement: Placement, workspace: Workspace) -> str | None:
    """The name of the host array that an asynchronous copy fills."""
    module, function = placement.module, call.func
    if not isinstance(function, ast.Attribute):
        return None
    if function.attr == "copy_to_host":
        stream = keyword_value(call, "stream")
        stream = stream or (call.args[1] if len(call.args) > 1 else None)
        target = call.args[0] if call.args else None
        if not isinstance(target, ast.Name) or not _is_stream(stream, placement, workspace):
            return None
        place = placement.of(target)
        return target.id if place is not None and place.pinned and not place.shared else None
    if function.attr == "to" and non_blocking(call) and destination(call, placement.devices) == "cpu":
        parent = module.parents.get(call)
        on_gpu = placement.on_gpu(function.value)
        if on_gpu and isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
            return parent.targets[0].id
    return None


def _is_stream(stream: ast.expr | None, placement: Placement, workspace: Workspace) -> bool:
    """Whether an expression is a stream that `cuda.stream()` made in the same function."""
    if not isinstance(stream, ast.Name):
        return False
    values = values_at(placement.module, stream)
    made = [placement.module.dotted(one.func) if isinstance(one, ast.Call) else None for one in values]
    names = [one and cuda_member(workspace.library_name(one, placement.module)) for one in made]
    return bool(names) and all(one == "stream" for one in names)


def _read(statement: ast.stmt, name: str, placement: Placement) -> ast.AST | None:
    """The place where a statement looks at the data of a name: an item, an operation, or NumPy."""
    calls = [one for one in below(statement) if isinstance(one, ast.Call)]
    if any(_waits(one) for one in calls):
        return None
    for node in below(statement):
        if not (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)):
            continue
        use = placement.module.parents.get(node)
        if isinstance(use, ast.BinOp | ast.Compare | ast.UnaryOp):
            return node
        if isinstance(use, ast.Subscript) and use.value is node and isinstance(use.ctx, ast.Load):
            return node if not isinstance(use.slice, ast.Slice) else None
        if isinstance(use, ast.Attribute):
            called = placement.module.parents.get(use)
            method = isinstance(called, ast.Call) and called.func is use
            if method and use.attr in ("numpy", "sum", "mean", "max", "min", "copy", "any", "all", "argmax"):
                return node
        if isinstance(use, ast.Call) and node in use.args:
            dotted = placement.module.dotted(use.func) or ""
            if dotted.startswith("numpy.") or dotted in ("print", "sum", "max", "min", "float"):
                return node
    return None


def _may_wait(statement: ast.stmt, placement: Placement) -> bool:
    """Whether a statement waits, or calls what the source does not show."""
    for node in below(statement):
        if isinstance(node, ast.Call):
            if _waits(node):
                return True
            root = (placement.module.dotted(node.func) or "").split(".")[0]
            if not _goes_on(node) and root not in ("torch", "numpy", "cupy", "numba"):
                return True
    return False


def _goes_on(call: ast.Call) -> bool:
    """Whether a call is a launch, an asynchronous copy, or something that does not concern the device."""
    if isinstance(call.func, ast.Subscript):
        return True
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr == "copy_to_host":
        return len(call.args) > 1 or any(one.arg == "stream" for one in call.keywords)
    return call.func.attr in ("record", "append") or (call.func.attr == "to" and bool(non_blocking(call)))


def _waits(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _WAITS
