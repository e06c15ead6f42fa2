"""Floating-point instructions against exact fractions, rounded once, and NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from single_instruction import TYPES, Case, check, rounded, saturate


def float_cases() -> list[Case]:
    found = []
    for kind in ("f32", "f64", "f16"):
        pair, three = f"{kind} {kind}", f"{kind} {kind} {kind}"
        rn = "rn." if kind != "f16" else ""
        found += [
            Case(f"add.{rn}{kind} {{d}}, {{a}}, {{b}};", pair, kind, exact(lambda a, b: a + b, kind)),
            Case(f"sub.{rn}{kind} {{d}}, {{a}}, {{b}};", pair, kind, exact(lambda a, b: a - b, kind)),
            Case(f"mul.{rn}{kind} {{d}}, {{a}}, {{b}};", pair, kind, exact(lambda a, b: a * b, kind)),
            Case(
                f"fma.rn.{kind} {{d}}, {{a}}, {{b}}, {{c}};",
                three,
                kind,
                exact(lambda a, b, c: a * b + c, kind),
            ),
            Case(f"neg.{kind} {{d}}, {{a}};", kind, kind, lambda a: -a),
            Case(f"abs.{kind} {{d}}, {{a}};", kind, kind, abs),
            Case(f"min.{kind} {{d}}, {{a}}, {{b}};", pair, kind, lambda a, b: smallest(a, b, False)),
            Case(f"max.{kind} {{d}}, {{a}}, {{b}};", pair, kind, lambda a, b: smallest(a, b, True)),
        ]
    for kind in ("f32", "f64"):
        found += [
            Case(f"div.rn.{kind} {{d}}, {{a}}, {{b}};", f"{kind} {kind}", kind, divide(kind)),
            Case(f"sqrt.rn.{kind} {{d}}, {{a}};", kind, kind, np.sqrt),
            Case(f"rcp.rn.{kind} {{d}}, {{a}};", kind, kind, reciprocal),
            Case(
                f"copysign.{kind} {{d}}, {{a}}, {{b}};",
                f"{kind} {kind}",
                kind,
                lambda a, b: np.copysign(b, a),
            ),
        ]
    found += [
        Case("add.rz.f32 {d}, {a}, {b};", "f32 f32", "f32", directed(lambda a, b: a + b, "rz")),
        Case(
            "fma.rm.f32 {d}, {a}, {b}, {c};", "f32 f32 f32", "f32", directed(lambda a, b, c: a * b + c, "rm")
        ),
        Case("mul.rp.f32 {d}, {a}, {b};", "f32 f32", "f32", directed(lambda a, b: a * b, "rp")),
        Case("add.sat.f32 {d}, {a}, {b};", "f32 f32", "f32", lambda a, b: saturate(a + b)),
    ]
    return found


def exact(function: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """A function of fractions, rounded once; special values go to NumPy."""

    def calculate(*values: Any) -> Any:
        numbers = [float(value) for value in values]
        if all(math.isfinite(one) for one in numbers):
            result = function(*(Fraction(one) for one in numbers))
            if result != 0:
                return rounded(result, kind)
        with np.errstate(all="ignore"):
            return function(*(TYPES[kind](one) for one in numbers))

    return calculate


def reciprocal(a: Any) -> Any:
    return type(a)(1) / a


def divide(kind: str) -> Callable[[Any, Any], Any]:
    def calculate(a: Any, b: Any) -> Any:
        with np.errstate(all="ignore"):
            return a / b

    return calculate


def smallest(a: Any, b: Any, largest: bool) -> Any:
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    if a == b == 0:
        negative = (
            bool(np.signbit(a)) and bool(np.signbit(b)) if largest else bool(np.signbit(a) or np.signbit(b))
        )
        return type(a)(-0.0 if negative else 0.0)
    return (max if largest else min)(a, b)


def directed(function: Callable[..., Any], mode: str) -> Callable[..., Any]:
    def calculate(*values: Any) -> Any:
        if not all(math.isfinite(value) for value in values):
            with np.errstate(all="ignore"):
                return function(*values)
        wanted = function(*(Fraction(float(value)) for value in values))
        if wanted == 0:
            return None
        near = np.float32(float(wanted))
        down = near if Fraction(float(near)) <= wanted else np.nextafter(near, np.float32(-math.inf))
        up = near if Fraction(float(near)) >= wanted else np.nextafter(near, np.float32(math.inf))
        return {"rm": down, "rp": up, "rz": down if wanted > 0 else up}[mode]

    return calculate


@pytest.mark.parametrize("uniform", [False, True], ids=["lanes", "uniform"])
@pytest.mark.parametrize("case", float_cases(), ids=str)
def test_a_float_instruction(case: Case, uniform: bool) -> None:
    check(case, uniform)
