"""The machine instructions of PTX, against what ptxas writes for compute capability 8.0."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence.simulated.simt.machine_code.halves import HIGH, LOW, NONE, used_halves, zero_halves
from advisor.evidence.simulated.simt.machine_code.slots import machine_slots
from advisor.evidence.simulated.simt.machine_code.uses import uses
from advisor.evidence.simulated.simt.ptx.ptx_program import Function
from advisor.evidence.simulated.simt.ptx.ptx_reader import known_module

HEAD = """.version 8.4
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .b64 %rd<40>; .reg .b32 %r<40>; .reg .f32 %f<9>; .reg .pred %p<9>; .shared .align 4 .b8 s[4096];
"""
WHOLE = "ld.param.u64 %rd1, [p]; ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd1+8]; "
KEEP = " st.global.u64 [%rd1], %rd9;"


def function(body: str) -> Function:
    text = HEAD + body.replace(";", ";\n") + "ret;\n}\n"
    return known_module(text).functions["k"]


def slots(body: str) -> int:
    return sum(machine_slots(function(body))) - 1  # the return


# What stands before and behind costs two loads and a store.
WIDE = [
    ("IADD3, IADD3.X", "add.s64 %rd9, %rd2, %rd3;", 2),
    ("LOP3 of each half", "xor.b64 %rd9, %rd2, %rd3;", 2),
    ("a mask of the low half leaves the high half zero", "and.b64 %rd9, %rd2, 31;", 1),
    ("a mask of the highest bit", "and.b64 %rd9, %rd2, -9223372036854775808;", 1),
    ("a mask of ones and one of a half", "and.b64 %rd9, %rd2, -4294967296;", 0),
    ("SHF.L.U64.HI, IMAD.SHL", "shl.b64 %rd9, %rd2, 5;", 2),
    ("the low half moves up", "shl.b64 %rd9, %rd2, 32;", 0),
    ("the high half moves down by 53", "shr.u64 %rd9, %rd2, 53;", 1),
    ("SHF.R.S32.HI for both halves", "shr.s64 %rd9, %rd2, 63;", 2),
    ("SHF.R.S32.HI of a widened number", "cvt.u32.u64 %r1, %rd2; cvt.s64.s32 %rd9, %r1;", 1),
    ("a widened unsigned number", "cvt.u32.u64 %r1, %rd2; cvt.u64.u32 %rd9, %r1;", 0),
    ("ISETP, ISETP.EX, SEL", "setp.ne.s64 %p1, %rd2, %rd3; selp.u64 %rd9, 1, 0, %p1;", 3),
    ("SEL for both halves", "setp.ne.s64 %p1, %rd2, %rd3; selp.b64 %rd9, -1, 0, %p1;", 3),
    ("the sign alone", "setp.lt.s64 %p1, %rd2, 0; selp.u64 %rd9, 1, 0, %p1;", 2),
    ("LOP3 that sets a predicate", "and.b64 %rd4, %rd2, 31; setp.ne.s64 %p1, %rd4, 0;"
     "selp.u64 %rd9, 1, 0, %p1;", 2),
    ("IMAD, IMAD.WIDE.U32, IMAD, IADD3", "mul.lo.s64 %rd9, %rd2, %rd3;", 4),
    ("the sum is in IMAD.WIDE", "mul.lo.s64 %rd4, %rd2, %rd3; add.s64 %rd9, %rd4, %rd2;", 4),
    ("LEA, LEA.HI.X", "shl.b64 %rd4, %rd2, 2; add.s64 %rd9, %rd3, %rd4;", 2),
    ("a shift that is read twice", "shl.b64 %rd4, %rd2, 2; add.s64 %rd5, %rd3, %rd4;"
     "xor.b64 %rd9, %rd5, %rd4;", 6),
    ("LOP3 of three inputs", "or.b64 %rd4, %rd2, %rd3; xor.b64 %rd9, %rd4, %rd1;", 2),
    ("four inputs take two", "or.b64 %rd4, %rd2, %rd3; xor.b64 %rd5, %rd4, %rd1;"
     "and.b64 %rd9, %rd5, %rd3;", 4),
    ("IADD3 of three inputs", "add.s64 %rd4, %rd2, %rd3; sub.s64 %rd9, %rd4, %rd1;", 2),
    ("nothing reads it", "xor.b64 %rd4, %rd2, %rd3; mov.u64 %rd9, %rd2;", 0),
]  # fmt: skip

NARROW = [
    ("IMAD.WIDE", "mov.u32 %r1, %tid.x; mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
     "ld.global.f32 %f1, [%rd3]; st.global.f32 [%rd3], %f1;", 4),
    ("an offset in the address", "add.s64 %rd3, %rd1, 64; ld.global.f32 %f1, [%rd3];", 1),
    ("a pointer that is kept is computed", "add.s64 %rd3, %rd1, 64; st.global.u64 [%rd3], %rd3;", 3),
    ("LDS [R2.X4]", "mov.u32 %r1, %tid.x; cvt.s64.s32 %rd2, %r1; shl.b64 %rd3, %rd2, 2; mov.u64 %rd4, s;"
     "add.s64 %rd5, %rd4, %rd3; ld.shared.f32 %f1, [%rd5+16];", 2),
    ("32-bit IMAD and IADD3", "mov.u32 %r1, %tid.x; mul.lo.s32 %r2, %r1, 7; add.s32 %r3, %r2, 1;"
     "add.s32 %r4, %r3, %r1; add.s32 %r5, %r4, 9; st.global.u32 [%rd1], %r5;", 4),
    ("ISETP takes the other predicate", "mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 7;"
     "setp.gt.s32 %p2, %r1, 3; and.pred %p3, %p1, %p2;"
     "selp.u32 %r2, 1, 0, %p3; st.global.u32 [%rd1], %r2;", 5),
    ("a store of the low half needs no other", "ld.global.u64 %rd2, [%rd1]; mul.lo.s64 %rd3, %rd2, %rd2;"
     "add.s64 %rd4, %rd3, %rd2; st.global.u32 [%rd1], %rd4;", 3),
    ("a barrier", "bar.sync 0;", 1),
    ("floating point sums are not joined", "ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f1, %f1;"
     "add.f32 %f3, %f2, %f2; st.global.f32 [%rd1], %f3;", 4),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "expected"), WIDE, ids=[one[0] for one in WIDE])
def test_instructions_for_64_bits(name: str, body: str, expected: int) -> None:
    assert slots(WHOLE + body + KEEP) - 3 == expected


@pytest.mark.parametrize(("name", "body", "expected"), NARROW, ids=[one[0] for one in NARROW])
def test_instructions_around_accesses(name: str, body: str, expected: int) -> None:
    assert slots("ld.param.u64 %rd1, [p]; " + body) == expected


def test_a_loop_of_a_tile_costs_what_ptxas_makes_of_it() -> None:
    """A step of Numba's `total += first[row * 32 + j] * second[j * 32 + column]`: 22 machine instructions."""
    step = """add.s64 %rd10, %rd4, %rd2; and.b64 %rd11, %rd10, -9223372036854775808; shr.u64 %rd12, %rd11, 53;
    add.s64 %rd13, %rd12, %rd10; shl.b64 %rd14, %rd13, 2; mov.u64 %rd15, s; add.s64 %rd16, %rd15, %rd14;
    shl.b64 %rd17, %rd4, 5; or.b64 %rd18, %rd17, %rd3; and.b64 %rd19, %rd18, -9223372036854775808;
    shr.u64 %rd20, %rd19, 53; add.s64 %rd21, %rd20, %rd18; shl.b64 %rd22, %rd21, 2;
    add.s64 %rd23, %rd15, %rd22;
    ld.shared.f32 %f1, [%rd23]; ld.shared.f32 %f2, [%rd16]; fma.rn.f32 %f3, %f2, %f1, %f3;
    setp.ne.s64 %p1, %rd5, 0; selp.u64 %rd24, 1, 0, %p1; add.s64 %rd6, %rd6, %rd24;
    selp.b64 %rd25, -1, 0, %p1;
    add.s64 %rd5, %rd5, %rd25; selp.b64 %rd4, %rd6, 0, %p1; """
    ahead = "ld.global.u64 %rd4, [%rd1+16]; ld.global.u64 %rd5, [%rd1+24]; ld.global.u64 %rd6, [%rd1+32]; "
    behind = "st.global.f32 [%rd1], %f3; st.global.u64 [%rd1], %rd4; st.global.u64 [%rd1], %rd5; "
    assert slots(WHOLE + ahead + step + behind) - 8 == pytest.approx(22, abs=3)


