"""What the machine code of a unit says with each of the values that a name may have."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def agreed(first: Json, second: Json) -> Json:
    """The numbers of `first` that `second` has too; both are what `placing.summary` or a problem gives.

    A line of which nothing is agreed keeps its place without numbers: it is not known, and not empty. Where
    the second values do not compile no number is known to be free of the first ones. `differing` names the
    kernel's metrics on which the two do not agree.
    """
    if "problem" in first:
        return first
    nothing: Json = {"resources": {}, "instructions": {}, "lines": [], "promotions": [], "narrowings": []}
    other = nothing if "problem" in second else second
    lines = {(function, line): counts for function, line, counts in other["lines"]}
    resources = _same(first["resources"], other["resources"])
    instructions = _same(first["instructions"], other["instructions"])
    before = first["resources"].keys() | first["instructions"].keys() | {*first.get("differing", ())}
    return {
        **first,
        "resources": resources,
        "instructions": instructions,
        "differing": sorted(
            {*first.get("differing", ()), *(before - resources.keys() - instructions.keys())}
        ),
        "lines": [
            [function, line, _same(counts, lines.get((function, line), {}))]
            for function, line, counts in first["lines"]
        ],
        "promotions": [one for one in first["promotions"] if one in other["promotions"]],
        "narrowings": [one for one in first["narrowings"] if one in other["narrowings"]],
    }


def _same(first: Json, second: Json) -> Json:
    return {name: value for name, value in first.items() if name in second and second[name] == value}
