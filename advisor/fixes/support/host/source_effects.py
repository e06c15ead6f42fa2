"""What kernels and calls of a file may do with the arrays that they are given, for fixes.

It is `advisor.program.effects`, asked about the text of a fix. Functions of other files count as unknown.
"""

from __future__ import annotations

import ast
from pathlib import Path

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.program.effects.array_effects import UNKNOWN, ArrayEffects, Effects
from advisor.program.effects.callees import Known
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode

# In kernels these give numbers; of whole arrays they may give one of them, or a row of one.
_CHOOSING = ("max", "min", "sum")


def parameter_effects(module: SourceModule, function: FunctionNode, position: int) -> Effects:
    """What a kernel or device function may do with the elements of a parameter, from position 0."""
    names = positional_parameters(function)
    if position >= len(names):
        return UNKNOWN
    return module.answer(_array_effects, module.tree).of(module.syntax, function, names[position])


def is_used_otherwise(module: SourceModule, function: FunctionNode, name: str, changed: bool) -> bool:
    """Whether elements of an array parameter may be used under another name of the function, or with
    `changed` written.
    """
    effects = module.answer(_array_effects, module.tree)
    return bool(effects.other_names(module.syntax, function, name, changed))


def known_call(module: SourceModule, call: ast.Call) -> Known | None:
    """What a function of Python, NumPy or Numba does in host code with its arguments, None for any other."""
    effects, scope = module.answer(_array_effects, module.tree), module.scope_of(call) or module.tree
    known = effects.callees.known(call, module.syntax, scope)
    chooses = isinstance(call.func, ast.Name) and call.func.id in _CHOOSING
    return Known.SAME if known is Known.NUMBERS and chooses else known


def functions_behind(module: SourceModule, call: ast.Call) -> list[FunctionNode] | None:
    """The functions of the file that a call may be of; None where it may be of others."""
    effects, scope = module.answer(_array_effects, module.tree), module.scope_of(call)
    found = effects.callees.functions(call.func, module.syntax, scope) if scope is not None else None
    return None if found is None else [function for _, function in found]


def known_method(module: SourceModule, call: ast.Call) -> Known | None:
    """What a method does with its array, None for one that is not known to be an array's."""
    effects, scope = module.answer(_array_effects, module.tree), module.scope_of(call) or module.tree
    if not isinstance(call.func, ast.Attribute):
        return None
    return effects.callees.method(call, call.func, module.syntax, scope)


def positional_parameters(function: FunctionNode) -> list[str]:
    """The names of a function's parameters that can be given by position, in order."""
    return [one.arg for one in (*function.args.posonlyargs, *function.args.args)]


def _array_effects(_module: SourceModule, _tree: ast.Module) -> ArrayEffects:
    # Without a file nothing is read beside the text.
    return ArrayEffects(Workspace(Path()))
