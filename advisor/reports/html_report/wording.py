"""Numbers, shapes, times and untrusted texts as the page shows them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timezone

from advisor.model.records import Value
from advisor.reports.outputs.wording.quantities import quantity
from advisor.rules.units import find_unit, format_value

_MINUTE_OF_DATE = "%Y-%m-%d %H:%M UTC"
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
# Control characters, halves of surrogate pairs, and marks that turn the direction of writing.
_UNSHOWN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def shown(text: str) -> str:
    """The text with marks in the place of characters that cannot be shown or would change how it reads."""
    return _UNSHOWN.sub("�", text)


def shortened(text: str, most: int) -> str:
    """The text in one line, its middle left out where it is longer than `most` characters."""
    line = " ".join(shown(text).split())
    if len(line) <= most:
        return line
    head = (most - 1) // 2
    return f"{line[:head]}…{line[-(most - 1 - head) :]}"


def value_text(value: Value | None, unit: str) -> str:
    """The value with its unit, empty for one that is not known."""
    if value is None:
        return ""
    known = find_unit(unit)
    return shown(quantity(value, unit) if known is None else format_value(value, known))


def milliseconds(value: float | None) -> str:
    """A time with the unit that suits it, empty for one that is not known."""
    return value_text(value, "ms")


def percent(ratio: float | None) -> str:
    """A ratio in percent, empty for one that is not known."""
    return value_text(ratio, "ratio")


def share_of(ratio: float | None) -> str:
    """A share of a whole in percent, to a tenth; empty for one that is not known."""
    if ratio is None:
        return ""
    return "<0.1%" if 0.0 < ratio < 0.001 else f"{ratio * 100:.1f}%"


def rate(value: float, unit: str) -> str:
    """A rate with a decimal prefix: 1.98 GFLOP/s."""
    for size, prefix in _PREFIXES:
        if value >= size:
            return f"{value / size:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def extent(shape: Sequence[int] | None) -> str:
    """A grid or block as `8×32`, empty for one that is not known."""
    if shape is None:
        return ""
    numbers = list(shape)
    while len(numbers) > 1 and numbers[-1] == 1:
        numbers.pop()
    return "×".join(map(str, numbers))


def date(seconds: float) -> str:
    """A time since the epoch as date and minute in UTC, empty for one outside of the calendar."""
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).strftime(_MINUTE_OF_DATE)
    except (ValueError, OverflowError, OSError):
        return ""
