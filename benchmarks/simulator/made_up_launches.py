"""What making up launches of a kernel takes, beside translating it: processor milliseconds.

    python benchmarks/simulator/made_up_launches.py [--rounds N]

Small kernels of common shapes are compiled here. Each is translated twice, then all of its launches are made
up and run N times; the least of both is printed. The last line has the ratio of launches over translation of
the median kernel.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import mock

from numba import cuda, float32, int32

from advisor.evidence.simulated.simt.machine import compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector.runtime import runtime
from advisor.evidence.simulated.synthesis import synthesise as made_up
from advisor.evidence.simulated.synthesis.request import KnownLaunch, Limits, Request
from advisor.model.machine_code.kernel_code import KernelCode, ParameterSlot
from advisor.program.index_relations.relations import EqualSizes, Extent, IndexRelations

LIMITS = Limits(seconds=60.0, memory_bytes=2 << 30, instructions=20_000)


def added(x: Any, out: Any) -> None:
    """Neighbouring lanes, neighbouring elements."""
    i = cuda.grid(1)
    if i < out.size:
        out[i] += x[i]


def transposed(x: Any, out: Any) -> None:
    """A plane by columns."""
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = x[i, j]


def averaged(x: Any, out: Any) -> None:
    """A stencil along three axes."""
    i, j, k = cuda.grid(3)
    if 0 < i < out.shape[2] - 1 and 0 < j < out.shape[1] - 1 and 0 < k < out.shape[0] - 1:
        out[k, j, i] = (x[k, j, i - 1] + x[k, j, i + 1] + x[k, j - 1, i] + x[k - 1, j, i]) / 4


def gathered(x: Any, where: Any, out: Any) -> None:
    """Elements that an array of indices names."""
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[where[i] % x.size]


def along(axis: int, *sizes: Extent) -> EqualSizes:
    """Sizes that are equal along an axis of the launch."""
    return EqualSizes(sizes, 0, axis)


def planes(axes: int) -> IndexRelations:
    """Two arrays with an axis of the launch along each of their axes."""
    equal = (along(axes - 1 - one, Extent("x", one), Extent("out", one)) for one in range(axes))
    return IndexRelations(equal=tuple(equal), block_axes=axes)


KERNELS: list[tuple[Callable[..., None], tuple[Any, ...], IndexRelations]] = [
    (added, (float32[::1], float32[::1]), planes(1)),
    (transposed, (float32[:, ::1], float32[:, ::1]), planes(2)),
    (averaged, (float32[:, :, ::1], float32[:, :, ::1]), planes(3)),
    (
        gathered,
        (float32[::1], int32[::1], float32[::1]),
        IndexRelations(equal=(along(0, Extent("where", 0), Extent("out", 0)),)),
    ),
]


def request_of(function: Callable[..., None], types: tuple[Any, ...], relations: IndexRelations) -> Request:
    """The request for a function's launches."""
    text, _ = cuda.compile_ptx(function, types, cc=(8, 0), lineinfo=True)
    entry = next(name for name, one in read_ptx(text).functions.items() if one.entry)
    names = function.__code__.co_varnames
    slots = tuple(
        ParameterSlot(name, "array", "<i4" if kind.dtype is int32 else "<f4", kind.ndim, kind.layout)
        for name, kind in zip(names, types, strict=False)
    )
    code = KernelCode(function.__name__, text, entry, slots, tuple(map(str, types)))
    place = (function.__code__.co_filename, function.__code__.co_firstlineno)
    return Request(function.__name__, (code,), relations, KnownLaunch(), (place,), LIMITS)


def milliseconds(work: Callable[[], Any]) -> float:
    """The processor's milliseconds for some work."""
    begin = time.process_time()
    work()
    return (time.process_time() - begin) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description="What making up launches takes, beside translating.")
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    runtime(None)
    ratios = []
    for kernel in KERNELS:
        request = request_of(*kernel)
        (code,) = request.codes
        module = read_ptx(code.ptx)
        ready = compile_kernel(module, code.entry)
        translation = min(milliseconds(partial(compile_kernel, module, code.entry)) for _ in range(2))
        with mock.patch.object(made_up, "compile_kernel", return_value=ready):
            launches = min(milliseconds(partial(made_up.synthesise, request)) for _ in range(rounds))
        ratios.append(launches / translation)
        print(f"{request.kernel:12} translation {translation:7.1f} ms, all launches {launches:7.1f} ms")
    print(f"launches over translation, median: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