def test_halves_of_addresses() -> None:
    body = (
        WHOLE
        + "shl.b64 %rd4, %rd2, 2; ld.shared.f32 %f1, [%rd4]; and.b64 %rd5, %rd3, 255;"
        + ("st.global.u64 [%rd1], %rd5;")
    )
    known = uses(function(body))
    used = used_halves(known)
    assert (used["%rd4"], used["%rd2"], used["%rd3"]) == (LOW, LOW, LOW)
    assert "%f1" not in used
    assert zero_halves(known)["%rd5"] == HIGH


# Straight code over 64-bit numbers: each step takes two earlier values.
STEPS = {
    "add.s64": lambda a, b: a + b,
    "sub.s64": lambda a, b: a - b,
    "mul.lo.s64": lambda a, b: a * b,
    "and.b64": lambda a, b: a & b,
    "or.b64": lambda a, b: a | b,
    "xor.b64": lambda a, b: a ^ b,
}
CONSTANTS = (0, 1, 31, 0xFFFFFFFF, 1 << 32, 1 << 63, (1 << 64) - 1, 0x12345678_00000000)
SHIFTS = {"shl.b64": lambda a, k: a << k, "shr.u64": lambda a, k: a >> k}
ALL = (1 << 64) - 1
steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 30), st.integers(0, 30)),
        st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 30), st.sampled_from(CONSTANTS).map(str)),
        st.tuples(st.sampled_from(sorted(SHIFTS)), st.integers(0, 30), st.integers(0, 63).map(str)),
    ),
    min_size=1,
    max_size=14,
)


