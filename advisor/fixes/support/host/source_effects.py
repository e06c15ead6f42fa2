"""What kernels of a file may do with the arrays that they are given, for fixes.

It is `advisor.program.effects.array_effects`, asked about the text of a fix. Functions of other files count
as unknown.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.errors import SourceProblem
from advisor.model.text.source_text import SourceText
from advisor.program.effects.array_effects import UNKNOWN, ArrayEffects, Effects
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax, parse_module


def parameter_effects(module: SourceModule, function: cst.FunctionDef, position: int) -> Effects:
    """What a kernel or device function may do with the elements of a parameter, from position 0."""
    names = parameter_names(function)
    known = _analysed(module.text)
    line = module.line_of(module.range_of(function.name)[0])
    node = known.function(function.name.value, line) if known else None
    if known is None or node is None or position >= len(names):
        return UNKNOWN
    return known.effects.of(known.module, node, names[position])


def is_used_otherwise(module: SourceModule, function: cst.FunctionDef, name: str, changed: bool) -> bool:
    """Whether elements of an array parameter may be used under another name of the function, or with
    `changed` written.
    """
    known = _analysed(module.text)
    line = module.line_of(module.range_of(function.name)[0])
    node = known.function(function.name.value, line) if known else None
    if known is None or node is None:
        return True
    return bool(known.effects.other_names(known.module, node, name, changed))


def parameter_names(function: cst.FunctionDef) -> list[str]:
    """The names of a function's parameters that can be given by position, in order."""
    return [one.name.value for one in (*function.params.posonly_params, *function.params.params)]


class _Analysed:
    """The syntax of a text and what its functions do."""

    def __init__(self, module: ModuleSyntax) -> None:
        self.module = module
        # Without a file nothing is read beside the text.
        self.effects = ArrayEffects(Workspace(Path()))

    def function(self, name: str, line: int) -> FunctionNode | None:
        """The function of a name whose `def` stands on a line."""
        named = self.module.functions_by_name.get(name, [])
        return next((one for one in named if one.lineno == line), None)


@lru_cache(maxsize=8)
def _analysed(text: str) -> _Analysed | None:
    try:
        return _Analysed(parse_module(SourceText("", text)))
    except SourceProblem:
        return None
