"""The numbers of source lines, added up from what is known of each line, access, atomic and branch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from advisor.model.history.fingerprint import LineMetrics
from advisor.reports.html_report.wording import percent, shown
from advisor.reports.outputs.wording.quantities import number

_WARP = 32.0


@dataclass(frozen=True)
class Column:
    """A column of numbers: `most` is the value that is drawn hottest, None for the largest of the kernel."""

    key: str
    heading: str
    text: Callable[[float], str]
    most: float | None = None
    has_heat: bool = True


COLUMNS = (
    Column("samples_share", "time", percent),
    Column("stall_reason", "waits for", str, has_heat=False),
    Column("warp_instructions", "instructions", number),
    Column("instructions", "machine code", number),
    Column("lanes_active", "lanes active", percent, has_heat=False),
    Column("requests", "requests", number),
    Column("sectors", "sectors", number),
    Column("sectors_per_request", "sectors per request", number, _WARP),
    Column("bank_conflict_ways", "bank conflicts", number, _WARP),
    Column("shared_wavefronts", "wavefronts", number),
    Column("divided", "divergent branches", percent, 1.0),
)
_SUMMED = ("samples_share", "warp_instructions", "instructions", "shared_wavefronts")
_LARGEST = ("lanes_active",)


def numbers_of_lines(lines: Iterable[LineMetrics]) -> dict[int, dict[str, float | str]]:
    """By line the values of the columns that are known; sectors are of global memory.

    An update is a load and a store, which are told by themselves, so it is not counted again.
    """
    found: dict[int, dict[str, float | str]] = {}
    for one in lines:
        values = found.setdefault(one.line, {})
        if one.entity == "line":
            _add_line(values, one)
        elif one.entity in ("access", "atomic") and one.metrics.get("kind") != "update":
            _add_access(values, one)
        elif one.entity == "branch":
            _raise(values, "divided", _number(one, "divided"))
    for values in found.values():
        requests, sectors = values.pop("global requests", None), values.get("sectors")
        if isinstance(requests, float) and requests > 0.0 and isinstance(sectors, float):
            values["sectors_per_request"] = sectors / requests
    return {line: values for line, values in found.items() if values}


def _add_line(values: dict[str, float | str], one: LineMetrics) -> None:
    for name in _SUMMED:
        _add(values, name, _number(one, name))
    for name in _LARGEST:
        _raise(values, name, _number(one, name))
    _add(values, "sectors", _number(one, "global_sectors"))
    reason = one.metrics.get("stall_reason")
    if isinstance(reason, str):
        share = _number(one, "stall_share")
        values["stall_reason"] = shown(reason) + (f" {percent(share)}" if share is not None else "")


def _add_access(values: dict[str, float | str], one: LineMetrics) -> None:
    requests, each = _number(one, "requests"), _number(one, "sectors_per_request")
    _add(values, "requests", requests)
    _raise(values, "bank_conflict_ways", _number(one, "bank_conflict_ways"))
    if requests is not None and each is not None:
        _add(values, "sectors", requests * each)
        _add(values, "global requests", requests)


def _number(one: LineMetrics, name: str) -> float | None:
    value = one.metrics.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _add(values: dict[str, float | str], name: str, value: float | None) -> None:
    if value is not None:
        before = values.get(name, 0.0)
        values[name] = value + (before if isinstance(before, float) else 0.0)


def _raise(values: dict[str, float | str], name: str, value: float | None) -> None:
    before = values.get(name)
    if value is not None and (not isinstance(before, float) or value > before):
        values[name] = value
