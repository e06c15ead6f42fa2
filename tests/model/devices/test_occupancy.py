"""Occupancy against numbers computed by hand from NVIDIA's published rules."""

from __future__ import annotations

import pytest

from advisor.model.devices import Device, find_device
from advisor.model.errors import EvidenceUnavailable
from advisor.model.occupancy import occupancy

KIB = 1024


def blocks_and_limiter(name: str, **kernel: int) -> tuple[int, str]:
    found = occupancy(
        find_device(name), **{"registers": 32, "shared_bytes": 0, "block_threads": 256} | kernel
    )
    return found.resident_blocks, found.limiter


def test_a_small_kernel_fills_the_sm() -> None:
    # 8 warps a block, 64 warps an SM: 8 blocks; 32 registers are exactly what 64 warps may have.
    found = occupancy(find_device("a100"), registers=32, shared_bytes=0, block_threads=256)
    assert (found.resident_blocks, found.active_warps, found.ratio) == (8, 64, 1.0)
    assert found.limiter == "warps"
    assert found.limits == {"warps": 8, "blocks": 32, "registers": 8}


def test_twice_the_registers_halve_the_occupancy() -> None:
    # 64 * 32 = 2048 registers a warp; 16384 a sub-partition / 2048 = 8 warps, 32 in all, 4 blocks of 8.
    found = occupancy(find_device("a100"), registers=64, shared_bytes=0, block_threads=256)
    assert (found.resident_blocks, found.active_warps, found.ratio, found.limiter) == (
        4,
        32,
        0.5,
        "registers",
    )


def test_registers_are_given_out_in_units_of_256_for_a_warp() -> None:
    # 33 * 32 = 1056, rounded up to 1280: 12 warps in each sub-partition, 48 in all, 6 blocks of 8.
    assert blocks_and_limiter("a100", registers=33) == (6, "registers")
    # 40 * 32 = 1280 without rounding: the same.
    assert blocks_and_limiter("a100", registers=40) == (6, "registers")
    # 41 * 32 = 1312, rounded up to 1536: 10 warps in each sub-partition, 40 in all, 5 blocks of 8.
    assert blocks_and_limiter("a100", registers=41) == (5, "registers")


def test_a_sub_partition_holds_whole_warps() -> None:
    # 168 * 32 = 5376 registers a warp; 16384 / 5376 = 3.05: 3 warps, 12 in all, so 12 blocks of one warp.
    # Without sub-partitions 65536 / 5376 = 12.19 would allow 12 as well; with 136 registers they differ:
    # 136 * 32 = 4352: 16384 / 4352 = 3 warps, 12 in all, where 65536 / 4352 = 15.
    assert blocks_and_limiter("a100", registers=168, block_threads=32) == (12, "registers")
    assert blocks_and_limiter("a100", registers=136, block_threads=32) == (12, "registers")


def test_shared_memory_is_rounded_up_with_what_the_system_reserves() -> None:
    # 48 KiB + 1 KiB reserved = 49 KiB of 164 KiB: 3 blocks.
    assert blocks_and_limiter("a100", shared_bytes=48 * KIB) == (3, "shared memory")
    # 40 KiB + 1 KiB = 41 KiB: exactly 4 blocks; one byte more takes 128 bytes more: 3 blocks.
    assert blocks_and_limiter("a100", shared_bytes=40 * KIB) == (4, "shared memory")
    assert blocks_and_limiter("a100", shared_bytes=40 * KIB + 1) == (3, "shared memory")


def test_static_and_dynamic_shared_memory_add_up() -> None:
    assert blocks_and_limiter("a100", shared_bytes=20 * KIB, dynamic_shared_bytes=20 * KIB) == (
        4,
        "shared memory",
    )


def test_volta_and_turing_reserve_nothing_and_round_to_256() -> None:
    # 96 KiB / 48 KiB = 2; one byte more: 49408 bytes, of 98304: 1.
    assert blocks_and_limiter("v100", shared_bytes=48 * KIB) == (2, "shared memory")
    assert blocks_and_limiter("v100", shared_bytes=48 * KIB + 1) == (1, "shared memory")
    # 64 KiB / 16 KiB = 4 blocks of 8 warps: all 32 warps of the SM, so shared memory takes nothing away.
    assert blocks_and_limiter("t4", shared_bytes=16 * KIB) == (4, "warps")


