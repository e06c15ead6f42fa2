"""What host code does once, beside a loop of launches."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.program.launches.launches import Launch
from advisor.program.syntax.module import FunctionNode, ModuleSyntax


class LoopsOfLaunches:
    """The functions, or modules' own statements, that launch kernels in loops."""

    def __init__(self, launches: Sequence[Launch]) -> None:
        looping = [one for one in launches if one.loops]
        self._around = {_around(one.module, one.node) for one in looping}

    def are_beside(self, module: ModuleSyntax, node: ast.AST, loops: int) -> bool:
        """Whether something in so many loops stands outside of a loop in which its function launches."""
        return not loops and _around(module, node) in self._around


def _around(module: ModuleSyntax, node: ast.AST) -> tuple[str, FunctionNode | None]:
    return module.path, module.function_around(node)
