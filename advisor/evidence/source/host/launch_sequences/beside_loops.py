"""What host code does once, beside a loop of launches."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

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
    """The arrays that launches in loops are given, by the function around them; `steps` gives the iterations
    of the loop around a launch, None where they are not constant.
    """

    def __init__(
        self, launches: Sequence[Launch], kernels: OwnElements, steps: Callable[[Launch], int | None]
    ) -> None:
        self._kernels, self._steps = kernels, steps
        self._looping: dict[tuple[str, FunctionNode | None], list[Launch]] = {}
        for one in launches:
            if one.loops:
                self._looping.setdefault(_around(one.module, one.node), []).append(one)

    def meet(self, launch: Launch) -> bool:
        """Whether a launch outside of loops is given one of the arrays of those in its function."""
        return bool(self._meeting(launch))

    def most_steps(self, launch: Launch) -> int | None:
        """The iterations of the longest loop of launches that have an array of one outside of loops; None
        where those of any are not constant.
        """
        found = [None if one.loops > 1 else self._steps(one) for one in self._meeting(launch)]
        known = [one for one in found if one is not None]
        return max(known) if known and len(known) == len(found) else None

    def _meeting(self, launch: Launch) -> list[Launch]:
        others = self._looping.get(_around(launch.module, launch.node), ()) if not launch.loops else ()
        own = self._arrays(launch) if others else set()
        return [one for one in others if not own.isdisjoint(self._arrays(one))]

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
