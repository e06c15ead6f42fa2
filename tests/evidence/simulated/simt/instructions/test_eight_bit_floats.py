"""Conversions from and to numbers of eight bits, against tables made by hand from their definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from warp_program import LANES, execute

from advisor.evidence.simulated.simt.machine import compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported

BITS = {"e4m3": (3, 7), "e5m2": (2, 15)}
LARGEST = {"e4m3": 0x7E, "e5m2": 0x7B}
BOTH = pytest.mark.parametrize("name", list(BITS))


def number(code: int, name: str) -> float:
    """What eight bits stand for."""
    fraction, bias = BITS[name]
    exponent, rest = (code & 127) >> fraction, code & (1 << fraction) - 1
    if code & 127 > LARGEST[name]:
        infinite = math.inf if code < 128 else -math.inf
        return infinite if (name, rest) == ("e5m2", 0) else math.nan
    size = (rest / 2**fraction + (exponent > 0)) * 2.0 ** (max(exponent, 1) - bias)
    return math.copysign(size, -1.0 if code >> 7 else 1.0)


def nearest(value: float, name: str) -> int:
    """The bits of the nearest number, of two as near the even one; the largest for what is beyond it."""
    if math.isnan(value):
        return 0x7F
    codes = range(LARGEST[name] + 1)
    size = min(abs(value), number(LARGEST[name], name))
    found = min(codes, key=lambda code: (abs(number(code, name) - size), code & 1))
    return found | (0x80 if math.copysign(1.0, value) < 0 else 0)


def converted(line: str, registers: np.ndarray) -> np.ndarray:
    found, execution, _ = execute(line, registers, 1)
    assert execution.defect_count == 0
    return found[:, 0]


def narrowed(name: str, values: np.ndarray, end: str = "") -> np.ndarray:
    """The bytes that pairs of f32 become: the first operand is the high one."""
    pairs = np.resize(values.astype("f4"), (-(-len(values) // 2), 2))
    found = []
    for begin in range(0, len(pairs), LANES):
        part = np.resize(pairs[begin : begin + LANES], (LANES, 2))
        line = f"cvt.rn.satfinite{end}.{name}x2.f32 %h0, %a1, %a0; cvt.u32.u16 %d0, %h0;"
        found.append(converted(line, np.ascontiguousarray(part).view("u4")))
    words = np.concatenate(found)[: len(pairs)]
    return np.stack([words & 255, words >> 8], 1).reshape(-1)[: len(values)]


KNOWN = {
    # One half of the smallest number is as near to it as to zero, which is even; more than a half is not.
    "e4m3": {1.0: 0x38, -1.0: 0xB8, 448.0: 0x7E, 464.0: 0x7E, 1e9: 0x7E, 2.0**-9: 1, 2.0**-10: 0,
             2.0**-10 * 1.25: 1, 1.5 * 2.0**-9: 2, 17.0: 0x58, 18.0: 0x59, 19.0: 0x5A, -0.0: 0x80},
    "e5m2": {1.0: 0x3C, -2.0: 0xC0, 57344.0: 0x7B, 61440.0: 0x7B, math.inf: 0x7B, 2.0**-16: 1, 2.0**-17: 0,
             1.25: 0x3D, 1.125: 0x3C, 1.375: 0x3E, -math.inf: 0xFB},
}  # fmt: skip


@BOTH
def test_numbers_with_bits_that_are_known(name):
    values = np.array(list(KNOWN[name]))
    assert narrowed(name, values).tolist() == list(KNOWN[name].values())


@BOTH
def test_each_number_and_what_lies_between_two(name):
    own = np.array([number(code, name) for code in range(LARGEST[name] + 1)])
    halves = (own[1:] + own[:-1]) / 2
    values = np.concatenate([own, halves, halves * (1 + 2.0**-20), halves * (1 - 2.0**-20)])
    values = np.concatenate([values, -values, [np.nan]])
    assert narrowed(name, values).tolist() == [nearest(float(one), name) for one in values]


@BOTH
def test_random_numbers_are_rounded_to_the_nearest(name):
    random = np.random.default_rng(1)
    values = (random.normal(size=400) * 10.0 ** random.integers(-6, 7, 400)).astype("f4")
    assert narrowed(name, values).tolist() == [nearest(float(one), name) for one in values]


@BOTH
def test_negative_numbers_may_become_zero(name):
    assert narrowed(name, np.array([-3.0, 2.0, -0.0, np.nan]), ".relu").tolist() == [
        0, nearest(2.0, name), 0, 0x7F,
    ]  # fmt: skip


@BOTH
def test_pairs_of_f16(name):
    values = np.resize([1.0, -2.5, 0.3, 300.0, 6e4, -0.0, 1e-5, np.inf], (LANES, 2)).astype("f2")
    line = f"cvt.rn.satfinite.{name}x2.f16x2 %h0, %a0; cvt.u32.u16 %d0, %h0;"
    found = converted(line, values.view("u4"))
    expected = [nearest(float(low), name) | nearest(float(high), name) << 8 for low, high in values]
    assert found.tolist() == expected


@BOTH
def test_each_code_as_f16(name):
    codes = np.arange(256, dtype=np.uint32).reshape(4, LANES, 2)
    for part in codes:
        line = f"cvt.u16.u32 %h0, %a0; cvt.rn.f16x2.{name}x2 %d0, %h0;"
        found = converted(line, (part[:, :1] | part[:, 1:] << 8).astype("u4")).view("f2")
        expected = np.array([number(int(code), name) for code in part.reshape(-1)], "f2")
        assert np.array_equal(found, expected, equal_nan=True)
        assert np.array_equal(np.signbit(found), np.signbit(expected) & ~np.isnan(expected))


HEAD = ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n"
HEAD += ".reg .b16 %h<9>;\n.reg .f32 %f<9>;\n"
REFUSED = [
    "cvt.rn.e4m3x2.f32 %h0, %f0, %f1;",
    "cvt.rz.satfinite.e4m3x2.f32 %h0, %f0, %f1;",
    "cvt.rn.satfinite.f16x2.e4m3x2 %r0, %h0;",
    "cvt.rna.satfinite.tf32.f32 %r0, %f0;",
]


@pytest.mark.parametrize("line", REFUSED)
def test_other_conversions_of_eight_bits_are_refused(line):
    with pytest.raises(Unsupported):
        compile_kernel(read_ptx(f"{HEAD}{line}\nret;\n}}\n"), "k")
