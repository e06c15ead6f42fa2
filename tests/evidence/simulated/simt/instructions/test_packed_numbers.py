"""Numbers of 16 bits, two in a register, and what is rounded for tensor cores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from single_instruction import Case, check
from warp_program import LANES, execute

from advisor.evidence.simulated.simt.machine import compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported


def value_of(bits: int, kind: str) -> np.float32:
    """The number with 16 bits of a type."""
    if kind == "f16":
        return np.float32(np.uint16(bits).view(np.float16))
    return np.uint32(bits << 16).view(np.float32)


def bits_of(value: Any, kind: str, relu: bool = False) -> int:
    """The 16 bits of the nearest number, of two the even one; a NaN is the canonical one."""
    if np.isnan(value):
        return 0x7FFF
    if relu and value < 0:
        value = np.float64(0)
    if kind == "f16":
        return int(np.float16(value).view(np.uint16))
    near = nearest_brain_float(np.float64(value))
    return int(near.view(np.uint32)) >> 16


def nearest_brain_float(value: np.float64) -> np.float32:
    """Of the numbers of type bf16 around a value the nearest one, of two the even one."""
    size = abs(value)
    # The greatest number and half of its last place: from there on it is infinity.
    if size >= (2 - 2.0**-8) * 2.0**127:
        return np.float32(np.copysign(np.inf, value))
    high = int(np.float32(size).view(np.uint32)) >> 16
    around = [one for one in (high - 1, high, high + 1) if 0 <= one < 0x7F80]
    best = min(around, key=lambda one: (abs(np.float64(value_of(one, "bf16")) - size), one & 1))
    return np.copysign(value_of(best, "bf16"), np.float32(value))


def packed(kind: str, function: Callable[..., Any], relu: bool = False) -> Callable[..., Any]:
    """The register of two results; None where a NaN of unknown bits may come out."""

    def calculate(*registers: int) -> int | None:
        found = 0
        for shift in (0, 16):
            bits = [register >> shift & 0xFFFF for register in registers]
            values = [np.float64(value_of(one, kind)) for one in bits]
            with np.errstate(all="ignore"):
                result = function(*values)
            # The bits of a NaN are left open without `.relu`, and which zero there is with it.
            if (np.isnan(result) and not relu and kind == "f16") or (relu and result == 0):
                return None
            found |= bits_of(result, kind, relu) << shift
        return found

    return calculate


def arithmetic_cases() -> list[Case]:
    """Exact in f64 where two numbers are added or multiplied; of three, close enough for one rounding."""
    found = []
    for kind in ("f16", "bf16"):
        pair, three = "u32 u32", "u32 u32 u32"
        rn = "" if kind == "f16" else ".rn"
        for name, function in (
            ("add", lambda a, b: a + b),
            ("sub", lambda a, b: a - b),
            ("mul", lambda a, b: a * b),
        ):
            text = f"{name}{rn}.{kind}x2 {{d}}, {{a}}, {{b}};"
            found.append(Case(text, pair, "u32", packed(kind, function)))
        for name, function in (("max", np.fmax), ("min", np.fmin)):
            text = f"{name}.{kind}x2 {{d}}, {{a}}, {{b}};"
            found.append(Case(text, pair, "u32", without_zeros(kind, packed(kind, function))))
        for relu in ("", ".relu"):
            text = f"fma.rn{relu}.{kind}x2 {{d}}, {{a}}, {{b}}, {{c}};"
            found.append(Case(text, three, "u32", packed(kind, lambda a, b, c: a * b + c, bool(relu))))
    return found


def without_zeros(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is not asked about zeros, of which NumPy takes either."""

    def calculate(*registers: int) -> Any:
        zeros = any(register >> shift & 0x7FFF == 0 for register in registers for shift in (0, 16))
        return None if zeros else function(*registers)

    return calculate


def converted(kind: str, relu: bool = False) -> Callable[..., Any]:
    """The first number in the high half, the second in the low one."""

    def calculate(first: Any, second: Any) -> int | None:
        if (kind == "f16" and np.isnan([first, second]).any()) or (relu and 0 in (first, second)):
            return None
        return bits_of(np.float64(first), kind, relu) << 16 | bits_of(np.float64(second), kind, relu)

    return calculate


