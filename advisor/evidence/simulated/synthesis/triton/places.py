"""Where the lines of a unit's functions stand in its code, whatever file they are from."""

from __future__ import annotations

import re

_PLACE = re.compile(r"unit-function-(\d+)\.py$")


def place_of_function(number: int) -> str:
    """The path that a function's lines have in the code."""
    return f"unit-function-{number}.py"


def function_at(path: str) -> int | None:
    """The number of the function that a path of the code stands for, None for another path."""
    found = _PLACE.search(path)
    return int(found[1]) if found else None
