"""Work of several GPUs: collectives for each parameter, and data that takes the way over the host."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.host.data_flow.device_names import destination
from advisor.evidence.source.host.data_flow.loop_context import loop_context
from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_records import host_record
from advisor.model.records import Record
from advisor.program.kernels.declarations import cuda_member
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.calls import called_name, keyword_value
from advisor.program.syntax.module import ModuleSyntax, names_in

_COLLECTIVES = frozenset({"all_reduce", "reduce_scatter"})
_HOLDS_BACK = frozenset({"no_sync", "require_backward_grad_sync", "set_requires_gradient_sync"})
_PARAMETERS = frozenset({"parameters", "named_parameters", "buffers", "state_dict"})


def collective_records(placement: Placement) -> Iterator[Record]:
    """The calls of torch.distributed in host loops, and whether the loop runs over a module's parameters."""
    module = placement.module
    for call in module.calls if placement.torch else ():
        if called_name(call) not in _COLLECTIVES or not call.args:
            continue
        if module.dotted(call.func) != f"torch.distributed.{called_name(call)}":
            continue
        context = loop_context(module, call)
        if not context.loops or not isinstance(context.loops[0], ast.For):
            continue
        loop = context.loops[0]
        over = any(
            isinstance(one, ast.Call) and called_name(one) in _PARAMETERS for one in ast.walk(loop.iter)
        )
        own = over and bool(names_in(call.args[0]) & names_in(loop.target))
        quick = keyword_value(call, "async_op")
        waits = not (isinstance(quick, ast.Constant) and quick.value) if quick is not None else True
        name = f"dist.{called_name(call)}"
        yield host_record(
            module,
            "collective",
            call,
            name,
            call=name,
            per_parameter=own,
            waits=waits,
            in_test_or_benchmark=context.timed,
        )


def gradient_records(placement: Placement) -> Iterator[Record]:
    """The calls of `backward` in loops that step an optimiser only after several of them, and whether each
    of them sends the gradients to other GPUs.
    """
    module = placement.module
    backwards = [one for one in module.calls if called_name(one) == "backward"] if placement.torch else []
    distributed = any(
        (module.dotted(one.func) or "").endswith(".DistributedDataParallel")
        for one in (module.calls if backwards else ())
    )
    for call in backwards:
        context = loop_context(module, call)
        if isinstance(call.func, ast.Attribute) and context.loops and _steps_seldom(context.loops[0]):
            yield host_record(
                module,
                "gradient",
                call,
                "backward",
                call=f".{call.func.attr}()",
                distributed=distributed,
                held_back=_is_held_back(module),
                in_test_or_benchmark=context.timed,
            )


def _steps_seldom(loop: ast.For | ast.While) -> bool:
    """Whether a loop steps an optimiser under a condition that asks for a remainder, and nowhere else."""
    steps = {one for one in ast.walk(loop) if isinstance(one, ast.Call) and called_name(one) == "step"}
    seldom = {
        one
        for branch in ast.walk(loop)
        if isinstance(branch, ast.If) and any(isinstance(node, ast.Mod) for node in ast.walk(branch.test))
        for statement in branch.body
        for one in ast.walk(statement)
        if one in steps
    }
    return bool(steps) and steps == seldom


def _is_held_back(module: ModuleSyntax) -> bool:
    """Whether a module says anywhere when gradients are sent."""
    return any(isinstance(one, ast.Attribute) and one.attr in _HOLDS_BACK for one in ast.walk(module.tree))


def round_trip_records(placement: Placement) -> Iterator[Record]:
    """The copies to a device of what was copied from a device just before, unchanged, and whether the source
    tells that device apart from the first.
    """
    module = placement.module
    for call in module.calls:
        source = _numba_source(call, placement) or _torch_source(call, placement)
        if source is not None:
            name, other = source
            yield host_record(
                module,
                "round_trip",
                call,
                name,
                call=name,
                other_device=other,
                in_test_or_benchmark=loop_context(module, call).timed,
            )


