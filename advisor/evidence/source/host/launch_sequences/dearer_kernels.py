"""Loops that launch a kernel which does little beside one whose threads walk all of an array."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.evidence.source.host.launch_sequences.written_configuration import written_configuration
from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts, LoopContext
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.launches import Launch

_BLOCKS = frozenset({"bid.x", "bid.y", "bid.z"})


class DearerKernels:
    """The launches of the same loop and the same grid and block, by what their kernels walk."""

    def __init__(self, launches: Sequence[Launch], walked: WalkedKernels) -> None:
        self._walked = walked
        self._alike: dict[tuple[ast.AST, str], list[Launch]] = {}
        for one in launches:
            key = _key(one)
            if key is not None:
                self._alike.setdefault(key, []).append(one)
        self._known: dict[tuple[ast.AST, bool], bool] = {}

    def beside(self, launch: Launch) -> bool | None:
        """Whether as many threads of another kernel each walk all of an array of unknown length, in the same
        loop, and those of the launch walk nothing of the kind: they are done in a small part of the time.
        None where the others are not known.
        """
        key = _key(launch)
        others = [one for one in self._alike.get(key, ()) if one is not launch] if key is not None else []
        if not others or not self._all(launch, walks=False):
            return False
        if any(self._all(one, walks=True) for one in others):
            return True
        return False if all(one.kernels for one in others) else None

    def _all(self, launch: Launch, walks: bool) -> bool:
        """Whether all kernels that a launch may launch walk an array, or none of them anything long."""
        return bool(launch.kernels) and all(self._asked(one, walks) for one in launch.kernels)

    def _asked(self, kernel: Declaration, walks: bool) -> bool:
        key = kernel.node, walks
        if key not in self._known:
            facts = self._walked.facts(kernel)
            self._known[key] = facts.complete and (_walks_all(facts) if walks else _walks_nothing(facts))
        return self._known[key]


def _key(launch: Launch) -> tuple[ast.AST, str] | None:
    loop = next(iter(host_loops(launch.module, launch.node)), None)
    written = written_configuration(launch.module, launch.node) if loop is not None else None
    return None if loop is None or written is None else (loop, written)


def _walks_nothing(facts: KernelFacts) -> bool:
    """Whether each loop of a kernel has a number of iterations that the source fixes."""
    return all(loop.context.trip_count is not None for loop in facts.loops)


def _walks_all(facts: KernelFacts) -> bool:
    """Whether a loop walks all of an array in each thread, or in each block."""
    return any(
        access.array.parameter and _is_long(loop) and _goes_along(access, loop, facts)
        for access in facts.accesses
        for loop in access.place.loops
    )


def _is_long(loop: LoopContext) -> bool:
    threads = {name for name in loop.trips if name.startswith(("tid.", "bid."))}
    return loop.trip_count is None and not threads and not loop.trips_loaded and not loop.steps_by_grid


def _goes_along(access: Access, loop: LoopContext, facts: KernelFacts) -> bool:
    """Whether the counter leads along the array, and which block it is makes no difference."""
    depends = [facts.atoms.depends(index.form) for index in access.indices]
    return any(loop.counter in one for one in depends) and not any(one & _BLOCKS for one in depends)
