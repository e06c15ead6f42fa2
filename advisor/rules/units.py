"""Units of quantities: what may be compared with what, and how a value is written."""

from __future__ import annotations

import math
from dataclasses import dataclass

Dimension = tuple[tuple[str, int], ...]

# Scale to the base unit (ms for time, since the vocabulary counts in ms), and dimension.
_TIME, _BYTE, _FLOP = ("time",), ("byte",), ("flop",)
_SCALES: dict[str, tuple[float, tuple[str, ...]]] = {
    "ns": (1e-6, _TIME), "us": (1e-3, _TIME), "µs": (1e-3, _TIME), "ms": (1.0, _TIME), "s": (1e3, _TIME),
    "B": (1.0, _BYTE), "byte": (1.0, _BYTE), "bytes": (1.0, _BYTE), "KiB": (1024.0, _BYTE),
    "MiB": (1024.0**2, _BYTE), "GiB": (1024.0**3, _BYTE), "KB": (1e3, _BYTE), "MB": (1e6, _BYTE),
    "GB": (1e9, _BYTE), "TB": (1e12, _BYTE),
    "flop": (1.0, _FLOP), "flops": (1.0, _FLOP), "GFLOP": (1e9, _FLOP), "TFLOP": (1e12, _FLOP),
    "sector": (1.0, ("sector",)), "sectors": (1.0, ("sector",)),
    "request": (1.0, ("request",)), "requests": (1.0, ("request",)),
    "count": (1.0, ()), "ratio": (1.0, ()),
}  # fmt: skip
_SECONDS = 1e3
# Names that people see in other letters than rules have them.
_WRITTEN = {"flop/byte": "FLOP/byte", "flop": "FLOP", "flops": "FLOP"}


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as written, its scale to the base unit of its dimension, and the dimension.

    `truth` and `text` are kinds of their own. `ratio`, `count` and `number` have the empty dimension: a ratio
    does not fit a count, and a number without a unit fits both.
    """

    name: str
    scale: float
    dimension: Dimension

    @property
    def is_number(self) -> bool:
        """Whether values of this unit are numbers."""
        return self.name not in ("truth", "text", "location")

    def times(self, other: Unit, power: int = 1) -> Unit:
        """The unit of a product (power 1) or a quotient (power -1).

        A quotient of like values is a plain number, and so is a share of a number without a unit: which of
        the two it is, a ratio or a count, only its author knows.
        """
        exponents = dict(self.dimension)
        for base, exponent in other.dimension:
            exponents[base] = exponents.get(base, 0) + power * exponent
        dimension = tuple(sorted((base, exponent) for base, exponent in exponents.items() if exponent))
        if dimension:
            return Unit("", 1.0, dimension)
        if self.dimension:
            return PLAIN
        return _COMBINED.get((self.name, other.name, power), PLAIN)

    def fits(self, other: Unit) -> bool:
        """Whether values of both units may be compared and added."""
        return self.dimension == other.dimension and {self.name, other.name} != {"ratio", "count"}

    def in_base(self, value: float) -> float:
        """The value in the dimension's first unit; 35% is 0.35 to the last bit, which 35 * 0.01 is not."""
        return value / round(1 / self.scale) if self.scale < 1 else value * self.scale

    def __str__(self) -> str:
        return self.name or "·".join(
            f"{base}{'' if exponent == 1 else f'^{exponent}'}" for base, exponent in self.dimension
        )

    @property
    def described(self) -> str:
        """The dimension for an error message: [time], [ratio], [count], [byte/time]."""
        if not self.is_number or not self.dimension:
            return f"[{self.name or 'number'}]"
        above = "·".join(base for base, exponent in self.dimension if exponent > 0) or "1"
        below = "·".join(base for base, exponent in self.dimension if exponent < 0)
        return f"[{above}/{below}]" if below else f"[{above}]"


