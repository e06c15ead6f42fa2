"""Which device an expression of host code names: a GPU, the CPU, or neither for certain."""

from __future__ import annotations

import ast

from advisor.program.names.object_attributes import values_of_attribute
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.values.call_sites import values_of_parameter

_DEPTH = 5


class DeviceNames:
    """The devices that a module's expressions name.

    A device that is a GPU where there is one (`"cuda" if torch.cuda.is_available() else "cpu"`) is a GPU:
    that is the machine the advice is for. So is a parameter where a call in the module, or its default, names
    one.
    """

    def __init__(self, module: ModuleSyntax) -> None:
        self.module = module

    def of(self, node: ast.expr, depth: int = _DEPTH) -> str | None:
        """`gpu`, `cpu`, or None where the source does not tell."""
        if depth == 0:
            return None
        if isinstance(node, ast.Constant):
            return _constant(node.value)
        if isinstance(node, ast.JoinedStr) and node.values:
            return self.of(node.values[0], depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
            return self.of(node.left, depth) if isinstance(node.left, ast.Constant) else None
        if isinstance(node, ast.IfExp):
            return _any_gpu([self.of(node.body, depth - 1), self.of(node.orelse, depth - 1)])
        if isinstance(node, ast.BoolOp):
            return _any_gpu([self.of(one, depth - 1) for one in node.values])
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        if isinstance(node, ast.Name):
            given = values_of_parameter(self.module, node)
            return self._values([*values_at(self.module, node), *given], depth)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, depth)
        return None

    def _call(self, node: ast.Call, depth: int) -> str | None:
        dotted = self.module.dotted(node.func)
        if dotted == "torch.device" and node.args:
            return self.of(node.args[0], depth - 1) if not _is_number(node.args[0]) else "gpu"
        return "gpu" if dotted == "torch.cuda.current_device" else None

    def _attribute(self, node: ast.Attribute, depth: int) -> str | None:
        """The device that the class binds to `self.device`."""
        if not (isinstance(node.value, ast.Name) and node.value.id == "self"):
            return None
        return self._values([*attribute_values(self.module, node)], depth)

    def _values(self, values: list[ast.expr | None], depth: int) -> str | None:
        return _any_gpu([None if one is None else self.of(one, depth - 1) for one in values])


def destination(node: ast.Call, devices: DeviceNames) -> str | None:
    """The device that `.to(…)` or `.cuda(…)` sends to: gpu, cpu, or None where that is not known."""
    if isinstance(node.func, ast.Attribute) and node.func.attr == "cuda":
        return "gpu"
    named = keyword_value(node, "device")
    target = named or (node.args[0] if node.args else None)
    if isinstance(target, ast.Constant) and isinstance(target.value, int):
        return "gpu"
    return None if target is None else devices.of(target)


def attribute_values(module: ModuleSyntax, node: ast.Attribute) -> list[ast.expr]:
    """Every value that the class around `self.name` assigns to it."""
    owner = module.class_around(node)
    return [] if owner is None else [value for _, value in values_of_attribute(module, owner, node.attr)]


def _constant(value: object) -> str | None:
    if isinstance(value, str):
        name = value.split(":")[0]
        return "gpu" if name == "cuda" else "cpu" if name in ("cpu", "meta") else None
    return None


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _any_gpu(found: list[str | None]) -> str | None:
    if "gpu" in found:
        return "gpu"
    return "cpu" if found and all(one == "cpu" for one in found) else None


def asks_for_gpu(test: ast.expr) -> bool:
    """Whether a condition speaks of a GPU: `torch.cuda.is_available()`, `use_cuda`, `args.gpu`."""
    names = {one.id for one in ast.walk(test) if isinstance(one, ast.Name)}
    names |= {one.attr for one in ast.walk(test) if isinstance(one, ast.Attribute)}
    return any("cuda" in name.lower() or "gpu" in name.lower() for name in names)
