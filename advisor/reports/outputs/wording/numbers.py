"""Numbers of reports in words."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model.history.fingerprint import Extent
from advisor.rules.units import RATIO, find_unit, format_value

UNKNOWN = "-"
_LARGEST = 9.9e4


def time_in_words(milliseconds: float | None) -> str:
    """A time with its unit; `-` for one that is not known."""
    unit = find_unit("ms")
    assert unit is not None
    # Rounded before the unit is chosen, so that 999.9996 us are 1 ms.
    return UNKNOWN if milliseconds is None else format_value(float(f"{milliseconds:.3g}"), unit)


def share_in_words(share: float | None) -> str:
    """A share in percent."""
    if share is None:
        return UNKNOWN
    return "<0.1%" if 0.0 < share < 0.001 else f"{share * 100:.1f}%"


def factor_in_words(factor: float | None) -> str:
    """How many times as fast: two digits behind the point below 10, none above 100."""
    if factor is None:
        return UNKNOWN
    if factor > _LARGEST:
        return f">{_LARGEST:.0f} x"
    return f"{factor:.2f} x" if factor < 10.0 else f"{factor:.1f} x" if factor < 100.0 else f"{factor:.0f} x"


def ratio_in_words(value: float | None) -> str:
    """A ratio as the rules write it."""
    return UNKNOWN if value is None else format_value(value, RATIO)


def shape_in_words(extent: Extent | None) -> str:
    """A grid or block without the ones at its end: `16x16`."""
    numbers = list(extent or ())
    while len(numbers) > 1 and numbers[-1] == 1:
        numbers.pop()
    return "x".join(map(str, numbers)) or UNKNOWN


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 kernel`, `2 kernels`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A table of GitHub's Markdown; a `|` in a cell is escaped."""
    rule = ["---:" if column in right else "---" for column in range(len(header))]
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (header, rule, *rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)
