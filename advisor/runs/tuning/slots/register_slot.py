"""The option `max_registers` of a kernel's decorator, present or to be added."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.runs.tuning.slots.numbers_in_source import NO_LIMIT, REGISTERS, RegisterSlot


def register_slot(module: SourceModule, path: str, kernel: cst.FunctionDef) -> RegisterSlot | None:
    """Where the limit stands or would stand; None for a decorator that it cannot be added to."""
    for decorator in kernel.decorators:
        made = decorator.decorator
        called = made.func if isinstance(made, cst.Call) else made
        name = called.attr if isinstance(called, cst.Attribute) else called
        if isinstance(name, cst.Name) and name.value == "jit":
            return (
                _of_call(module, path, made) if isinstance(made, cst.Call) else _of_name(module, path, made)
            )
    return None


def _of_name(module: SourceModule, path: str, name: cst.BaseExpression) -> RegisterSlot:
    _, end = module.range_of(name)
    return RegisterSlot(NO_LIMIT, path, end, end, f"({REGISTERS}=", ")")


def _of_call(module: SourceModule, path: str, call: cst.Call) -> RegisterSlot | None:
    if any(one.star == "**" for one in call.args):
        return None
    for argument in call.args:
        if argument.keyword is not None and argument.keyword.value == REGISTERS:
            value = argument.value
            if not isinstance(value, cst.Integer):
                return None
            return RegisterSlot(value.evaluated_value, path, *module.range_of(value), "", "")
    if not call.args:
        _, end = module.range_of(call)
        return RegisterSlot(NO_LIMIT, path, end - 1, end - 1, f"{REGISTERS}=", "")
    _, end = module.range_of(call.args[-1].value)
    return RegisterSlot(NO_LIMIT, path, end, end, f", {REGISTERS}=", "")
