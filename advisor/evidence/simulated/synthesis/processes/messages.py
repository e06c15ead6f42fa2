"""Answers of contained processes as JSON: what executed the kernel is not trusted to send anything else."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any, cast

from advisor.evidence.simulated.simt.launch import Extent
from advisor.evidence.simulated.synthesis.result import LineCounts, MadeLaunch, Synthesis
from advisor.model.records import Value

Json = dict[str, Any]


def as_json(synthesis: Synthesis) -> Json:
    """What is known of a kernel, as JSON values."""
    return asdict(synthesis)


def to_bytes(synthesis: Synthesis) -> bytes:
    """The text of an answer."""
    return json.dumps(as_json(synthesis), separators=(",", ":")).encode()


def from_bytes(text: bytes) -> Synthesis:
    """The answer that a text holds; raises ValueError for any other text."""
    try:
        return from_json(json.loads(text))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def from_json(data: object) -> Synthesis:
    """What JSON values say of a kernel; raises ValueError where they are not such."""
    try:
        return _synthesis(cast("Json", data))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"not what synthesised launches give: {error}") from None


def _synthesis(data: Json) -> Synthesis:
    return Synthesis(
        _text(data["kernel"]),
        tuple(map(_launch, data["launches"])),
        tuple(map(_line, data["lines"])),
        _values(data["values"]),
        tuple(map(_text, data["assumptions"])),
        _text(data["unknown"]),
        tuple(map(_launch, data["edges"])),
        tuple(_work(one) for one in data["work"]),
    )


def _launch(data: Json) -> MadeLaunch:
    return MadeLaunch(
        variant=_text(data["variant"]),
        grid=_extent(data["grid"]),
        block=_extent(data["block"]),
        shapes={_text(name): tuple(map(_whole, sizes)) for name, sizes in data["shapes"].items()},
        scalars={_text(name): _number(value) for name, value in data["scalars"].items()},
        types=tuple(map(_text, data["types"])),
        ended=bool(data["ended"]),
        out_of_bounds=_whole(data["out_of_bounds"]),
        active=_number(data["active"]),
    )


def _line(data: Json) -> LineCounts:
    return LineCounts(
        entity=_text(data["entity"]),
        path=_text(data["path"]),
        line=_whole(data["line"]),
        array=_text(data["array"]),
        space=_text(data["space"]),
        kind=_text(data["kind"]),
        values=_values(data["values"]),
        seen={
            _text(metric): tuple(None if one is None else _number(one) for one in values)
            for metric, values in data["seen"].items()
        },
        most={_text(metric): _number(value) for metric, value in data["most"].items()},
    )


def _work(data: Json) -> dict[str, float]:
    return {_text(name): _number(value) for name, value in data.items()}


def _values(data: Json) -> dict[str, Value | None]:
    return {_text(metric): _value(value) for metric, value in data.items()}


def _value(value: object) -> Value | None:
    return value if value is None or isinstance(value, str | bool) else _number(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.40} is not a text")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r:.40} is not a number")
    return float(value)


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r:.40} is not a whole number")
    return value


def _extent(data: object) -> Extent:
    sizes = tuple(map(_whole, cast("list[object]", data)))
    if len(sizes) != 3:
        raise ValueError("a grid has three sizes")
    return sizes
