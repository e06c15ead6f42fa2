"""DataLoaders whose batches go to a GPU, and their settings."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.host.data_flow.call_options import loader_pins
from advisor.evidence.source.host.data_flow.device_names import destination
from advisor.evidence.source.host.data_flow.loop_context import loop_context
from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_records import host_record
from advisor.model.records import Record
from advisor.program.launches.host_loops import host_loops
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.calls import called_name, keyword_value
from advisor.program.syntax.statement_places import begin

_LOADER = ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader")
_WORKERS, _PERSISTENT = 5, 12


def loader_records(placement: Placement) -> Iterator[Record]:
    """The DataLoaders of a module in order of lines; what is not a constant there is unknown.

    One feeds a GPU where a loop over it sends what it gives there; its passes are the loops around that loop,
    which iterate the loader again.
    """
    module = placement.module
    for call in module.calls if placement.torch else ():
        if module.dotted(call.func) not in _LOADER:
            continue
        sent = [loop for loop in _loops_over(call, placement) if _sends(loop, placement)]
        open_ended = any(one.arg is None for one in call.keywords)
        counts = not open_ended and not _in_memory(call, placement)
        yield host_record(
            module,
            "loader",
            call,
            "DataLoader",
            feeds_gpu=True if sent else None,
            workers=_whole(call, "num_workers", _WORKERS) if counts else None,
            pinned=None if _on_gpu_already(call, placement) else loader_pins(call),
            persistent=None if open_ended else _truth(call, "persistent_workers", _PERSISTENT),
            passes=max((len(host_loops(module, loop)) for loop in sent), default=None),
            in_test_or_benchmark=loop_context(module, call).timed,
        )


def _loops_over(call: ast.Call, placement: Placement) -> list[ast.For]:
    """The loops that iterate a loader and nothing else that may go by its name."""
    module, found = placement.module, []
    name = _bound_name(call, placement)
    if name is None:
        return []
    scope = module.scope_of(call) or module.tree
    for loop in module.inside(scope, ast.For):
        if any(
            isinstance(one, ast.Name) and one.id == name and _is_this(one, call, placement)
            for one in ast.walk(loop.iter)
        ):
            found.append(loop)
    return sorted(found, key=begin)


def _bound_name(call: ast.Call, placement: Placement) -> str | None:
    parent = placement.module.parents.get(call)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        target = parent.targets[0]
        return target.id if isinstance(target, ast.Name) else None
    return None


def _is_this(name: ast.Name, call: ast.Call, placement: Placement) -> bool:
    values = values_at(placement.module, name)
    return bool(values) and all(value is call for value in values)


def _sends(loop: ast.For, placement: Placement) -> bool:
    for node in ast.walk(loop):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("to", "cuda")
            and destination(node, placement.devices) == "gpu"
        ):
            source = placement.of(node.func.value)
            if source is not None and source.batch:
                return True
    return False


def _in_memory(call: ast.Call, placement: Placement) -> bool:
    """Whether the dataset is a TensorDataset, which has nothing to load."""
    data = _value(call, "dataset", 0)
    values: list[ast.expr | None] = [data]
    if isinstance(data, ast.Name):
        values = values_at(placement.module, data)
    return any(called_name(one) == "TensorDataset" for one in values if one is not None)


def _on_gpu_already(call: ast.Call, placement: Placement) -> bool:
    """Whether the dataset may hold tensors of the GPU, which cannot be page-locked."""
    return any(placement.on_gpu(one) for argument in call.args[:1] for one in _parts(argument))


def _parts(node: ast.expr) -> list[ast.expr]:
    return [one for one in ast.walk(node) if isinstance(one, ast.expr)]


def _value(call: ast.Call, name: str, place: int) -> ast.expr | None:
    named = keyword_value(call, name)
    return named or (call.args[place] if len(call.args) > place else None)


def _whole(call: ast.Call, name: str, place: int) -> int | None:
    value = _value(call, name, place)
    if value is None:
        return 0
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, int) else None


def _truth(call: ast.Call, name: str, place: int) -> bool | None:
    value = _value(call, name, place)
    if value is None:
        return False
    return bool(value.value) if isinstance(value, ast.Constant) else None
