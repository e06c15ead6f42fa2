"""Which local arrays the machine code keeps in local memory, by the lines that load or store there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TypeAlias

from advisor.model.records import Record

_Line: TypeAlias = tuple[str, int]
_COUNTS = ("local_loads", "local_stores")


def note_local_traffic(merged: Mapping[str, Mapping[str, Record]]) -> None:
    """Note of each local array that is indexed at run time whether some line that meets no other
    such array uses local memory. It stays unknown where there is no such line.
    """
    arrays: dict[str, dict[str, Record]] = defaultdict(dict)
    for record in merged.get("array", {}).values():
        if record.owner and record.value("space") == "local" and record.value("dynamic_index"):
            arrays[record.owner][record.label] = record
    used = _lines_with_local_memory(merged, arrays)
    met: dict[str, dict[_Line, set[str]]] = defaultdict(lambda: defaultdict(set))
    for access in merged.get("access", {}).values():
        name = str(access.value("array"))
        if access.owner in used and name in arrays[access.owner]:
            met[access.owner][access.path, access.span.line].add(name)
    for kernel, lines in met.items():
        for name, record in arrays[kernel].items():
            alone = [line for line, names in lines.items() if names == {name}]
            if alone:
                record.know("compiled", local_traffic=any(line in used[kernel] for line in alone))


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
