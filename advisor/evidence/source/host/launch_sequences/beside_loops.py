"""What host code does once, beside a loop of launches."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.evidence.source.host.launch_sequences.own_elements import OwnElements
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


class ArraysOfLoops:
    """The arrays that launches in loops are given, by the function around them."""

    def __init__(self, launches: Sequence[Launch], kernels: OwnElements) -> None:
        self._kernels = kernels
        self._given: dict[tuple[str, FunctionNode | None], set[str]] = {}
        for one in launches:
            if one.loops:
                self._given.setdefault(_around(one.module, one.node), set()).update(self._arrays(one))

    def meet(self, launch: Launch) -> bool:
        """Whether a launch outside of loops is given one of the arrays of those in its function."""
        given = self._given.get(_around(launch.module, launch.node))
        return given is not None and not launch.loops and not given.isdisjoint(self._arrays(launch))

    def _arrays(self, launch: Launch) -> set[str]:
        """The arrays among the arguments of a launch, by their names."""
        kernel = launch.kernel
        given = zip(launch.arguments, kernel.parameters, strict=False) if kernel is not None else ()
        return {
            one.id
            for one, parameter in given
            if isinstance(one, ast.Name) and kernel is not None and self._kernels.is_array(kernel, parameter)
        }


def _around(module: ModuleSyntax, node: ast.AST) -> tuple[str, FunctionNode | None]:
    return module.path, module.function_around(node)
