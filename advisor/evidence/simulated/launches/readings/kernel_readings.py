"""Metrics of a kernel from the counts of one launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.evidence.simulated.simt.counts import WARP, AccessCounts, Statistics, total
from advisor.evidence.simulated.simt.instruction_costs import tensor_work
from advisor.model.devices import Device
from advisor.model.records import Value

SECTOR = 32
_FLOATS = ("f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f64")


def kernel_readings(counted: Statistics, device: Device, same_device: bool) -> dict[str, Value | None]:
    """The simulated metrics of a kernel; what rests on the cache model only where it ran for this device."""
    whole = counted.blocks_run == counted.blocks and counted.ended
    accesses = counted.accesses
    sectors = total(accesses, "sectors", "global")
    flops = sum(counted.flops.get(name, 0) for name in _FLOATS)
    touched = counted.loaded_sectors + counted.stored_sectors
    traffic = cache_traffic(counted, device, same_device) if whole else Traffic()
    return {
        "block_threads": float(counted.block[0] * counted.block[1] * counted.block[2]),
        "grid_blocks": float(counted.blocks),
        **launch_ratios(counted),
        "warp_instructions": float(counted.warp_instructions) if whole else None,
        "flops": float(flops) if whole else None,
        "hottest_element_updates": counted.hottest_updates if whole else None,
        "hottest_slice_sectors": counted.hottest_slice_sectors if whole else None,
        **_waits(accesses, traffic),
        "l1_hit_rate": traffic.l1_hit_rate,
        "l2_hit_rate": traffic.l2_hit_rate,
        "l2_sectors": traffic.l2_sectors,
        "dram_bytes": traffic.dram_bytes,
        **(_needed(counted) if whole else {}),
        "dram_rereads": _ratio(traffic.dram_bytes or 0.0, touched * SECTOR)
        if traffic.dram_bytes is not None
        else None,
        "ai_flops_per_byte": flops / traffic.dram_bytes if traffic.dram_bytes else None,
        "l1_sectors": float(sectors + total(accesses, "sectors", "local")) if whole else None,
        **(memory_work(accesses) if whole else {}),
        "constant_addresses": float(total(accesses, "distinct", "constant")) if whole else None,
        "shared_wavefronts": float(total(accesses, "wavefronts", "shared")) if whole else None,
        "joined_wavefronts": float(total(accesses, "joined_wavefronts", "shared")) if whole else None,
        **(unit_slots(counted) if whole else {}),
        "tensor_work": _tensor_work(counted) if whole else None,
        "tensor_share": tensor_share(counted),
        **warp_readings(counted),
        "launch_shared_bytes": float(counted.shared_bytes),
        "warp_balance": counted.balance if counted.detailed else None,
    }


def _needed(counted: Statistics) -> dict[str, Value | None]:
    """What no order of the threads saves, where bytes in use were followed: what is touched, without the
    parts of sectors that no thread uses.
    """
    if counted.unused_of_loaded is None or counted.unused_of_stored is None:
        return {}
    loaded = counted.loaded_sectors * (1.0 - counted.unused_of_loaded)
    stored = counted.stored_sectors * (1.0 - counted.unused_of_stored)
    return {"needed_load_sectors": loaded, "needed_dram_bytes": (loaded + stored) * SECTOR}


def launch_ratios(counted: Statistics) -> dict[str, Value | None]:
    """The metrics of a kernel that are ratios of counts, so that parts of a grid tell them too."""
    accesses = counted.accesses
    sectors = total(accesses, "sectors", "global")
    wavefronts = total(accesses, "wavefronts", "shared")
    return {
        "warp_execution_efficiency": _ratio(counted.lane_instructions, counted.warp_instructions * WARP),
        "global_sectors_per_request": _ratio(sectors, total(accesses, "requests", "global")),
        "coalescing_efficiency": _ratio(total(accesses, "ideal", "global"), sectors),
        "shared_ways": _ratio(wavefronts, total(accesses, "ideal_wavefronts", "shared"))
        if total(accesses, "requests", "shared")
        else None,
        "atomic_lanes_per_address": _contention(accesses),
    }


def warp_readings(counted: Statistics) -> dict[str, Value | None]:
    """What one warp waits for, and the barriers of a block."""
    return {
        "loads_per_warp": counted.loads_of_a_warp,
        "stores_per_warp": _ratio(
            total(_stores(counted.accesses), "requests", "global", "local"), counted.warps
        ),
        "load_rounds_per_warp": counted.load_rounds_of_a_warp,
        **_chains(counted.chain_of_a_warp),
        "barriers_per_block": _ratio(counted.barriers, counted.blocks_run),
    }


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _chains(steps: Mapping[str, float]) -> dict[str, Value | None]:
    """The steps of the chains of dependent instructions; records of earlier versions have none."""
    return (
        {
            "chained_arithmetic_steps": steps.get("arithmetic", 0.0),
            "chained_fp64_steps": steps.get("fp64", 0.0),
            "chained_special_steps": steps.get("special", 0.0),
            "chained_shared_steps": steps.get("shared", 0.0),
            "chained_issue_steps": steps.get("issue", 0.0),
        }
        if steps
        else {}
    )


def _stores(accesses: Sequence[AccessCounts]) -> list[AccessCounts]:
    """What changes memory: stores and atomic operations."""
    return [one for one in accesses if one.kind != "load"]


def unit_slots(counted: Statistics) -> dict[str, Value | None]:
    """The machine instructions that warps issue, and those of single units."""
    return {
        "issue_slots": float(sum(counted.slots.values())),
        "fp32_slots": float(counted.slots.get("fp32", 0)),
        "fp64_slots": float(counted.slots.get("fp64", 0)),
        "multiply_slots": float(counted.slots.get("multiply", 0)),
        "special_slots": float(counted.slots.get("special", 0)),
    }


def _tensor_work(counted: Statistics) -> float | None:
    """The operations of tensor cores, each as many of float16 factors as take its time; None without any."""
    if not counted.products:
        return None
    each = tensor_work()
    return sum(each[factors] * operations for factors, operations in counted.products.items())


def tensor_share(counted: Statistics) -> float | None:
    """The share of tensor cores in all floating point operations and products of matrices.

    Records of earlier versions do not say how many operations an instruction of the tensor cores had.
    """
    if counted.slots.get("tensor") and not counted.products:
        return None
    products = sum(counted.products.values())
    on_tensor_cores = sum(number for name, number in counted.products.items() if name in _FLOATS)
    others = sum(counted.flops.get(name, 0) for name in _FLOATS) - on_tensor_cores
    return _ratio(products, products + others)


def memory_work(accesses: Sequence[AccessCounts]) -> dict[str, Value | None]:
    """What the accesses ask of L1 and of the load and store units.

    Passes through the banks, counted in the detailed blocks, stand for those of all loads. A store that fills
    its sectors in part writes as large a part of its lines partly. Records of earlier versions have no lines.
    """
    memory = [one for one in accesses if one.space in ("global", "local")]
    if any(one.requests and not one.lines for one in memory):
        return {}
    loads = [one for one in memory if one.kind == "load"]
    stores = _stores(memory)
    seen = all(one.looked_up for one in loads if one.space == "global" and one.requests)
    passes = sum(one.l1_wavefronts / one.looked_up * one.requests for one in loads if one.looked_up)
    return {
        "memory_requests": float(
            total(accesses, "requests", "global", "local", "shared")
            - total(accesses, "joined_requests", "shared")
        ),
        "load_requests": float(total(loads, "requests")),
        "load_sectors": float(total(loads, "sectors")),
        "load_lines": float(total(loads, "lines")),
        "load_wavefronts": passes if seen else None,
        "store_lines": float(total(stores, "lines")),
        "partial_store_lines": sum(
            one.lines * max(0.0, 1.0 - one.bytes / (SECTOR * one.sectors)) for one in stores if one.sectors
        ),
    }


def _contention(accesses: list[AccessCounts]) -> float | None:
    atomics = [one for one in accesses if one.kind == "atomic"]
    requests = sum(one.requests for one in atomics)
    return sum(one.most_same for one in atomics) / requests if requests else None


def _waits(accesses: Sequence[AccessCounts], traffic: Traffic) -> dict[str, Value | None]:
    """The shares of load requests that wait for L2 and for DRAM: a warp waits for the last of its sectors.

    In the blocks that were looked at closely L2 is colder than on the average; the share of DRAM is scaled by
    the hit rate of the whole launch over theirs.
    """
    asked = sum(one.looked_up for one in accesses)
    if not asked or traffic.l2_hit_rate is None:
        return {"loads_past_l1": None, "loads_past_l2": None}
    seen = sum(one.l2_sectors for one in accesses if one.looked_up)
    missed = 1.0 - sum(one.l2_hits for one in accesses if one.looked_up) / seen if seen else 0.0
    colder = (1.0 - traffic.l2_hit_rate) / missed if missed else 1.0
    past_l1 = sum(one.past_l1 for one in accesses) / asked
    past_l2 = sum(one.past_l2 for one in accesses) / asked * min(colder, 1.0)
    return {"loads_past_l1": past_l1, "loads_past_l2": min(past_l1, past_l2)}


def _sectors_of_waves(counted: Statistics, device: Device) -> float:
    """The sectors that each wave of resident blocks touches, of all waves; those of the launch where a wave
    leaves its own in L2 for the next one.
    """
    touched = float(counted.loaded_sectors + counted.stored_sectors)
    wave, blocks = counted.wave_sectors, counted.wave_blocks
    if wave is None or not blocks or (device.l2_bytes is not None and wave * SECTOR <= device.l2_bytes):
        return touched
    return max(touched, wave * counted.blocks / blocks)


class Traffic:
    """Hit rates and traffic behind the caches; None for what is not known."""

    def __init__(
        self,
        l1_hit_rate: float | None = None,
        l2_hit_rate: float | None = None,
        l2_sectors: float | None = None,
        dram_bytes: float | None = None,
    ) -> None:
        self.l1_hit_rate = l1_hit_rate
        self.l2_hit_rate = l2_hit_rate
        self.l2_sectors = l2_sectors
        self.dram_bytes = dram_bytes


def cache_traffic(counted: Statistics, device: Device, same_device: bool) -> Traffic:
    """The traffic of a launch behind L1 and L2.

    Each sector comes from DRAM once where all that is touched fits into L2. Else once for each wave of
    resident blocks that touches it, since blocks that run at one time find in L2 what others of them have
    brought; a wave finds what the one before it left where its sectors fit into L2. It comes as often again
    as the blocks which were looked at closely missed sectors that they had before.
    """
    touched = counted.loaded_sectors + counted.stored_sectors
    fits = device.l2_bytes is not None and touched * SECTOR <= device.l2_bytes
    looked_up = [one for one in counted.accesses if one.space in ("global", "constant")]
    if not any(one.sectors for one in looked_up):
        return Traffic(l2_sectors=0.0, dram_bytes=float(touched * SECTOR))
    seen = sum(one.l2_sectors + one.l1_hits for one in looked_up)
    if not same_device or not seen:
        return Traffic(dram_bytes=float(touched * SECTOR) if fits else None)
    l1_sectors = sum(one.l1_sectors for one in looked_up)
    l1_hit = sum(one.l1_hits for one in looked_up) / l1_sectors if l1_sectors else None
    loads = sum(one.sectors for one in looked_up if one.kind == "load")
    others = sum(one.sectors for one in looked_up if one.kind != "load")
    l2_sectors = loads * (1.0 - (l1_hit or 0.0)) + others
    moved = float(touched)
    if not fits:
        moved = max(moved, _sectors_of_waves(counted, device) * max(1.0, counted.fetches_of_a_sector or 1.0))
    moved = min(moved, max(l2_sectors, float(touched)))
    hit = max(0.0, 1.0 - moved / l2_sectors) if l2_sectors else None
    return Traffic(l1_hit, hit, l2_sectors, moved * SECTOR)
