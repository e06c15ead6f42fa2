"""One launch of a Triton kernel that is made up: memory for its pointers, as much as the kernel reaches."""

from __future__ import annotations

import math
import time
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.driver.triton.parameters import filled, scalar_bytes
from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import ArrayArgument, Extent, pack_parameters
from advisor.evidence.simulated.simt.machine import Kernel
from advisor.evidence.simulated.synthesis.arguments import Arguments, NotMade, Span
from advisor.evidence.simulated.synthesis.trial import Bounds, Trial, run_trial
from advisor.evidence.simulated.synthesis.triton.compiling import Compiled, passed_scalars, scalar_type
from advisor.model.machine_code.triton_unit import TritonPlan, TritonUnit

_WARP = 32
# Elements of a pointer of which nothing tells how many there are.
_ELEMENTS = 1 << 20
# Launches of one plan, each with so many times the memory of the one before.
_ENLARGED, _GROWTH = 3, 4
_ALIGNMENT = 256
_MOST_BYTES = 1 << 28
_LOOPS = 1 << 22
_MOST_DRAWN = 131_071
# What whole numbers in memory are made up of: places in the rows of an array.
_MOST_INDEX = 64
_NUMPY = {
    "fp64": "f8", "fp32": "f4", "fp16": "f2", "i64": "i8", "i32": "i4", "i16": "i2", "i8": "i1", "u8": "u1",
    "i1": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
}  # fmt: skip


def launched(
    unit: TritonUnit, plan: TritonPlan, code: Compiled, kernel: Kernel, seconds: float, memory_bytes: int
) -> Trial:
    """What inner programs of the launch show, with memory that grows until no access leaves it.

    How large arrays are decides nothing that is told of a Triton kernel: its addresses follow from numbers.
    Raises NotMade and MemoryError.
    """
    end = time.process_time() + seconds
    counts = {name: count or _ELEMENTS for name, _, count in plan.pointers}
    before = dict.fromkeys(counts, 0)
    trial: Trial | None = None
    for _ in range(_ENLARGED):
        arguments = _arguments(unit, plan, kernel, counts, before, memory_bytes)
        bounds = Bounds(_LOOPS, max(0.05, 4.0 * (end - time.process_time())))
        block: Extent = (code.warps * _WARP, 1, 1)
        trial = run_trial(kernel, plan.grid, block, code.shared, arguments, bounds, {}, "inner")
        if trial.clean or not trial.ended:
            break
        # Of an access that leaves an array by far nothing tells which one it is.
        counts = {name: _GROWTH * count for name, count in counts.items()}
        for name, overrun in trial.overruns.items():
            before[name] += _GROWTH * max(0, overrun.before)
    assert trial is not None
    return trial


def _arguments(
    unit: TritonUnit,
    plan: TritonPlan,
    kernel: Kernel,
    counts: dict[str, int],
    before: dict[str, int],
    memory_bytes: int,
) -> Arguments:
    memory, values = DeviceMemory(), list[bytes]()
    arrays: list[ArrayArgument] = []
    names: dict[str, str] = {}
    spans: dict[str, Span] = {}
    kinds = {name: kind for name, kind, _ in plan.pointers}
    scalars = dict(plan.scalars)
    if sum(_bytes(kinds[one], counts[one]) + before[one] for one in kinds) > min(
        _MOST_BYTES, memory_bytes // 4
    ):
        raise NotMade("Launches of the kernel that were made up need more memory than the limit.")
    for number, name in enumerate(passed_scalars(unit, plan)):
        if name not in kinds:
            values.append(scalar_bytes(scalar_type(scalars[name]), scalars[name]))
            continue
        lead = -(-before[name] // _ALIGNMENT) * _ALIGNMENT
        content = _content(kinds[name], counts[name], plan, name)
        begin = memory.allocate(lead + len(content))
        memory.view(begin + lead, len(content))[:] = content
        values.append((begin + lead).to_bytes(8, "little"))
        if number < len(kernel.function.parameters):
            names[kernel.function.parameters[number].name] = name
            arrays.append(ArrayArgument(name, number, begin, begin + lead + len(content)))
            spans[name] = Span(begin, begin + lead + len(content))
    sizes = [one.size for one in kernel.function.parameters]
    try:
        packed = pack_parameters(kernel.function, filled(values, sizes))
    except ValueError as error:
        raise NotMade(f"The parameters of the kernel are not those of its types: {error}.") from None
    return Arguments(memory, packed, tuple(arrays), names, spans)


def _bytes(kind: str, count: int) -> int:
    return _dtype(kind).itemsize * count


def _dtype(kind: str) -> np.dtype[Any]:
    return np.dtype(_NUMPY.get(kind, "u2" if kind == "bf16" else "u1"))


def _content(kind: str, count: int, plan: TritonPlan, name: str) -> npt.NDArray[np.uint8]:
    """The bytes of so many elements: numbers that rise or are normal, whole ones that may be places."""
    dtype = _dtype(kind)
    random = np.random.default_rng([zlib.crc32(plan.variant.encode()), zlib.crc32(name.encode())])
    drawn = min(count, _MOST_DRAWN)
    numbers: npt.NDArray[Any]
    if kind == "i1":
        numbers = np.ones(drawn)
    elif kind.startswith(("i", "u")):
        numbers = np.arange(drawn) % _MOST_INDEX if plan.ordered else random.integers(0, _MOST_INDEX, drawn)
    else:
        numbers = np.linspace(0.0, 1.0, drawn) if plan.ordered else random.standard_normal(drawn)
    if kind == "bf16":
        elements = (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    elif kind.startswith("fp8"):
        elements = np.full(drawn, 0x38, np.uint8)  # 1.0 of 4 bits of exponent
    else:
        elements = numbers.astype(dtype)
    found: npt.NDArray[np.uint8] = np.resize(elements, math.ceil(count)).view(np.uint8)
    return found
