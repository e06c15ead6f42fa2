"""Conversions between number types against exact values."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from single_instruction import Case, check, rounded, saturate


def conversion_cases() -> list[Case]:
    found = []
    for source in ("f32", "f64"):
        for target in ("s32", "u32", "s64", "u64"):
            for mode, function in (
                ("rzi", math.trunc),
                ("rni", round),
                ("rmi", math.floor),
                ("rpi", math.ceil),
            ):
                found.append(
                    Case(
                        f"cvt.{mode}.{target}.{source} {{d}}, {{a}};",
                        source,
                        target,
                        to_integer(function, target),
                    )
                )
    for source in ("s32", "u32", "s64", "u64"):
        for target in ("f32", "f64", "f16"):
            found.append(Case(f"cvt.rn.{target}.{source} {{d}}, {{a}};", source, target, to_float(target)))
    found += [
        Case("cvt.rn.f32.f64 {d}, {a};", "f64", "f32", np.float32),
        Case("cvt.f64.f32 {d}, {a};", "f32", "f64", np.float64),
        Case("cvt.rn.f16.f32 {d}, {a};", "f32", "f16", np.float16),
        *(
            Case(f"cvt.{mode}.f16.{source} {{d}}, {{a}};", source, "f16", to_half_directed(mode))
            for mode in ("rz", "rm", "rp")
            for source in ("f32", "f64")
        ),
        Case("cvt.f32.f16 {d}, {a};", "f16", "f32", np.float32),
        Case("cvt.s64.s32 {d}, {a};", "s32", "s64", int),
        Case("cvt.u64.u32 {d}, {a};", "u32", "u64", int),
        Case("cvt.u32.u64 {d}, {a};", "u64", "u32", int),
        Case("cvt.s32.s16 {d}, {a};", "s16", "s32", int),
        Case("cvt.sat.s32.s64 {d}, {a};", "s64", "s32", lambda a: max(-(1 << 31), min(a, (1 << 31) - 1))),
        Case("cvt.rpi.f32.f32 {d}, {a};", "f32", "f32", np.ceil),
        Case("cvt.rni.f64.f64 {d}, {a};", "f64", "f64", np.rint),
        Case("cvt.sat.f32.f32 {d}, {a};", "f32", "f32", saturate),
    ]
    return found


def to_integer(function: Callable[[float], int], target: str) -> Callable[[Any], Any]:
    width, signed = int(target[1:]), target[0] == "s"
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)

    def calculate(value: Any) -> Any:
        if math.isnan(value):
            return 0 if width < 64 else 1 << 63
        if math.isinf(value):
            return high if value > 0 else low
        return max(low, min(function(float(value)), high))

    return calculate


def to_half_directed(mode: str) -> Callable[[Any], Any]:
    """All numbers of f16 in order; the exact value lies at one of them or between two."""
    finite = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)

    def calculate(value: Any) -> Any:
        if not math.isfinite(value):
            return np.float16(value)
        place = int(np.searchsorted(finite, abs(value), side="right"))
        inner = finite[place - 1]
        outer = inner if inner == abs(value) else finite[place] if place < len(finite) else math.inf
        towards_zero = mode == "rz" or (mode == "rm") == (value > 0)
        return np.float16(math.copysign(inner if towards_zero else outer, value))

    return calculate


def to_float(target: str) -> Callable[[int], Any]:
    def calculate(value: int) -> Any:
        if target == "f16":
            with np.errstate(over="ignore"):
                return np.float16(float(max(-70000, min(value, 70000))))
        return rounded(Fraction(value), target)

    return calculate


@pytest.mark.parametrize("uniform", [False, True], ids=["lanes", "uniform"])
@pytest.mark.parametrize("case", conversion_cases(), ids=str)
def test_a_conversion(case: Case, uniform: bool) -> None:
    check(case, uniform)