def test_a_block_may_take_all_that_opting_in_allows_and_no_more() -> None:
    for name, largest in {
        "v100": 96,
        "t4": 64,
        "a100": 163,
        "rtx-3090": 99,
        "l4": 99,
        "h200": 227,
        "b200": 227,
    }.items():
        assert blocks_and_limiter(name, shared_bytes=largest * KIB) == (1, "shared memory"), name
        assert blocks_and_limiter(name, shared_bytes=largest * KIB + 1) == (0, "shared memory"), name


def test_a_block_too_large_for_the_registers_cannot_be_launched() -> None:
    # 32 warps of 65 registers: 65 * 32 = 2080, rounded up to 2304; 32 * 2304 = 73728 of 65536.
    found = occupancy(find_device("a100"), registers=65, shared_bytes=0, block_threads=1024)
    assert (found.resident_blocks, found.active_warps, found.ratio, found.limiter) == (0, 0, 0.0, "registers")
    assert blocks_and_limiter("a100", registers=64, block_threads=1024) == (1, "registers")


def test_the_launch_check_counts_whole_rounds_of_sub_partitions() -> None:
    # 5 warps of 255 registers (8160, rounded up to 8192): 5 * 8192 fit, and so does the check's 8 * 8192;
    # 9 warps would fit as 9 * 7168 = 64512 with 224 registers, but the check takes 12 warps: too many.
    assert blocks_and_limiter("a100", registers=255, block_threads=160) == (1, "registers")
    assert blocks_and_limiter("a100", registers=224, block_threads=288) == (0, "registers")


def test_more_registers_than_a_thread_can_have() -> None:
    assert blocks_and_limiter("a100", registers=256, block_threads=32) == (0, "registers")


def test_a_block_beyond_1024_threads_cannot_be_launched() -> None:
    assert blocks_and_limiter("a100", block_threads=1025) == (0, "warps")


def test_small_blocks_run_into_the_number_of_blocks() -> None:
    # 32 threads a block: 32 blocks of one warp fill half of 64 warps; Turing and GA102 stop at 16, Ada at 24.
    assert blocks_and_limiter("a100", block_threads=32) == (32, "blocks")
    assert blocks_and_limiter("t4", block_threads=32) == (16, "blocks")
    assert blocks_and_limiter("rtx-3090", block_threads=32) == (16, "blocks")
    assert blocks_and_limiter("rtx-4090", block_threads=32) == (24, "blocks")


def test_a_block_that_does_not_divide_the_sm_loses_warps() -> None:
    # GA102 holds 48 warps: one block of 32, so 67 %.
    found = occupancy(find_device("rtx-3090"), registers=32, shared_bytes=0, block_threads=1024)
    assert (found.resident_blocks, found.limiter) == (1, "warps")
    assert found.ratio == pytest.approx(32 / 48)


def test_a_started_warp_counts_whole() -> None:
    # 33 threads are 2 warps.
    found = occupancy(find_device("a100"), registers=32, shared_bytes=0, block_threads=33)
    assert (found.resident_blocks, found.active_warps) == (32, 64)


def test_resources_that_are_not_used_set_no_limit() -> None:
    found = occupancy(find_device("t4"), registers=0, shared_bytes=0, block_threads=1024)
    assert found.limits == {"warps": 1, "blocks": 16}
    assert found.ratio == 1.0


@pytest.mark.parametrize("wrong", [{"block_threads": 0}, {"registers": -1}, {"shared_bytes": -1}])
def test_impossible_kernels_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least one thread"):
        blocks_and_limiter("t4", **wrong)


def test_a_device_without_the_numbers_gives_no_occupancy() -> None:
    bare = Device(id="mine", name="My GPU", compute_capability="9.0", warp_size=32)
    with pytest.raises(
        EvidenceUnavailable, match="My GPU is unknown: its device file has no max_warps_per_sm"
    ) as caught:
        occupancy(bare, registers=32, shared_bytes=0, block_threads=256)
    assert caught.value.remedy == "Add max_warps_per_sm with its source to knowledge/devices/mine.toml."
