"""The text of a new rule: complete, with a threshold in its metric's range and examples on both sides."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from advisor.rules.formatting import format_text
from advisor.rules.model import Metric
from advisor.rules.units import PERCENT, TEXT, TRUTH, Unit, find_unit

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Ranges narrower than so many units are divided further; else examples stand one unit beside the threshold.
_WHOLE_STEPS = 4


@dataclass(frozen=True, slots=True)
class Example:
    """One example of a new rule: its verdict, name, and the metric's value as it is written."""

    verdict: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold's name, value and range as they are written, with examples at, above and below it."""

    name: str
    value: str
    low: str
    high: str
    examples: tuple[Example, ...]


_UNKNOWN: tuple[Example, ...] = (Example("unknown", "not known", "missing"),)


def rule_text(identifier: str, metric: Metric) -> str:
    """The text of a rule on a metric, in the formatter's form.

    Raises ValueError for a metric whose range holds one value only.
    """
    variable = metric.entity[0]
    value = f"{variable}.{metric.name}"
    words = metric.name.replace("_", " ")
    threshold, examples = None, _UNKNOWN
    if metric.unit == TRUTH:
        condition, said = value, f"{{{variable}}}: {words}."
        sentence = f"{words} in one {metric.entity}, which was slow in our measurement."
        examples = (Example("fires", "it is", "true"), Example("silent", "it is not", "false"), *_UNKNOWN)
    elif metric.unit == TEXT:
        condition, said = f'{value} = "…"', f"{words} of {{{variable}}}: {{{value}}}."
        sentence = f"{words} of one {metric.entity} with a value that was slow in our measurement."
        examples = (
            Example("fires", "this value", '"…"'),
            Example("silent", "another value", '"another"'),
            *_UNKNOWN,
        )
    else:
        threshold = threshold_of(metric)
        condition = f"{value} > {threshold.name}"
        said = f"{words} of {{{variable}}}: {{{value}}}, more than {{{threshold.name}}}."
        sentence = f"{words} of one {metric.entity} above what was fine in our measurement."
        examples = (*threshold.examples, *_UNKNOWN)
    text = _filled(
        "new_rule.rules",
        id=identifier,
        title=identifier.replace("-", " ").capitalize(),
        entity=metric.entity,
        variable=variable,
        value=value,
        threshold=threshold,
        condition=condition,
        said=said[0].upper() + said[1:],
        sentence=sentence[0].upper() + sentence[1:],
        examples=examples,
    )
    return format_text(f"{identifier}.rules", text)


def pack_text(name: str, edition: int) -> str:
    """The text of a pack's own file."""
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return format_text("pack.rules", _filled("new_pack.rules", name=quoted, edition=edition))


def threshold_of(metric: Metric) -> Threshold:
    """A threshold inside a metric's range, such that the examples tell it from its half and its double.

    Raises ValueError when the range holds one value only.
    """
    shown, start = _shown_unit(metric)
    low = -math.inf if metric.low is None else _in_unit(metric.low, shown)
    high = math.inf if metric.high is None else _in_unit(metric.high, shown)
    if low >= high:
        raise ValueError(f"`{metric.name}` has one value only")
    width = high - low
    step = 1.0 if width >= _WHOLE_STEPS else width / (2 * _WHOLE_STEPS)
    value = _middle(low, high, start, step, halves=shown.name != PERCENT.name)
    below = max(low, value / 2 if value > 0 else value - step)
    lowest = max(low, value / 4 if value > 0 else value - 2 * step)
    highest = min(high - step, 4 * value if value > 0 else value + 2 * step)
    if step == 1.0:
        below, lowest, highest = math.floor(below), math.ceil(lowest), math.floor(highest)
    examples = (
        Example("fires", "just above", _written(value + step, shown)),
        Example("silent", "at the threshold", _written(value, shown)),
        Example("silent", "well below", _written(below, shown)),
    )
    name, written = f"allowed_{metric.name}", [_written(one, shown) for one in (value, lowest, highest)]
    return Threshold(name, written[0], written[1], written[2], examples)


def _middle(low: float, high: float, start: float, step: float, halves: bool) -> float:
    """A value between the ends: the middle, or the power of two next to it, as sizes on a GPU are."""
    if math.isinf(low) or math.isinf(high):
        return start if low < start < high else low + step if math.isinf(high) else high - 2 * step
    middle = (low + high) / 2
    if step < 1:
        return middle
    power = 2.0 ** round(math.log2(middle)) if middle >= 1 and halves else 0.0
    return power if low < power < high - step else float(math.floor(middle))


def _shown_unit(metric: Metric) -> tuple[Unit, float]:
    """The unit that a threshold of the metric is written in, and the value to begin from."""
    known = _units()
    entry = known.get(metric.unit.described, known["other"])
    unit = find_unit(entry.get("unit", "")) or metric.unit
    if metric.high is not None and _in_unit(metric.high, unit) < _WHOLE_STEPS:
        unit = PERCENT if metric.unit.name == PERCENT.name else metric.unit
    return unit, float(entry["start"])


def _in_unit(value: float, unit: Unit) -> float:
    return round(value / unit.scale, 9)


def _written(value: float, unit: Unit) -> str:
    number = f"{value:.10g}"
    if unit.name in ("count", "ratio"):
        return f"{number}%" if unit.scale == PERCENT.scale else number
    return f"{number} {unit.name}"


def _filled(template: str, **values: object) -> str:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # what is written is no HTML
    )
    return environment.get_template(template).render(values)


@cache
def _units() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return loaded