def _numba_source(call: ast.Call, placement: Placement) -> tuple[str, bool] | None:
    """`cuda.to_device(d.copy_to_host())`, `cupy.asarray(d.get())`, `e.copy_to_device(d.copy_to_host())`, also
    through one name that is used for nothing else.
    """
    name = _to_device(call, placement)
    if name is None or not call.args:
        return None
    source = call.args[0]
    if isinstance(source, ast.Name) and _is_read_once(source, placement):
        bound = values_at(placement.module, source)
        source = bound[0] if len(bound) == 1 and bound[0] is not None else source
    if isinstance(source, ast.Call) and _is_brought(source, placement):
        return name, _device_changes(source, call, placement)
    return None


def _to_device(call: ast.Call, placement: Placement) -> str | None:
    """The name of a call that copies what it is given to a device, by Numba or CuPy."""
    name, module = called_name(call), placement.module
    if name == "copy_to_device":
        # Of what is elsewhere Numba copies to the device, whatever it is.
        return name
    dotted = module.dotted(call.func) if name in ("to_device", "asarray", "array") else None
    if name == "to_device":
        known = dotted and cuda_member(placement.workspace.library_name(dotted, module)) == "to_device"
        return "cuda.to_device" if known else None
    return dotted if dotted in ("cupy.asarray", "cupy.array") else None


def _is_brought(call: ast.Call, placement: Placement) -> bool:
    """Whether a call copies an array of the device, whole and as it is, to the host."""
    if called_name(call) == "copy_to_host":
        return not call.args
    if called_name(call) == "get" and isinstance(call.func, ast.Attribute):
        place = placement.of(call.func.value)
        return not call.args and place is not None and place.on_gpu and place.library == "cupy"
    if placement.module.dotted(call.func) == "cupy.asnumpy" and call.args:
        return placement.on_gpu(call.args[0])
    return False


def _is_read_once(name: ast.Name, placement: Placement) -> bool:
    scope = placement.module.scope_of(name)
    return isinstance(scope, ast.FunctionDef) and len(placement.module.loads(name.id, scope)) == 1


def _device_changes(first: ast.Call, second: ast.Call, placement: Placement) -> bool:
    """Whether another device is selected between two calls."""
    return any(
        called_name(one) in ("select_device", "use") and first.lineno <= one.lineno <= second.lineno
        for one in placement.module.calls
    )


def _torch_source(call: ast.Call, placement: Placement) -> tuple[str, bool] | None:
    """`x.cpu().to("cuda:1")`, also over NumPy, and through one name that is used for nothing else."""
    function = call.func
    if not placement.torch or not isinstance(function, ast.Attribute) or function.attr not in ("to", "cuda"):
        return None
    if destination(call, placement.devices) != "gpu":
        return None
    inner = _without_numpy(function.value, placement)
    if isinstance(inner, ast.Name) and _is_read_once(inner, placement):
        bound = values_at(placement.module, inner)
        if len(bound) == 1 and bound[0] is not None:
            inner = _without_numpy(bound[0], placement)
    if (
        not isinstance(inner, ast.Call)
        or called_name(inner) != "cpu"
        or not isinstance(inner.func, ast.Attribute)
    ):
        return None
    return f".cpu().{function.attr}()", bool(_number(call))


def _without_numpy(node: ast.expr, placement: Placement) -> ast.expr:
    """The tensor under `torch.from_numpy(x.numpy())`, `.contiguous()` and `.detach()`."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and called_name(node) in (
            "detach",
            "contiguous",
            "clone",
            "numpy",
        ):
            node = node.func.value
        elif placement.module.dotted(node.func) in ("torch.from_numpy", "torch.as_tensor", "torch.tensor"):
            node = node.args[0] if node.args else node.func
        else:
            break
    return node


def _number(call: ast.Call) -> str:
    """What tells the target's device apart: its number."""
    target = call.args[0] if call.args else None
    if isinstance(target, ast.Constant):
        text = str(target.value)
        return text.rpartition(":")[2] if ":" in text or text.isdigit() else ""
    return ""
