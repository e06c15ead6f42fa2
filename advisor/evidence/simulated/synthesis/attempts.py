"""Launches of one variant after another, until one comes to its end and stays within its arrays."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.counts import WARP
from advisor.evidence.simulated.simt.vector.kernels import Kernel
from advisor.evidence.simulated.synthesis.arguments import (
    Arguments,
    Content,
    NotMade,
    make_arguments,
    slot_dtype,
)
from advisor.evidence.simulated.synthesis.contents import contents, scalar
from advisor.evidence.simulated.synthesis.request import Request
from advisor.evidence.simulated.synthesis.sizes import LaunchSizes, Variant, sizes
from advisor.evidence.simulated.synthesis.trial import Bounds, Overrun, Trial, run_trial
from advisor.model.machine_code.kernel_code import KernelCode, ParameterSlot

# What extents are divided by, one after the other, where a launch takes too long.
_SHRINKS = (1, 8, 64)
# Launches of one size, each with the arrays enlarged by as much as the one before left them.
_ENLARGED = 3
# An array grows up to so many times its elements, and these more.
_MOST_GROWTH, _ANY_GROWTH = 16, 4096
# Bytes that may be accessed beside arrays where they cannot grow.
_SLACK = 1 << 16
# Integers of arrays in the last resort.
_SMALL = 3
# Ways back to heads of loops in all warps of a launch.
_LOOPS = 1 << 21
# Seconds on the wall for each of the processor's, and the fewest of these for a launch.
_WALL, _LEAST_SECONDS = 4.0, 0.02
# Dynamic shared memory where the source states none: what each launch may have without asking for more, CUDA
# C++ Programming Guide, "Shared Memory" of compute capability 7.x and later.
_DYNAMIC_SHARED = 48 * 1024


@dataclass(frozen=True)
class Attempt:
    """A launch that was made up, and what was seen of it; `doubtful` are arrays whose rows may be of another
    length, so that nothing is told of accesses to them.
    """

    sizes: LaunchSizes
    trial: Trial
    doubtful: frozenset[str] = frozenset()


class Attempts:
    """The launches of a kernel, which share processor seconds until `end`; so many are `left` to come."""

    def __init__(self, request: Request, end: float, left: int) -> None:
        self._request, self._end, self.left = request, end, left

    def settled(self, kernel: Kernel, variant: Variant, aliases: Mapping[str, str]) -> Attempt:
        """The last launch of a variant: clean, if one is; `aliases` are names of arrays in shared memory.

        Raises NotMade and MemoryError.
        """
        code = self._request.codes[variant.code]
        _check_types(code)
        share = (self._end - time.process_time()) / self.left
        self.left -= 1
        attempt = self._shrunk(kernel, code, variant, share, aliases)
        if attempt.trial.clean or not attempt.trial.ended or variant.reals <= 1.0:
            return attempt
        # An index is made of real numbers, which are taken to be parts of a whole then.
        again = self._shrunk(kernel, code, replace(variant, reals=1.0), share, aliases)
        return again if again.trial.out_of_bounds < attempt.trial.out_of_bounds else attempt

    def _shrunk(
        self, kernel: Kernel, code: KernelCode, variant: Variant, seconds: float, aliases: Mapping[str, str]
    ) -> Attempt:
        """The launch of a variant that comes to its end, or a small one that does not."""
        for shrink in _SHRINKS[:-1]:
            made = sizes(self._request, code, variant, shrink)
            attempt = self._enlarged(kernel, code, variant, made, seconds / len(_SHRINKS), aliases)
            if attempt.trial.ended:
                return attempt
        made = sizes(self._request, code, variant, _SHRINKS[-1])
        return self._enlarged(kernel, code, variant, made, seconds / len(_SHRINKS), aliases)

    def _enlarged(
        self,
        kernel: Kernel,
        code: KernelCode,
        variant: Variant,
        made: LaunchSizes,
        seconds: float,
        aliases: Mapping[str, str],
    ) -> Attempt:
        """Launches whose arrays grow where accesses leave them, then with slack, then with small indices."""
        end = time.process_time() + seconds

        def tried(shapes: dict[str, tuple[int, ...]], slack: int = 0, small: bool = False) -> Attempt:
            arguments = self._arguments(kernel, code, variant, made, shapes, slack, small)
            bounds = Bounds(_LOOPS, _WALL * max(_LEAST_SECONDS, end - time.process_time()))
            shared = self._dynamic_shared(kernel)
            trial = run_trial(
                kernel, made.grid, made.block, shared, arguments, bounds, aliases, variant.blocks
            )
            return Attempt(replace(made, shapes=shapes), trial)

        self._check_memory(kernel, made)
        attempt = tried(made.shapes)
        for _ in range(_ENLARGED):
            if attempt.trial.clean or not attempt.trial.ended:
                break
            grown = enlarged(attempt.sizes.shapes, attempt.trial.overruns, code)
            if grown is None or bytes_of(grown, code) > self._request.limits.memory_bytes // 4:
                break
            attempt = tried(grown)
        tight = attempt.trial
        for small in (False, True):
            if attempt.trial.clean or not attempt.trial.ended:
                break
            last = tried(attempt.sizes.shapes, _SLACK, small)
            if last.trial.ended and last.trial.out_of_bounds < attempt.trial.out_of_bounds:
                attempt = last
        return replace(attempt, doubtful=_of_doubtful_rows(made.shapes, attempt, tight, code))

    def _arguments(
        self,
        kernel: Kernel,
        code: KernelCode,
        variant: Variant,
        made: LaunchSizes,
        shapes: dict[str, tuple[int, ...]],
        slack: int,
        small: bool,
    ) -> Arguments:
        def elements(slot: ParameterSlot) -> npt.NDArray[Any]:
            # Indices stay in the arrays as they were before these grew.
            count = math.prod(shapes[slot.name]) if slot.kind == "array" else 1
            found = contents(self._request, slot, made, variant, count)
            return np.minimum(found, _SMALL) if small and found.dtype.kind in "iu" else found

        content = Content(elements, lambda slot: scalar(slot, made))
        return make_arguments(kernel.function, code.slots, shapes, content, slack)

    def _dynamic_shared(self, kernel: Kernel) -> int:
        """Bytes of dynamic shared memory: those that the source states, else many where any is used."""
        known = self._request.launch.dynamic_shared
        if known is not None:
            return known
        variables = (*kernel.module.variables.values(), *kernel.function.variables)
        uses = any(one.space == "shared" and one.size == 0 for one in variables)
        return _DYNAMIC_SHARED if uses else 0

    def _check_memory(self, kernel: Kernel, made: LaunchSizes) -> None:
        placement = kernel.warp.placement
        warps = -(-math.prod(made.block) // WARP)
        needed = warps * WARP * placement.local_size + placement.shared_size + self._dynamic_shared(kernel)
        if needed > self._request.limits.memory_bytes // 4:
            raise NotMade(
                f"A block takes {needed:,} bytes of local and shared memory, more than a launch that is made "
                f"up may take."
            )


def enlarged(
    shapes: dict[str, tuple[int, ...]], overruns: dict[str, Overrun], code: KernelCode
) -> dict[str, tuple[int, ...]] | None:
    """The shapes with room for accesses behind the end of arrays; None where none can grow by as much.

    An array of several axes that is left by far is taken to be as large as the largest with as many axes.
    """
    grown = dict(shapes)
    for slot in code.slots:
        overrun = overruns.get(slot.name)
        if slot.kind != "array" or not slot.ndim or overrun is None or overrun.behind <= 0:
            continue
        shape, count = shapes[slot.name], math.prod(shapes[slot.name])
        more = -(-overrun.behind // slot_dtype(slot).itemsize)
        like = tuple(map(max, shape, _largest(shapes, code, slot.ndim)))
        if slot.ndim > 1 and more > count and like != shape:
            grown[slot.name] = like
        elif more < _MOST_GROWTH * count + _ANY_GROWTH:
            axis = slot.ndim - 1 if slot.layout == "F" else 0
            row = max(1, count // max(1, shape[axis]))
            longer = shape[axis] - (-more // row)
            grown[slot.name] = (*shape[:axis], longer, *shape[axis + 1 :])
    return None if grown == shapes else grown


def _largest(shapes: dict[str, tuple[int, ...]], code: KernelCode, axes: int) -> tuple[int, ...]:
    """The shape of the largest array with so many axes."""
    alike = [shapes[slot.name] for slot in code.slots if slot.kind == "array" and slot.ndim == axes]
    return max(alike, key=math.prod)


def _of_doubtful_rows(
    first: dict[str, tuple[int, ...]], last: Attempt, tight: Trial, code: KernelCode
) -> frozenset[str]:
    """The arrays of several axes of which the rows are not known: accesses left what was first made of them
    by more than that, and no other array told how large they are.
    """
    doubtful = set()
    for slot in code.slots:
        if slot.kind != "array" or slot.ndim < 2:
            continue
        before, after = first[slot.name], last.sizes.shapes[slot.name]
        overrun = tight.overruns.get(slot.name, Overrun())
        beyond = max(overrun.before, overrun.behind) // slot_dtype(slot).itemsize
        inner = after[:-1] if slot.layout == "F" else after[1:]
        same_rows = inner == (before[:-1] if slot.layout == "F" else before[1:])
        grown = math.prod(after) - math.prod(before) if same_rows else 0
        if grown + beyond > math.prod(before):
            doubtful.add(slot.name)
    return frozenset(doubtful)


def bytes_of(shapes: dict[str, tuple[int, ...]], code: KernelCode) -> int:
    """The bytes of all arrays of a launch."""
    arrays = [slot for slot in code.slots if slot.kind == "array"]
    return sum(math.prod(shapes[slot.name]) * slot_dtype(slot).itemsize for slot in arrays)


def _check_types(code: KernelCode) -> None:
    """Raise NotMade for a parameter whose type has no values."""
    for slot in code.slots:
        try:
            dtype = slot_dtype(slot)
        except (TypeError, ValueError, SyntaxError, KeyError):
            raise NotMade(f"The type of the parameter {slot.name} is not known to NumPy.") from None
        if not dtype.itemsize or dtype.hasobject:
            raise NotMade(f"No value of the type {dtype} can be made up for the parameter {slot.name}.")
