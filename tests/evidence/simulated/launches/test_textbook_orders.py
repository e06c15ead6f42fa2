"""What every textbook says of access patterns holds of predicted times on every device that is shipped."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.evidence.metrics.derived import theoretical_occupancy, timing
from advisor.evidence.simulated.driver.executor import LaunchNote
from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.launches.readings.kernel_readings import kernel_readings
from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.ptx.ptx_reader import known_module
from advisor.model.devices import find_device, load_devices
from advisor.model.records import Record
from advisor.model.text.source_text import Span

SIDE = 1024
# So many sums of so many elements each, enough to fill a GPU: of few warps latency decides, not the pattern.
SUMS, LONG = 1 << 16, 64
# A thread adds up a row (its steps lie 4 bytes apart) or a column (SUMS elements apart), four elements in an
# iteration of the loop, as NVVM unrolls it.
SUM = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{{
.reg .b32 %r<9>; .reg .b64 %x<9>; .reg .f32 %f<9>; .reg .pred %p<2>;
ld.param.u64 %x1, [a];
ld.param.u64 %x2, [b];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mad.lo.s32 %r3, %r1, 256, %r2;
mul.wide.s32 %x3, %r3, {thread};
add.s64 %x4, %x1, %x3;
mov.u32 %r4, 0;
mov.f32 %f1, 0f00000000;
$L:
{loads}
add.f32 %f1, %f1, %f2;
add.f32 %f1, %f1, %f3;
add.f32 %f1, %f1, %f4;
add.f32 %f1, %f1, %f5;
add.s64 %x4, %x4, {steps};
add.s32 %r4, %r4, 4;
setp.lt.s32 %p1, %r4, {count};
@%p1 bra $L;
mul.wide.s32 %x5, %r3, 4;
add.s64 %x6, %x2, %x5;
st.global.f32 [%x6], %f1;
ret;
}}
"""
# A thread moves an element; the neighbour's lies beside it, or a row further on.
MOVE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{{
.reg .b32 %r<9>; .reg .b64 %x<9>; .reg .f32 %f<4>;
ld.param.u64 %x1, [a];
ld.param.u64 %x2, [b];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mad.lo.s32 %r3, %r1, 256, %r2;
and.b32 %r4, %r3, {last};
shr.u32 %r5, %r3, {bits};
mad.lo.s32 %r6, {load}, {side}, {load_rest};
mad.lo.s32 %r7, {store}, {side}, {store_rest};
mul.wide.s32 %x3, %r6, 4;
add.s64 %x4, %x1, %x3;
mul.wide.s32 %x5, %r7, 4;
add.s64 %x6, %x2, %x5;
ld.global.f32 %f1, [%x4];
st.global.f32 [%x6], %f1;
ret;
}}
"""
ALONG = ("%r5", "%r4")  # row and column of neighbours that lie side by side
ACROSS = ("%r4", "%r5")


def summing(thread: int, step: int) -> str:
    loads = "\n".join(f"ld.global.f32 %f{2 + number}, [%x4+{number * step}];" for number in range(4))
    return SUM.format(thread=thread, steps=4 * step, count=LONG, loads=loads)


ROW_SUMS = summing(4 * LONG, 4)
COLUMN_SUMS = summing(4, 4 * SUMS)


def move(load: tuple[str, str], store: tuple[str, str]) -> str:
    return MOVE.format(
        last=SIDE - 1, bits=SIDE.bit_length() - 1, side=SIDE,
        load=load[0], load_rest=load[1], store=store[0], store_rest=store[1],
    )  # fmt: skip


def predicted_ms(ptx: str, device_id: str, threads: int) -> float:
    device = find_device(device_id)
    outcomes: list[Outcome] = []
    executor = SimtExecutor(device, outcomes.append, Limits(threads=1))
    data = [executor.memory.upload(np.ones(max(SIDE * SIDE, SUMS * LONG), np.float32)) for _ in range(2)]
    function = known_module(ptx).functions["k"]
    grid, block = (threads // 256, 1, 1), (256, 1, 1)
    launch = Launch(grid, block, pack_parameters(function, [one.to_bytes(8, "little") for one in data]))
    executor.launch(ptx, "k", launch, LaunchNote("k", None, None, None, None, grid, block, 0, (), 0, 1))
    (outcome,) = outcomes
    assert outcome.statistics is not None
    record = Record("kernel", "", "", Span(1), "")
    record.know("simulated", **kernel_readings(outcome.statistics, device, True))
    record.know("compiled", registers=32.0, shared_bytes=0.0)
    theoretical_occupancy.derive([record], device)
    timing.derive([record], device)
    return float(record.readings["predicted_ms"].value)


DEVICES = pytest.mark.parametrize("device", load_devices())


@DEVICES
def test_sums_of_columns_are_faster_than_sums_of_rows(device: str) -> None:
    rows, columns = (predicted_ms(ptx, device, SUMS) for ptx in (ROW_SUMS, COLUMN_SUMS))
    assert rows > 1.05 * columns


@DEVICES
def test_a_copy_is_faster_than_both_naive_transposes(device: str) -> None:
    copy, reading_across, writing_across = (
        predicted_ms(move(load, store), device, SIDE * SIDE)
        for load, store in ((ALONG, ALONG), (ACROSS, ALONG), (ALONG, ACROSS))
    )
    assert reading_across > 1.1 * copy
    assert writing_across > 1.3 * copy
