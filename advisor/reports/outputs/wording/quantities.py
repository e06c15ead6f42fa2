"""Values with their units as people read them."""

from __future__ import annotations

import math

from advisor.model.records import Value
from advisor.rules.units import find_unit, format_value


def quantity(value: Value, unit: str) -> str:
    """`value` with its unit as rules write it, thousands of counts apart: `22%`, `48 KiB`, `1,536`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return "unknown"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}unbounded"
    known = find_unit(unit)
    if known is not None and (known.dimension or unit == "ratio"):
        return format_value(value, known)
    # A count is called by its metric, a truth by yes and no: neither needs its unit.
    return number(value) if unit in ("", "count", "truth") else f"{number(value)} {unit}"


def number(value: float) -> str:
    """`value` to three significant digits, whole numbers in full: 1536 as `1,536`, 2 / 3 as `0.667`."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}" if abs(value) < 1e15 else f"{value:.3g}"
    return f"{value:.3g}"
