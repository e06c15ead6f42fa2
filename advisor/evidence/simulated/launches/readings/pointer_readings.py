"""What counts, and the language, say of accesses through pointers, as kernels in CUDA C++ make them.

A pointer has no rows or axes that an advice could exchange, and a load that the compiler left is executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from advisor.evidence.simulated.launches.readings.line_readings import Move, by_place
from advisor.evidence.simulated.simt.counts import WARP, AccessCounts, Statistics
from advisor.model.records import LineReading, Value

# `tile` in the kernel `blur` is `_ZZ4blurE4tile` in its PTX (the Itanium C++ ABI's "local-name").
_LOCAL = re.compile(r"(?=E(\d+)([A-Za-z_]\w*)\Z)")

_OF_POINTERS: dict[str, Value | None] = {
    "in_row": False,
    "row_handed_on": False,
    "fast_axis_thread": False,
    "repeated": False,
}


def pointer_readings(lines: Iterable[LineReading], counted: Statistics, move: Move) -> Iterator[LineReading]:
    """The readings of lines, those of accesses with what holds for pointers and for the lanes counted."""
    places = {
        (*move(path, line), array, space): counts
        for (path, line, array, space), counts in by_place(counted.accesses).items()
    }
    for one in lines:
        counts = places.get((one.path, one.line, one.array, one.space), [])
        if one.entity not in ("access", "atomic"):
            yield one
            continue
        array = plain_name(one.array)
        known: dict[str, Value | None] = {"space": one.space, "array": array or None}
        if one.entity == "access":
            known |= {"kind": one.kind, **_OF_POINTERS}
        yield replace(
            one,
            array=array,
            values={**one.values, **known, **_lanes([it for it in counts if _is_of(it, one)])},
        )


def plain_name(name: str) -> str:
    """The name of a variable of a kernel as its C++ has it, of a mangled one; others as they are."""
    if name.startswith("_ZZ"):
        for found in _LOCAL.finditer(name):
            plain, behind = found[2][: int(found[1])], found[2][int(found[1]) :]
            if len(plain) == int(found[1]) and re.fullmatch(r"(_\d+)?", behind):
                return plain
    return name


def _is_of(counts: AccessCounts, reading: LineReading) -> bool:
    return counts.kind == reading.kind or (reading.kind == "update" and counts.kind in ("load", "store"))


def _lanes(counts: list[AccessCounts]) -> dict[str, Value | None]:
    """Whether one lane alone takes part; a warp of which half the lanes and more do it is not sparse."""
    requests, lanes = sum(one.requests for one in counts), sum(one.lanes for one in counts)
    if not requests:
        return {}
    sparse = False if 2 * lanes >= WARP * requests and counts[0].kind != "atomic" else None
    return {"single_thread": lanes <= requests, **({} if sparse is None else {"sparse": sparse})}
