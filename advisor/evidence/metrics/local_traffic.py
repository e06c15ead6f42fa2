"""Which local arrays the machine code keeps in local memory, by the lines that load or store there, and
whether all that may lie there find room.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from advisor.model.records import Record

_Line: TypeAlias = tuple[str, int]
_COUNTS = ("local_loads", "local_stores")


def note_local_traffic(merged: Mapping[str, Mapping[str, Record]]) -> None:
    """Note of each local array that is indexed at run time whether some line that meets no other such array
    uses local memory: it does not where none of its lines does. It stays unknown where only lines use it that
    meet others too. Of those that it stays unknown of: whether they are too large together.
    """
    arrays: dict[str, dict[object, Record]] = defaultdict(dict)
    for record in merged.get("array", {}).values():
        if record.owner and record.value("space") == "local" and record.value("dynamic_index"):
            arrays[record.owner][record.value("array_number")] = record
    used = _lines_with_local_memory(merged, arrays)
    met: dict[str, dict[_Line, set[object]]] = defaultdict(lambda: defaultdict(set))
    for access in merged.get("access", {}).values():
        number = access.value("array_number")
        if access.owner in used and number in arrays[access.owner]:
            met[access.owner][access.path, access.span.line].add(number)
    for kernel, lines in met.items():
        for one, record in arrays[kernel].items():
            own = [line for line, numbers in lines.items() if one in numbers]
            alone = [line for line in own if lines[line] == {one}]
            if own and (alone or not used[kernel].intersection(own)):
                record.know("compiled", local_traffic=any(line in used[kernel] for line in alone))
    for kernel, those in arrays.items():
        if (owner := merged.get("kernel", {}).get(kernel)) is not None:
            _note_what_has_no_room(owner, [*those.values()])


def _note_what_has_no_room(kernel: Record, arrays: Iterable[Record]) -> None:
    """Note of arrays of which no line tells where they lie whether local memory has room for all that may."""
    left, spilled = kernel.value("local_bytes"), kernel.value("spill_store_bytes")
    if not isinstance(left, int | float):
        return
    room = left - (spilled if isinstance(spilled, int | float) else 0.0)
    there = [one for one in arrays if one.value("local_traffic") is not False]
    sizes = [size for one in there if isinstance(size := one.value("bytes"), int | float)]
    for one in there:
        if one.value("local_traffic") is None:
            one.know("compiled", without_room=sum(sizes) > room)


def _lines_with_local_memory(
    merged: Mapping[str, Mapping[str, Record]], kernels: Mapping[str, object]
) -> dict[str, set[_Line]]:
    """For each of the kernels that was compiled the lines with loads or stores of local memory."""
    found: dict[str, set[_Line]] = {}
    for line in merged.get("line", {}).values():
        counts = [line.readings.get(name) for name in _COUNTS]
        if line.owner and line.owner in kernels and any(counts):
            lines = found.setdefault(line.owner, set())
            if any(count is not None and count.value for count in counts):
                lines.add((line.path, line.span.line))
    return found
