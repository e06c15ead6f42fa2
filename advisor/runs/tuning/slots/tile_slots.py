"""Constants of the module that a kernel sizes its shared arrays with, or steps its loops by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.runs.tuning.reached import integers_in, reached_expressions, slot_name
from advisor.runs.tuning.slots.numbers_in_source import Slot, Spot

_ARRAYS = ("shared", "local")


def tile_slots(
    module: SourceModule, path: str, kernel: cst.FunctionDef, sites: Iterable[LaunchSite]
) -> list[Slot]:
    """The constants, those of shared arrays first.

    The bound of a loop counts only where the grid rests on it too: it says how much work a thread has.
    """
    sizes = list(_constants(module, kernel, _array_shapes(module, kernel)))
    steps = list(_constants(module, kernel, _range_arguments(module, kernel, steps=True)))
    in_grid = {module.range_of(one) for one in _grid_constants(module, sites)}
    bounds = [
        one
        for one in _constants(module, kernel, _range_arguments(module, kernel, steps=False))
        if module.range_of(one) in in_grid
    ]
    found: dict[str, Slot] = {}
    for integer in (*sizes, *steps, *bounds):
        if integer.evaluated_value > 0:
            name = slot_name(module, integer, "")
            spot = Spot(path, *module.range_of(integer))
            found.setdefault(name, Slot(name, integer.evaluated_value, (spot,)))
    return list(found.values())


def _constants(
    module: SourceModule, kernel: cst.FunctionDef, start: Sequence[cst.BaseExpression]
) -> Iterator[cst.Integer]:
    """The numbers that module-level names stand for and that expressions of the kernel rest on."""
    begin, end = module.range_of(kernel)
    for integer in integers_in(module, reached_expressions(module, kernel, start)):
        inside = begin <= module.range_of(integer)[0] < end
        if not inside and isinstance(module.parent(integer), cst.Assign | cst.AnnAssign):
            yield integer


def _array_shapes(module: SourceModule, kernel: cst.FunctionDef) -> list[cst.BaseExpression]:
    """The shapes of `cuda.shared.array(…)` and `cuda.local.array(…)`."""
    found = []
    for call in module.nodes_in(cst.Call, kernel):
        function = call.func
        if not isinstance(function, cst.Attribute) or function.attr.value != "array":
            continue
        owner = function.value
        name = owner.attr if isinstance(owner, cst.Attribute) else owner
        if isinstance(name, cst.Name) and name.value in _ARRAYS:
            shapes = [one for one in call.args if one.keyword is None or one.keyword.value == "shape"]
            found += [one.value for one in shapes[:1]]
    return found


def _range_arguments(module: SourceModule, kernel: cst.FunctionDef, steps: bool) -> list[cst.BaseExpression]:
    """The steps of `range(…)`, or its bounds."""
    found = []
    for call in module.nodes_in(cst.Call, kernel):
        if isinstance(call.func, cst.Name) and call.func.value == "range":
            arguments = [one.value for one in call.args]
            found += arguments[2:3] if steps else arguments[:2]
    return found


def _grid_constants(module: SourceModule, sites: Iterable[LaunchSite]) -> Iterator[cst.Integer]:
    for site in sites:
        if site.module is module:
            yield from integers_in(module, reached_expressions(module, site.function(), [site.grid]))