# What an unknown unit is read as, once it was told of: it fits everywhere, so that one error stays one.
NO_UNIT = Unit("?", 1.0, (("?", 1),))
COUNT = Unit("count", 1.0, ())
RATIO = Unit("ratio", 1.0, ())
# Of a number that is written without a unit, and of a quotient of like values.
PLAIN = Unit("number", 1.0, ())
PERCENT = Unit("ratio", 0.01, ())
TRUTH = Unit("truth", 1.0, (("truth", 1),))
TEXT = Unit("text", 1.0, (("text", 1),))
_COMBINED = {
    ("ratio", "ratio", 1): RATIO, ("ratio", "count", 1): COUNT, ("count", "ratio", 1): COUNT,
    ("count", "count", 1): COUNT, ("count", "number", 1): COUNT, ("number", "count", 1): COUNT,
    ("count", "ratio", -1): COUNT, ("ratio", "count", -1): RATIO, ("ratio", "number", -1): RATIO,
}  # fmt: skip


def find_unit(name: str) -> Unit | None:
    """The unit of that name (`ms`, `%`, `flop/byte`, `truth`), None when it is unknown."""
    if name in ("truth", "text"):
        return TRUTH if name == "truth" else TEXT
    if name == "%":
        return PERCENT
    if name in ("count", "ratio"):
        return COUNT if name == "count" else RATIO
    above, _, below = name.partition("/")
    if above not in _SCALES or (below and below not in _SCALES):
        return None
    scale, bases = _SCALES[above]
    exponents = dict.fromkeys(bases, 1)
    if below:
        divisor, lower = _SCALES[below]
        # A rate counts per second, as data sheets do, although times count in ms.
        scale /= divisor / _SECONDS if lower == _TIME else divisor
        for base in lower:
            exponents[base] = exponents.get(base, 0) - 1
    return Unit(
        name, scale, tuple(sorted((base, exponent) for base, exponent in exponents.items() if exponent))
    )


def unit_names() -> list[str]:
    """Every unit that can stand alone."""
    return [*_SCALES, "%"]


def format_value(value: float | str | bool, unit: Unit) -> str:
    """A value as a person writes it: 35%, 3.2 KiB, 40 us, 1.5 TB/s, 12 sectors/request, 256.

    Everything that shows a value to people writes it so: sizes in powers of 1,024, rates and times in
    those of 1,000, a microsecond as `us`, as NVIDIA's tools do.
    """
    if isinstance(value, str):
        return value
    if unit.name == "truth" or isinstance(value, bool):
        return "yes" if value else "no"
    if math.isnan(value):
        return "unknown"
    if math.isinf(value):
        return "infinite"
    if unit.name == "ratio":
        return f"{_short(value * 100)}%"
    if unit.dimension == (("byte", 1),):
        return _scaled(value, (("GiB", 1024.0**3), ("MiB", 1024.0**2), ("KiB", 1024.0)), "B")
    if unit.dimension == (("time", 1),):
        return _scaled(value, (("s", 1e3), ("ms", 1.0), ("us", 1e-3)), "ns", 1e6)
    if unit.dimension == (("byte", 1), ("time", -1)):
        return _scaled(value, (("TB/s", 1e12), ("GB/s", 1e9), ("MB/s", 1e6)), "B/s")
    if unit.dimension == (("flop", 1), ("time", -1)):
        return _scaled(value, (("TFLOP/s", 1e12), ("GFLOP/s", 1e9), ("MFLOP/s", 1e6)), "FLOP/s")
    if unit.name in ("count", "number", ""):
        return _short(value)
    name = _WRITTEN.get(unit.name, unit.name)
    return f"{_short(value)} {_counted(value, name)}"


def format_range(least: float, most: float, unit: Unit) -> str:
    """Two values of a unit as a person writes them: 4 to 8 sectors/request."""
    smaller, larger = format_value(least, unit), format_value(most, unit)
    number, _, name = smaller.partition(" ")
    larger_name = larger.partition(" ")[2]
    alike = bool(name) and name in (larger_name, _counted(1.0, larger_name))
    return f"{number} to {larger}" if alike else f"{smaller} to {larger}"


def _counted(value: float, name: str) -> str:
    """The unit's name as it stands behind a number: `1 sector/request`, `2 sectors/request`."""
    above, slash, below = name.partition("/")
    single = above.removesuffix("s")
    return f"{single}{slash}{below}" if value == 1 and single in _SCALES else name


def _scaled(value: float, steps: tuple[tuple[str, float], ...], last: str, factor: float = 1.0) -> str:
    for name, size in steps:
        if abs(value) >= size:
            return f"{_short(value / size)} {name}"
    return f"{_short(value * factor)} {last}"


def _short(value: float) -> str:
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}" if abs(value) >= 100_000 else str(int(value))
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
