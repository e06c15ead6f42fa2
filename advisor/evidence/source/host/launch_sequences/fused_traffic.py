"""What a kernel that does the work of several launches would no longer load and store."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.host.launch_sequences.own_elements import OwnElements
from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.launches import Launch


def saved_share(run: Sequence[Launch], kernels: OwnElements) -> float | None:
    """Of the elements that a thread loads and stores in launches one behind the other, the share that it need
    not where one kernel does all of it: an element at its own position stays in a register.

    None where the source does not show how much each thread does.
    """
    total, saved = 0, 0
    held, stored = set[str](), set[str]()
    for launch in run:
        for name, kernel, parameter in _arrays(launch):
            counted = kernels.elements(kernel, parameter)
            if counted is None:
                return None
            loads, stores = counted
            total += loads + stores
            own = kernels.own_axes(kernel, parameter) is not None
            saved += loads if own and name in held else 0
            # What an earlier launch has stored there was for this one alone.
            saved += stores if own and name in stored else 0
            if own:
                held |= {name} if loads or stores else set()
                stored |= {name} if stores else set()
    return saved / total if total else None


def _arrays(launch: Launch) -> Iterator[tuple[str, Declaration, str]]:
    if launch.kernel is not None:
        for argument, parameter in zip(launch.node.args, launch.kernel.parameters, strict=False):
            yield ast.unparse(argument), launch.kernel, parameter