def towards_zero(first: Any, second: Any) -> int | None:
    """Two halves, each no further from zero than its number."""
    if np.isnan([first, second]).any():
        return None
    with np.errstate(over="ignore"):
        near = np.array([second, first]).astype(np.float16)
    further = np.abs(near.astype(np.float64)) > np.abs(np.array([second, first], np.float64))
    found = np.where(further, np.nextafter(near, np.float16(0)), near)
    return int(found.view(np.uint32)[0])


def tf32(value: Any) -> int | None:
    """The nearest number with ten bits behind the point; halves go away from zero."""
    if np.isnan(value):
        return 0x7FFFFFFF
    if np.isinf(value) or value == 0:
        return int(np.float32(value).view(np.uint32))
    mantissa, exponent = np.frexp(np.float64(value))
    whole = np.copysign(np.floor(abs(mantissa) * 2**11 + 0.5), mantissa)
    return int(np.float32(np.ldexp(whole, int(exponent) - 11)).view(np.uint32))


CASES = [
    *arithmetic_cases(),
    Case("cvt.rn.f16x2.f32 {d}, {a}, {b};", "f32 f32", "u32", converted("f16")),
    Case("cvt.rn.relu.f16x2.f32 {d}, {a}, {b};", "f32 f32", "u32", converted("f16", relu=True)),
    Case("cvt.rn.bf16x2.f32 {d}, {a}, {b};", "f32 f32", "u32", converted("bf16")),
    Case("cvt.rn.relu.bf16x2.f32 {d}, {a}, {b};", "f32 f32", "u32", converted("bf16", relu=True)),
    Case("cvt.rz.f16x2.f32 {d}, {a}, {b};", "f32 f32", "u32", towards_zero),
    Case("cvt.rna.tf32.f32 {d}, {a};", "f32", "u32", tf32),
    Case("cvt.rn.relu.f16.f32 {d}, {a};", "f32", "f16", lambda a: a if np.isnan(a) else max(a, 0)),
]


@pytest.mark.parametrize("uniform", [False, True], ids=["lanes", "uniform"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_packed_numbers(case, uniform):
    check(case, uniform)


@pytest.mark.parametrize("kind", ["f16", "bf16"])
@pytest.mark.parametrize(("name", "function"), [("ex2", np.exp2), ("tanh", np.tanh)])
def test_approximations_of_both_halves(kind, name, function):
    """Within one unit of the last place, more than the error of the approximation in f32."""
    middle = ".ftz" if (name, kind) == ("ex2", "bf16") else ""
    numbers = np.linspace(-3, 3, LANES)
    registers = [
        bits_of(one, kind) << 16 | bits_of(other, kind)
        for one, other in zip(numbers, numbers[::-1], strict=True)
    ]
    line = f"{name}.approx{middle}.{kind}x2 %d0, %a0;"
    found, _, _ = execute(line, np.array(registers, np.uint32)[:, None], 1)
    last_place = {"f16": 2.0**-10, "bf16": 2.0**-7}[kind]
    for given, result in zip(registers, found[:, 0].tolist(), strict=True):
        for shift in (0, 16):
            exact = function(np.float64(value_of(given >> shift & 0xFFFF, kind)))
            assert abs(value_of(result >> shift & 0xFFFF, kind) - exact) <= abs(exact) * last_place


PTX = (
    ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r<9>;\n{}\nret;\n}}\n"
)


@pytest.mark.parametrize(
    "line",
    [
        "cvt.rn.satfinite.bf16x2.f32 %r0, %r1, %r2;",
        "cvt.rn.f16x2.e2m3x2 %r0, %r1;",
        "cvt.rna.f32.f64 %r0, %r1;",
        "cvt.rn.relu.f32.f64 %r0, %r1;",
        "fma.rn.relu.f32 %r0, %r1, %r2, %r3;",
        "cvt.rn.bf16x2.f32 %r0, %r1;",
    ],
)
def test_what_is_refused(line):
    with pytest.raises(Unsupported):
        compile_kernel(read_ptx(PTX.format(line)), "k")
