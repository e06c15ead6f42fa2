"""Constants of the module that a kernel sizes its shared arrays with, or steps its loops by."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.program.syntax.calls import keyword_value, last_name
from advisor.program.syntax.module import FunctionNode
from advisor.runs.tuning.reached import integers_in, number, reached_expressions, slot_name
from advisor.runs.tuning.slots.numbers_in_source import Slot, Spot

_ARRAYS = ("shared", "local")


def tile_slots(
    module: SourceModule, path: str, kernel: FunctionNode, sites: Iterable[LaunchSite]
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
        if number(integer) > 0:
            name = slot_name(module, integer, "")
            spot = Spot(path, *module.range_of(integer))
            found.setdefault(name, Slot(name, number(integer), (spot,)))
    return list(found.values())


def _constants(
    module: SourceModule, kernel: FunctionNode, start: Sequence[ast.expr]
) -> Iterator[ast.Constant]:
    """The numbers that module-level names stand for and that expressions of the kernel rest on."""
    begin, end = module.range_of(kernel)
    for integer in integers_in(module, reached_expressions(module, kernel, start)):
        inside = begin <= module.range_of(integer)[0] < end
        if not inside and isinstance(module.parent(integer), ast.Assign | ast.AnnAssign):
            yield integer


def _array_shapes(module: SourceModule, kernel: FunctionNode) -> list[ast.expr]:
    """The shapes of `cuda.shared.array(…)` and `cuda.local.array(…)`."""
    found = []
    for call in module.nodes_in(ast.Call, kernel):
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr == "array":
            shape = call.args[0] if call.args else keyword_value(call, "shape")
            if shape is not None and last_name(function.value) in _ARRAYS:
                found.append(shape)
    return found


def _range_arguments(module: SourceModule, kernel: FunctionNode, steps: bool) -> list[ast.expr]:
    """The steps of `range(…)`, or its bounds."""
    found = []
    for call in module.nodes_in(ast.Call, kernel):
        if isinstance(call.func, ast.Name) and call.func.id == "range":
            found += call.args[2:3] if steps else call.args[:2]
    return found


def _grid_constants(module: SourceModule, sites: Iterable[LaunchSite]) -> Iterator[ast.Constant]:
    for site in sites:
        if site.module is module:
            yield from integers_in(module, reached_expressions(module, site.function(), [site.grid]))