def run(program: list[tuple[str, int, int | str]], values: list[int], spoilt: dict[int, int]) -> list[int]:
    """The values of the program's registers, some of them changed as soon as they are computed."""
    values = [value ^ spoilt.get(number, 0) for number, value in enumerate(values)]
    for operation, first, second in program:
        left = values[first % len(values)]
        right = int(second) if isinstance(second, str) else values[second % len(values)]
        found = (STEPS | SHIFTS)[operation](left, right) & ALL
        values.append(found ^ spoilt.get(len(values), 0))
    return values


@given(steps, st.tuples(*[st.integers(0, ALL)] * 2), st.sampled_from(["", "shared"]), st.integers(0, ALL))
def test_halves_that_are_not_read_do_not_matter_and_zero_ones_are_zero(
    program: list[tuple[str, int, int | str]], begin: tuple[int, int], space: str, noise: int
) -> None:
    text, count = WHOLE, 2
    for operation, first, second in program:
        right = second if isinstance(second, str) else f"%rd{second % count + 2}"
        text += f"{operation} %rd{count + 2}, %rd{first % count + 2}, {right}; "
        count += 1
    last = f"%rd{count + 1}"
    known = uses(
        function(text + (f"ld.shared.f32 %f1, [{last}];" if space else f"st.global.u64 [%rd1], {last};"))
    )
    used, zero = used_halves(known), zero_halves(known)
    values = run(program, list(begin), {})
    for number, value in enumerate(values):
        halves = zero.get(f"%rd{number + 2}", NONE)
        assert not (halves & LOW and value & 0xFFFFFFFF) and not (halves & HIGH and value >> 32)
    unread = {
        number: noise & (0 if used.get(f"%rd{number + 2}", NONE) & LOW else 0xFFFFFFFF)
        | noise & (0 if used.get(f"%rd{number + 2}", NONE) & HIGH else 0xFFFFFFFF << 32)
        for number in range(count)
    }
    result = run(program, list(begin), unread)[-1]
    mask = 0xFFFFFFFF if space else ALL
    assert result & mask == values[-1] & mask
