"""Units as profilers print them, in base units; the table is knowledge/imports/units.toml."""

from __future__ import annotations

import sys
from functools import cache

from advisor.evidence.measured.reports.report import Quantity
from advisor.model.data_files import knowledge_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_MILLISECONDS = 1e3


@cache
def _table() -> tuple[dict[str, tuple[str, float]], dict[str, float]]:
    path = knowledge_folder() / "imports" / "units.toml"
    groups = tomllib.loads(path.read_text(encoding="utf-8"))
    prefixes = {name: float(factor) for name, factor in groups.pop("prefixes").items()}
    return {
        name: (kind, float(factor)) for kind, units in groups.items() for name, factor in units.items()
    }, prefixes


def in_base_unit(quantity: Quantity) -> tuple[float, str] | None:
    """The number and its kind: `time` (ms), `byte`, `ratio`, `count`, or one of these per second (`byte/s`).

    None for a text and for a unit that the table does not know. What is counted per block, thread, warp or
    cycle is of the kind that is counted.
    """
    if isinstance(quantity.value, str):
        return None
    above, _, below = quantity.unit.strip().partition("/")
    found = _unit(above.strip())
    under = _unit(below.strip()) if below else ("count", 1.0)
    if found is None or under is None:
        return None
    (kind, factor), (per, divisor) = found, under
    if per == "time":
        return _exact(quantity.value, factor / divisor * _MILLISECONDS), f"{kind}/s"
    if per != "count":
        return None
    return _exact(quantity.value, factor / divisor), kind


@cache
def _unit(name: str) -> tuple[str, float] | None:
    units, prefixes = _table()
    if name in units:
        return units[name]
    for prefix, factor in prefixes.items():
        if (
            name.startswith(prefix)
            and (known := units.get(name[len(prefix) :]))
            and known[0] in ("byte", "count")
        ):
            return known[0], known[1] * factor
    return None


def _exact(value: float, factor: float) -> float:
    """35 * 0.01 is not 0.35 to the last bit, 35 / 100 is."""
    return value / round(1 / factor) if 0.0 < factor < 1.0 else value * factor
