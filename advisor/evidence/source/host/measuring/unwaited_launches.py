"""Functions of host code that launch a kernel and return before the device is done."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.program.launches.launches import Launch
from advisor.program.syntax.module import FunctionNode
from advisor.program.values.call_sites import values_given

WAITS = frozenset({
    "synchronize", "item", "tolist", "cpu", "numpy", "get", "asnumpy", "copy_to_host", "to_host", "wait",
    "result", "join", "elapsed_time", "deviceSynchronize", "barrier", "block_until_ready",
})  # fmt: skip
_GO_ON = frozenset({
    "backward", "step", "zero_grad", "append", "update", "format", "record", "train", "eval", "to", "cuda",
    "range", "len", "enumerate", "min", "max", "zip", "clip_grad_norm_", "size", "join", "tqdm",
    "set_description",
})  # fmt: skip
_Function = ast.FunctionDef | ast.Lambda


class UnwaitedLaunches:
    """The last launches of a module's functions behind which these surely return without a wait."""

    def __init__(self, placement: Placement, launches: Mapping[ast.Call, Launch]) -> None:
        self._placement, self._launches = placement, launches
        self._known: dict[ast.AST, Launch | None] = {}

    def of_call(self, call: ast.Call) -> Launch | None:
        """The launch that a call of a module's function leaves to the device."""
        return self.of_value(call.func) if call not in self._launches else None

    def of_value(self, function: ast.expr) -> Launch | None:
        """The launch that calling a lambda, or the name of a function of the module, leaves to the device."""
        if isinstance(function, ast.Lambda):
            return self.of(function)
        named = self.named(function)
        return self.of(named) if named is not None else None

    def named(self, function: ast.expr) -> ast.FunctionDef | None:
        """The only function of the module that a name stands for."""
        module = self._placement.module
        if not isinstance(function, ast.Name) or module.dotted(function) != function.id:
            return None
        found = module.functions_by_name.get(function.id, ())
        one = found[0] if len(found) == 1 else None
        return one if isinstance(one, ast.FunctionDef) and not one.decorator_list else None

    def of(self, function: _Function) -> Launch | None:
        """The launch that a function leaves to the device."""
        if function not in self._known:
            self._known[function] = None
            self._known[function] = self._found(function)
        return self._known[function]

    def _found(self, function: _Function) -> Launch | None:
        nodes = list(_own_nodes(function))
        calls = [one for one in nodes if isinstance(one, ast.Call)]
        launched = [one for one in calls if one in self._launches]
        if not launched or any(isinstance(one, ast.With | ast.Await | ast.Yield) for one in nodes):
            return None
        others = [one for one in calls if one not in self._launches]
        if any(is_wait(one, self._placement) for one in others):
            return None
        last = max(launched, key=ending)
        behind = [one for one in others if ending(one) > ending(last)]
        if not all(goes_on(one, self._placement) for one in behind):
            return None
        surely = any(self._is_on_gpu(one) for one in last.args)
        return self._launches[last] if surely and not self._launches[last].host_arrays else None

    def _is_on_gpu(self, argument: ast.expr) -> bool:
        """Whether an argument lies on the device, that of a parameter by all calls in the module."""
        if self._placement.on_gpu(argument):
            return True
        module = self._placement.module
        function = module.scope_of(argument)
        if not isinstance(argument, ast.Name) or not isinstance(function, FunctionNode):
            return False
        if argument.id not in {one.arg for one in function.args.args}:
            return False
        given = [value for _, value in values_given(module, function, argument.id)]
        return bool(given) and all(one is not None and self._placement.on_gpu(one) for one in given)


def _own_nodes(function: _Function) -> Iterator[ast.AST]:
    """The nodes of a function's body, without those of functions in it."""
    waiting: list[ast.AST] = [*function.body] if isinstance(function.body, list) else [function.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)


def ending(node: ast.AST) -> tuple[int, int]:
    """Where a node ends in the text."""
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0


def is_wait(call: ast.Call, placement: Placement) -> bool:
    """Whether a call waits for the device."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in WAITS
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    dotted = placement.module.dotted(call.func) or ""
    if dotted.rpartition(".")[2] in WAITS:
        return True
    return name in ("float", "int", "bool", "print") and any(placement.on_gpu(one) for one in call.args)


def goes_on(call: ast.Call, placement: Placement) -> bool:
    """Whether a call that is no wait surely returns without one."""
    dotted = placement.module.dotted(call.func) or ""
    root, name = dotted.split(".")[0], dotted.rpartition(".")[2]
    if isinstance(call.func, ast.Attribute) and call.func.attr in _GO_ON:
        return True
    if root in ("torch", "cupy", "numpy", "math", "time", "numba") or name in _GO_ON or dotted == "print":
        return True
    place = placement.of(call)
    return place is not None and place.on_gpu
