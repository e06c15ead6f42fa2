"""Options of a kernel's decorator `@cuda.jit(…)`: what is given, and the edit that adds one."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit


def with_option(module: SourceModule, kernel: cst.FunctionDef, name: str, value: str) -> Edit | None:
    """The edit that adds an option to the decorator of a kernel.

    None where there is not one decorator `jit`, where it has the option, and where its options are not all
    written there.
    """
    found = [one.decorator for one in kernel.decorators if _is_jit(one.decorator)]
    if len(found) != 1:
        return None
    decorator = found[0]
    if not isinstance(decorator, cst.Call):
        return module.replaced(decorator, f"{module.code_of(decorator)}({name}={value})")
    if any(one.star or (one.keyword is not None and one.keyword.value == name) for one in decorator.args):
        return None
    if not decorator.args:
        _, end = module.range_of(decorator)
        return Edit(end - 1, end - 1, f"{name}={value}")
    return _behind_last(module, decorator, f"{name}={value}")


def _is_jit(decorator: cst.BaseExpression) -> bool:
    called = decorator.func if isinstance(decorator, cst.Call) else decorator
    name = called.attr if isinstance(called, cst.Attribute) else called
    return isinstance(name, cst.Name) and name.value == "jit"


def _behind_last(module: SourceModule, call: cst.Call, option: str) -> Edit:
    """The edit behind the last argument: on a line of its own where each argument has one."""
    begin, _ = module.range_of(call)
    first, end = module.range_of(call.args[-1])
    end = module.range_of(call.args[-1].value)[1]
    own_line = not module.text[module.line_start(first) : first].strip()
    if own_line and module.line_of(first) != module.line_of(begin):
        return Edit(end, end, f",{module.line_end}{module.indentation(call.args[-1])}{option}")
    return Edit(end, end, f", {option}")
