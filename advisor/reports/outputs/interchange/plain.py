"""Values that JSON can hold."""

from __future__ import annotations

import json
import math

from advisor.model.records import Value


def json_value(value: Value | None) -> Value | None:
    """`value`, or None where JSON has no number for it (NaN, infinity); whole floats become integers."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return value


def dump(content: object, indent: int | None = 2) -> str:
    """`content` as JSON in ASCII, so that no encoding on the way can damage it."""
    return json.dumps(content, indent=indent, allow_nan=False, default=str)
