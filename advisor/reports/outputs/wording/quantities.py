"""Values with their units as people read them."""

from __future__ import annotations

import math

from advisor.model.records import Value

_BINARY = ("byte", "KiB", "MiB", "GiB", "TiB")
_DECIMAL = ("", "k", "M", "G", "T", "P")


def quantity(value: Value, unit: str) -> str:
    """`value` with its unit: 0.22 ratio as `22 %`, 49152 byte as `48 KiB`, 2e12 byte/s as `2 Tbyte/s`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return "unknown"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}unbounded"
    if unit == "ratio":
        return f"{number(value * 100)} %"
    if unit == "byte":
        return _binary(value)
    if unit in ("byte/s", "flop/s"):
        return _decimal(value, unit)
    # A count is called by its metric, a truth by yes and no: neither needs its unit.
    return number(value) if unit in ("", "count", "truth") else f"{number(value)} {unit}"


def number(value: float) -> str:
    """`value` to three significant digits, whole numbers in full: 1536 as `1,536`, 2 / 3 as `0.667`."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}" if abs(value) < 1e15 else f"{value:.3g}"
    return f"{value:.3g}"


def _binary(value: float) -> str:
    size, step = value, 0
    while abs(size) >= 1024 and step < len(_BINARY) - 1:
        size, step = size / 1024, step + 1
    return f"{number(size)} {_BINARY[step]}"


def _decimal(value: float, unit: str) -> str:
    size, step = value, 0
    while abs(size) >= 1000 and step < len(_DECIMAL) - 1:
        size, step = size / 1000, step + 1
    return f"{number(size)} {_DECIMAL[step]}{unit}"
