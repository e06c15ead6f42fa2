"""Ranges of metrics and parameters in words."""

from __future__ import annotations

from advisor.rules.units import Unit, format_value


def range_text(low: float | None, high: float | None, unit: Unit) -> str:
    """The range as "5% to 90%", "at least 0", "at most 32", or "" when it is open."""
    if low is not None and high is not None:
        return f"{format_value(low, unit)} to {format_value(high, unit)}"
    if low is not None:
        return f"at least {format_value(low, unit)}"
    return "" if high is None else f"at most {format_value(high, unit)}"
