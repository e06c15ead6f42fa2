"""What threads tell each other: shuffles, votes, matches, barriers that count, atomics, grids that wait."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import cuda, float32, float64, int32, int64, uint32
from numba_launch import compiled, extent

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import Settings, compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector.layout import Status

FULL = 0xFFFFFFFF
CLOSELY = Settings(detailed_lanes=1 << 40)


def test_shuffles_move_values_between_lanes():
    def kernel(out):
        lane = cuda.laneid
        out[0, lane] = cuda.shfl_sync(FULL, lane * 10, (lane + 5) % 32)
        out[1, lane] = cuda.shfl_up_sync(FULL, lane, 3)
        out[2, lane] = cuda.shfl_down_sync(FULL, lane, 4)
        out[3, lane] = cuda.shfl_xor_sync(FULL, lane, 7)

    out = np.zeros((4, 32), np.int32)
    compiled(kernel, int32[:, ::1]).launch(1, 32, out)
    lanes = np.arange(32)
    np.testing.assert_array_equal(out[0], (lanes + 5) % 32 * 10)
    np.testing.assert_array_equal(out[1], np.where(lanes >= 3, lanes - 3, lanes))
    np.testing.assert_array_equal(out[2], np.where(lanes < 28, lanes + 4, lanes))
    np.testing.assert_array_equal(out[3], lanes ^ 7)


def test_votes_and_matches():
    def kernel(out):
        lane = cuda.laneid
        out[0, lane] = cuda.ballot_sync(FULL, lane % 3 == 0)
        out[1, lane] = 1 if cuda.any_sync(FULL, lane == 40) else 0
        out[2, lane] = 1 if cuda.all_sync(FULL, lane < 32) else 0
        out[3, lane] = cuda.match_any_sync(FULL, lane // 8)
        out[4, lane] = cuda.popc(cuda.activemask())

    out = np.zeros((5, 32), np.uint32)
    compiled(kernel, uint32[:, ::1]).launch(1, 32, out)
    thirds = sum(1 << lane for lane in range(0, 32, 3))
    assert set(out[0]) == {thirds}
    assert (set(out[1]), set(out[2]), set(out[4])) == ({0}, {1}, {32})
    assert out[3].tolist() == [0xFF << (lane // 8 * 8) for lane in range(32)]


def test_the_balance_of_warps():
    def triangle(out):
        # Warp w of four runs the loop w + 1 times.
        total = 0
        for i in range(100 * (cuda.threadIdx.x // 32 + 1)):
            total += i * out[0]
        out[cuda.grid(1)] = total

    def alike(out):
        out[cuda.grid(1)] += 1

    even = compiled(alike, int64[::1]).launch(3, 128, np.zeros(384, np.int64), settings=CLOSELY)
    assert even.balance == 1.0
    uneven = compiled(triangle, int64[::1]).launch(3, 128, np.zeros(384, np.int64), settings=CLOSELY)
    assert uneven.balance == pytest.approx((1 + 2 + 3 + 4) / (4 * 4), abs=0.02)
    # The second half of a block's only warps has one lane; a lane costs a warp as much as 32.
    alone = compiled(triangle, int64[::1]).launch(1, 33, np.zeros(33, np.int64), settings=CLOSELY)
    assert alone.balance == pytest.approx((1 + 2) / (2 * 2), abs=0.02)


def test_waits_for_loads_weigh_in_the_balance_of_warps():
    def half(x, out):
        i = cuda.grid(1)
        if cuda.threadIdx.x < 64:
            out[i] = x[x[x[x[i]]]]

    zeros = np.zeros(128, np.int64)
    found = compiled(half, int64[::1], int64[::1]).launch(1, 128, zeros, zeros.copy(), settings=CLOSELY)
    # Two of four warps wait four times for a load, 50 issue slots each; the others are at their end at once.
    assert 0.5 < found.balance < 0.6


def test_a_warp_sum_by_shuffles():
    def kernel(x, out):
        i = cuda.grid(1)
        value = x[i]
        step = 16
        while step > 0:
            value += cuda.shfl_down_sync(FULL, value, step)
            step //= 2
        if cuda.laneid == 0:
            out[i // 32] = value

    x = np.arange(256, dtype=np.float32)
    out = np.zeros(8, np.float32)
    compiled(kernel, float32[::1], float32[::1]).launch(2, 128, x, out)
    np.testing.assert_array_equal(out, x.reshape(8, 32).sum(1))


def test_barriers_that_count_and_combine():
    def kernel(out):
        t = cuda.threadIdx.x
        out[0, t] = cuda.syncthreads_count(t % 3)
        out[1, t] = cuda.syncthreads_and(1 if t < 100 else 0)
        out[2, t] = cuda.syncthreads_or(1 if t == 70 else 0)
        out[3, t] = cuda.syncthreads_and(1 if t < 70 else 0)

    out = np.zeros((4, 100), np.int32)
    compiled(kernel, int32[:, ::1]).launch(1, 100, out)
    assert set(out[0]) == {sum(1 for t in range(100) if t % 3)}
    assert set(out[1] != 0) == {True}
    assert set(out[2] != 0) == {True}
    assert set(out[3]) == {0}


@pytest.mark.parametrize("threads", [1, 2])
def test_atomics_of_all_kinds(threads):
    def kernel(values, numbers, words):
        i = cuda.grid(1)
        cuda.atomic.add(values, 0, 0.5)
        cuda.atomic.max(values, 1, float(i))
        cuda.atomic.min(values, 2, float(-i))
        cuda.atomic.sub(numbers, 0, i)
        cuda.atomic.max(numbers, 1, i)
        cuda.atomic.min(numbers, 2, -i)
        cuda.atomic.and_(words, 0, ~(1 << (i % 8)))
        cuda.atomic.or_(words, 1, 1 << (i % 20))
        cuda.atomic.xor(words, 2, 1)
        cuda.atomic.inc(words, 3, 6)
        cuda.atomic.dec(words, 4, 9)

    values, numbers = np.zeros(3), np.zeros(3, np.int64)
    words = np.array([0xFF, 0, 0, 0, 0], np.uint32)
    ready = compiled(kernel, float64[::1], int64[::1], uint32[::1])
    n = 4 * 96
    ready.launch(4, 96, values, numbers, words, settings=Settings(threads=threads))
    assert values.tolist() == [n / 2, n - 1, -(n - 1)]
    assert numbers.tolist() == [-sum(range(n)), n - 1, -(n - 1)]
    decreased = 0
    for _ in range(n):
        decreased = 9 if decreased == 0 or decreased > 9 else decreased - 1
    assert words.tolist() == [0, (1 << 20) - 1, 0, n % 7, decreased]


def test_compare_and_swap_and_exchange_give_what_was_there():
    def kernel(words, old):
        i = cuda.grid(1)
        old[i] = cuda.atomic.cas(words, 0, i, i + 1)
        if i == 5:
            old[64] = cuda.atomic.exch(words, 1, 77)

    words, old = np.array([0, 33], np.int32), np.zeros(65, np.int32)
    compiled(kernel, int32[::1], int32[::1]).launch(1, 64, words, old)
    # Lanes take effect in turn, so each finds the number that the one before it left.
    assert words.tolist() == [64, 77]
    assert old.tolist() == [*range(64), 33]


def test_a_lock_that_threads_wait_for_is_passed_on():
    def kernel(lock, count):
        for _ in range(3):
            waiting = True
            while waiting:
                if cuda.atomic.cas(lock, 0, 0, 1) == 0:
                    count[0] += 1
                    cuda.threadfence()
                    cuda.atomic.exch(lock, 0, 0)
                    waiting = False

    lock, count = np.zeros(1, np.int32), np.zeros(1, np.int32)
    execution = compiled(kernel, int32[::1], int32[::1]).launch(2, 64, lock, count)
    assert execution.status == Status.DONE
    assert count[0] == 2 * 64 * 3


def test_lanes_that_wait_apart_meet_where_the_warp_exchanges_values():
    def kernel(lock, sums):
        i = cuda.grid(1)
        for turn in range(1, 9):
            waiting = True
            while waiting:
                if cuda.atomic.cas(lock, 0, 0, 1) == 0:
                    cuda.threadfence()
                    cuda.atomic.exch(lock, 0, 0)
                    waiting = False
            value = turn * (i % 32)
            for step in (16, 8, 4, 2, 1):
                value += cuda.shfl_xor_sync(0xFFFFFFFF, value, step)
            sums[turn - 1, i] = value

    lock, sums = np.zeros(1, np.int32), np.zeros((8, 128), np.int32)
    execution = compiled(kernel, int32[::1], int32[:, ::1]).launch(2, 64, lock, sums)
    assert execution.status == Status.DONE
    assert (sums == 496 * np.arange(1, 9)[:, None]).all()


def test_a_kernel_that_never_ends_is_stopped_by_budget_and_by_time():
    def kernel(flag):
        i = cuda.grid(1)
        while flag[0] == 0:
            flag[i + 1] += 1

    ready = compiled(kernel, int32[::1])
    flag = np.zeros(65, np.int32)
    assert ready.launch(1, 64, flag, settings=Settings(budget=1_000_000)).status == Status.BUDGET
    assert ready.launch(1, 64, flag, settings=Settings(seconds=0.2)).status == Status.STOPPED


GRID_BARRIER = """
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 func_retval0) cudaCGSynchronize
(.param .b64 cudaCGSynchronize_param_0, .param .b32 cudaCGSynchronize_param_1);
.visible .entry k(.param .u64 x, .param .u64 out)
{
.reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [out];
cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 32, %r2;
mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r3;
{ .param .b64 param0; st.param.b64 [param0+0], 1; .param .b32 param1; st.param.b32 [param1+0], 0;
.param .b32 retval0; call.uni (retval0), cudaCGSynchronize, (param0, param1); ld.param.b32 %r4, [retval0+0]; }
xor.b32 %r5, %r3, 32; mul.wide.u32 %rd5, %r5, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r6, [%rd6];
add.s64 %rd7, %rd2, %rd3; st.global.u32 [%rd7], %r6;
ret;
}
"""


def test_blocks_of_a_cooperative_launch_wait_for_each_other():
    # Each block of 32 threads reads behind the barrier what its neighbour wrote before it.
    kernel = compile_kernel(read_ptx(GRID_BARRIER), "k")
    memory = DeviceMemory()
    addresses = [memory.upload(np.zeros(128, np.int32)) for _ in range(2)]
    space = pack_parameters(kernel.function, [one.to_bytes(8, "little") for one in addresses])
    execution = run(kernel, Launch(extent(4), extent(32), space, cooperative=True), memory)
    out = np.zeros(128, np.int32)
    memory.download(addresses[1], out)
    assert execution.status == Status.DONE
    assert out.tolist() == [i ^ 32 for i in range(128)]


# Name, PTX ISA's largest error, values.
APPROXIMATIONS = [
    ("exp", lambda x: 2.0**-21 * abs(x) + 2.0**-21, np.linspace(-20, 20, 200)),
    ("log", lambda x: 2.0**-20, np.geomspace(1e-3, 1e4, 200)),
    ("sin", lambda x: 2.0**-20, np.linspace(-3, 3, 200)),
    ("cos", lambda x: 2.0**-20, np.linspace(-3, 3, 200)),
    ("tanh", lambda x: 2.0**-10, np.linspace(-4, 4, 200)),
]


@pytest.mark.parametrize(("name", "error", "values"), APPROXIMATIONS, ids=[one[0] for one in APPROXIMATIONS])
def test_approximations_lie_within_their_errors(name, error, values):
    function = getattr(math, name)

    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i])

    x = values.astype(np.float32)
    out = np.zeros_like(x)
    compiled(kernel, float32[::1], float32[::1], fastmath=True).launch(2, 128, x, out)
    wanted = getattr(np, name)(x.astype(np.float64))
    for one, found, expected in zip(x, out, wanted, strict=True):
        scale = max(1.0, abs(float(expected)))
        assert abs(float(found) - float(expected)) <= error(float(one)) * scale, (name, one, found, expected)


def test_threads_of_the_host_give_the_same_counts():
    def kernel(x, out):
        i = cuda.grid(1)
        total = float32(0)
        for k in range(i % 7):
            total += x[(i * 3 + k) % x.size]
        out[i] = total

    ready = compiled(kernel, float32[::1], float32[::1])
    x = np.arange(4096, dtype=np.float32)
    found = []
    for threads in (1, 3):
        out = np.zeros(4096, np.float32)
        execution = ready.launch(32, 128, x, out, settings=Settings(threads=threads))
        found.append((out, execution.block_lanes, execution.sites[:, 2:10], execution.divisions))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
