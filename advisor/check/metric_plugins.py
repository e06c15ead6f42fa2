"""Metrics from outside: functions of installed distributions that a project's configuration names.

A distribution offers one under the entry point group `advisor.metrics`. It is called with a list of mappings
(path, name and line of each kernel) and the id of the device. It gives mappings with `path`, `name` and the
values of metrics that are declared for kernels: numbers in the metric's unit, texts with a unit, or truth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from advisor.model.devices import Device
from advisor.model.errors import UsageError
from advisor.model.findings import Problem, Report
from advisor.model.records import Record, Value
from advisor.model.settings.config import Config
from advisor.model.settings.selectors import suggestion
from advisor.rules.model import Metric, Rulebook
from advisor.rules.units import TEXT, TRUTH, find_unit, format_value

GROUP = "advisor.metrics"
_QUANTITY = re.compile(r"\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*(.*?)\s*")
_NAMES = ("path", "name", "line")


def provided_records(
    settings: Config, records: Iterable[Record], rulebook: Rulebook, device: Device, report: Report
) -> list[Record]:
    """Records with the values that providers give; what cannot be taken is a problem of the report.

    Raises UsageError for a provider that is not installed.
    """
    kernels = {(one.path, one.label): one for one in records if one.entity == "kernel"}
    asked = [{"path": one.path, "name": one.label, "line": one.span.line} for one in kernels.values()]
    found = []
    for name in settings.metric_providers:
        for row in _rows(name, settings.place_of("metric-providers", name), asked, device, report):
            place = (str(row.get("path")), str(row.get("name"))) if isinstance(row, Mapping) else ("", "")
            kernel = kernels.get(place)
            if kernel is None:
                report.problems.append(
                    Problem(name, 1, f"The metric provider {name} spoke of no kernel: {row!r}.")
                )
                continue
            copy = Record("kernel", kernel.key, kernel.path, kernel.span, kernel.label, kernel.owner)
            copy.know("measured", (f"Provided by {name}.",), **_values(name, row, kernel, rulebook, report))
            found.append(copy)
    return found


def _rows(name: str, place: str, asked: list[dict[str, Any]], device: Device, report: Report) -> list[Any]:
    from importlib.metadata import entry_points  # it takes a moment, and few projects name providers

    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points:
        raise UsageError(f"{place}: `{name}` is not installed.{suggestion(name, points)}")
    try:
        return list(points[name].load()(asked, device.id))
    except Exception as error:  # whatever somebody else's function raises
        said = f"The metric provider {name} failed: {type(error).__name__}: {error}"
        report.problems.append(Problem(name, 1, said))
        return []


def _values(
    name: str, row: Mapping[str, Any], kernel: Record, rulebook: Rulebook, report: Report
) -> dict[str, Value | None]:
    found: dict[str, Value | None] = {}
    for metric_name, given in row.items():
        if metric_name in _NAMES:
            continue
        metric = rulebook.metric("kernel", metric_name)
        value = _value(metric, given) if metric is not None else None
        if metric is None or value is None:
            wanted = "no metric of a kernel" if metric is None else f"no value of {_described(metric)}"
            said = f"The metric provider {name} gave {metric_name} = {given!r}, which is {wanted}."
            report.problems.append(Problem(kernel.path, kernel.span.line, said))
        else:
            found[metric_name] = value
    return found


def _value(metric: Metric, given: object) -> Value | None:
    """A given value in the metric's base unit, None where it does not fit."""
    if metric.unit == TRUTH:
        return given if isinstance(given, bool) else None
    if metric.unit == TEXT:
        return given if isinstance(given, str) else None
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    number = float(given) if not isinstance(given, str) else _quantity(metric, given)
    if number is None or not math.isfinite(number):
        return None
    inside = (metric.low is None or number >= metric.low) and (metric.high is None or number <= metric.high)
    return number if inside else None


def _quantity(metric: Metric, text: str) -> float | None:
    match = _QUANTITY.fullmatch(text)
    unit = find_unit(match[2]) if match and match[2] else None
    if match is None or unit is None or not unit.fits(metric.unit):
        return None
    return unit.in_base(float(match[1]))


def _described(metric: Metric) -> str:
    low = "" if metric.low is None else format_value(metric.low, metric.unit)
    high = "" if metric.high is None else format_value(metric.high, metric.unit)
    return f"{metric.unit.described} in {low} .. {high}"
