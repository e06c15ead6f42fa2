"""The predicted time of kernels by element and by warp, for launches that were made up, as records."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.evidence.metrics.prediction_error import prediction_error
from advisor.evidence.metrics.times.filled_device import FilledDevice, filled_device, waves_of_grid
from advisor.evidence.metrics.times.resources import borrowed_latencies
from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence
from advisor.model.devices import Device
from advisor.model.records import Reading, Record

_MS = 1e3
_GRID = "The grid is taken to fill {device}, {waves} times over."
_MODEL = (
    "The time is a model's: what DRAM, caches, units, issue, atomics and latency need, overlapped in part. "
    "DRAM moves each sector once at the least, what the blocks miss in L1 at the most; "
    "{share:.0%} of published times lie within {factor:g} times of the model's."
)


def element_times(
    synthesised: SynthesisedEvidence, compiled: Iterable[Record], device: Device
) -> list[Record]:
    """A record with the times of each kernel for which launches were made up, or with why there is none.

    `compiled` has the registers of kernels; of several typings the first is that of the made-up launches.
    """
    registers: dict[str, Reading] = {}
    for one in compiled:
        if one.entity == "kernel" and "registers" in one.readings:
            registers.setdefault(one.key, one.readings["registers"])
    found = []
    for kernel in synthesised.records:
        synthesis = synthesised.by_kernel[kernel.key]
        if synthesis.unknown:
            continue
        known = registers.get(kernel.key)
        filled = filled_device(synthesis.work, None if known is None else float(known.value), device)
        assumed = kernel.readings["synthesised_launches"].assumptions
        own = () if known is None else tuple(one for one in known.assumptions if one not in assumed)
        found.append(_record(kernel, filled, (*assumed, *own), device))
    return found


def _record(kernel: Record, filled: FilledDevice, assumptions: tuple[str, ...], device: Device) -> Record:
    record = Record("kernel", kernel.key, kernel.path, kernel.span, kernel.label)
    time = filled.time
    if time is None:
        record.know("synthesised", assumptions, time_unknown_because=filled.unknown)
        return record
    error = prediction_error()
    lacking = dict.fromkeys(one for counts in filled.possible for one in borrowed_latencies(counts, device))
    model = _MODEL.format(share=error.share, factor=error.time)
    grid = _GRID.format(device=device.name, waves=waves_of_grid())
    record.know(
        "synthesised",
        (*assumptions, grid, model, *lacking),
        predicted_ms_per_element=time.interval.low * _MS,
        predicted_ms_per_warp=time.interval_of_warp.low * _MS,
        predicted_limiter=" or ".join(dict.fromkeys(time.limiters)),
    )
    record.may_be(
        predicted_ms_per_element=time.interval.high * _MS,
        predicted_ms_per_warp=time.interval_of_warp.high * _MS,
    )
    return record
