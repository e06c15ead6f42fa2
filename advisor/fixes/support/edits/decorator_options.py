"""Options of a kernel's decorator `@cuda.jit(…)`: what is given, and the edit that adds one."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.call_keywords import with_argument
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit
from advisor.program.syntax.module import FunctionNode


def with_option(module: SourceModule, kernel: FunctionNode, name: str, value: str) -> Edit | None:
    """The edit that adds an option to the decorator of a kernel.

    None where there is not one decorator `jit`, where it has the option, and where its options are not all
    written there.
    """
    found = [one for one in kernel.decorator_list if _is_jit(one)]
    if len(found) != 1:
        return None
    decorator, option = found[0], f"{name}={value}"
    if not isinstance(decorator, ast.Call):
        return module.replaced(decorator, f"{module.code_of(decorator)}({option})")
    if any(one.arg == name for one in decorator.keywords):
        return None
    return with_argument(module, decorator, option)


def _is_jit(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(called, ast.Attribute):
        return called.attr == "jit"
    return isinstance(called, ast.Name) and called.id == "jit"
