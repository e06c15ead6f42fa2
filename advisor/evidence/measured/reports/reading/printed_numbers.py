"""Numbers as profilers print them: with separators of thousands, and points or commas before decimals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.evidence.measured.reports.reading.possible import is_possible

_ABSENT = frozenset({"", "n/a", "nan", "-nan", "inf", "-inf", "-", "no data", "(null)", "null"})
_SPACES = str.maketrans("", "", " \u00a0\u202f'_")
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
# What can only be one of both: 65,77 and 1.234,5 and 27.595.520 have commas before decimals, 65.77 points.
_COMMA_DECIMALS = re.compile(r"[+-]?(\d+,(\d{1,2}|\d{4,})|\d{1,3}(\.\d{3})+,\d+|\d{1,3}(\.\d{3}){2,}|0,\d+)")
_POINT_DECIMALS = re.compile(
    r"[+-]?(\d+\.(\d{1,2}|\d{4,})|\d{1,3}(,\d{3})+\.\d+|\d{1,3}(,\d{3}){2,}|0\.\d+|\d{4,}\.\d+)"
)


# So many digits are a number that any report may hold.
_SURE_DIGITS = 16


@dataclass(frozen=True)
class Notation:
    """How a report prints numbers: the mark before decimals, and whether the report itself decides it."""

    decimal: str = "."
    certain: bool = True

    def number(self, text: str) -> float | None:
        """The number that a text prints, None for `n/a` and other words."""
        if len(text) < _SURE_DIGITS and text.isascii() and text.isdigit():
            return float(text)
        folded = text.strip().translate(_SPACES)
        if folded.casefold() in _ABSENT:
            return None
        if self.decimal == ",":
            folded = folded.replace(".", "").replace(",", ".")
        else:
            folded = folded.replace(",", "")
        if not _PLAIN.fullmatch(folded):
            return None
        value = float(folded)
        return value if is_possible(value) else None


def is_absent(text: str) -> bool:
    """Whether a text says that there is no number."""
    return text.strip().translate(_SPACES).casefold() in _ABSENT


def notation_of(texts: Iterable[str]) -> Notation:
    """The notation that the numbers of one report share; a point where nothing decides it.

    ncu prints in the locale of the machine, so that 117.344 is 117 in one report and 117 thousand in another;
    the other numbers of the report tell which.
    """
    points = commas = doubtful = 0
    for text in texts:
        if "," not in text and "." not in text:
            continue
        folded = text.strip().translate(_SPACES)
        if _POINT_DECIMALS.fullmatch(folded):
            points += 1
        elif _COMMA_DECIMALS.fullmatch(folded):
            commas += 1
        else:
            doubtful += 1
    if points and commas:
        return Notation("," if commas > points else ".", certain=False)
    return Notation("," if commas else ".", certain=bool(points or commas) or not doubtful)
