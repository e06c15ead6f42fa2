"""The SQLite export of Nsight Systems: kernels, copies, calls and NVTX ranges, of several versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from advisor.evidence.measured.reports.cuda_calls import direction, is_pageable
from advisor.evidence.measured.reports.reading.sqlite_tables import Export
from advisor.evidence.measured.reports.report import Extent, ImportedReport, Quantity
from advisor.evidence.measured.reports.timelines.nvtx_ranges import ranges_of_launches
from advisor.evidence.measured.reports.timelines.run_totals import RunTotals, span_of
from advisor.evidence.measured.reports.timelines.timeline import Busy, LaunchGroups
from advisor.model.errors import UsageError

NAME = "Nsight Systems SQLite export"
_MAGIC = b"SQLite format 3\0"
_KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
_COPIES = "CUPTI_ACTIVITY_KIND_MEMCPY"
_FILLS = "CUPTI_ACTIVITY_KIND_MEMSET"
_CALLS = ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER")
_GPUS = "TARGET_INFO_GPU"
_KERNEL_VALUES = {
    "registersPerThread": "register/thread",
    "staticSharedMemory": "byte/block",
    "dynamicSharedMemory": "byte/block",
    **{f"grid{axis}": "block" for axis in "XYZ"},
    **{f"block{axis}": "thread" for axis in "XYZ"},
}
_NANOSECONDS = 1e-6


def recognises(path: Path, head: bytes) -> bool:
    """Whether the file is a database of SQLite."""
    del path
    return head.startswith(_MAGIC)


def read(path: Path) -> ImportedReport:
    """What the export holds. Raises UsageError for a database of something else or a damaged one."""
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        ) as connection:
            return _read(Export(connection), path)
    except sqlite3.Error as error:
        raise UsageError(f"{path}: the database cannot be read: {error}.") from None


def _read(export: Export, path: Path) -> ImportedReport:
    if "StringIds" not in export.tables or not {_KERNELS, _COPIES, *_CALLS} & set(export.tables):
        raise UsageError(
            f"{path}: this SQLite file is no export of Nsight Systems with CUDA events; "
            "make one with `nsys profile --trace=cuda,nvtx` and `nsys export --type sqlite`."
        )
    totals, groups = RunTotals(), LaunchGroups()
    notes: list[str] = []
    device = _device(export)
    spans = [*_kernels(export, groups, totals, device, notes), *_copies(export, totals, notes)]
    spans += _calls(export, totals, notes)
    totals.device = _device_time(export)
    totals.span = span_of(spans)
    launches = groups.launches()
    totals.names = len({one.name for one in launches})
    totals.launches = sum(one.launches for one in launches)
    return ImportedReport(
        tool="nsys",
        launches=launches,
        run=totals.values(),
        device=device[0],
        capability=device[2],
        command=_capture(export).get("COMMAND_LINE", ""),
        toolchain=_versions(export),
        host=totals.host(),
        notes=tuple(notes),
        columns=tuple(name for name in _KERNEL_VALUES if name in export.tables.get(_KERNELS, ())),
    )


def _kernels(
    export: Export,
    groups: LaunchGroups,
    totals: RunTotals,
    device: tuple[str | None, int | None, str | None],
    notes: list[str],
) -> Iterator[tuple[float, float]]:
    """The stretch that the kernels take; counts them."""
    if _KERNELS not in export.tables:
        notes.append("The export holds no kernels.")
        return
    names = export.first_column(_KERNELS, ("demangledName", "shortName", "mangledName"))
    absent = [name for name in _KERNEL_VALUES if name not in export.tables[_KERNELS]]
    if absent:
        notes.append(f"This version of the export lacks {', '.join(absent)} of kernels.")
    ranges = ranges_of_launches(export, _KERNELS, _CALLS)
    if ranges is None:
        notes.append("The export holds no NVTX ranges that kernels could belong to.")
    columns = [*_KERNEL_VALUES, names, "correlationId", "globalPid"]
    union, sms = Busy(), device[1]
    for start, end, *row in export.rows(_KERNELS, ("start", "end", *columns), order="start"):
        values = dict(zip(columns, row, strict=True))
        union.add(start, end)
        shape = (
            export.text(values[names]) or "(unknown kernel)",
            _extent(values, "grid"),
            _extent(values, "block"),
            int(values["dynamicSharedMemory"] or 0),
            ranges.around(values["globalPid"], values["correlationId"], start) if ranges else (),
        )
        groups.add(
            shape,
            (end - start) * _NANOSECONDS,
            _quantities(values, sms) if shape not in groups.groups else {},
        )
    totals.kernels = union
    if union.first is not None:
        yield union.first, union.end


def _quantities(values: dict[str, int | None], sms: int | None) -> dict[str, Quantity]:
    found = {
        name: Quantity(float(number), unit)
        for name, unit in _KERNEL_VALUES.items()
        if (number := values[name]) is not None
    }
    return {**found, "smCount": Quantity(float(sms), "SM")} if sms else found


def _extent(values: dict[str, int | None], which: str) -> Extent | None:
    x, y, z = (values[f"{which}{axis}"] for axis in "XYZ")
    return None if x is None or y is None or z is None else (x, y, z)


def _copies(export: Export, totals: RunTotals, notes: list[str]) -> Iterator[tuple[float, float]]:
    if _FILLS in export.tables:
        totals.fills = float(sum(end - start for start, end in export.rows(_FILLS, ("start", "end"))))
    elif _KERNELS in export.tables or _COPIES in export.tables:
        totals.fills = 0.0
    # Tables are made where there are rows for them: without copies there is none.
    totals.saw_copies = _KERNELS in export.tables or _COPIES in export.tables
    if _COPIES not in export.tables:
        return
    ways, kinds = export.enumeration("ENUM_CUDA_MEMCPY_OPER"), export.enumeration("ENUM_CUDA_MEM_KIND")
    totals.saw_memory_kinds = {"srcKind", "dstKind"} <= set(export.tables[_COPIES])
    if not totals.saw_memory_kinds:
        notes.append("This version of the export does not tell which copies use pageable memory.")
    first, last = None, 0.0
    columns = ("start", "end", "copyKind", "bytes", "srcKind", "dstKind")
    unions: dict[str, Busy] = {}
    for start, end, kind, size, source, target in export.rows(_COPIES, columns, order="start"):
        way = direction(ways.get(kind) or str(kind)) or "other"
        unions.setdefault(way, Busy()).add(start, end)
        totals.copied_bytes[way] += size or 0
        if any(one is not None and is_pageable(kinds.get(one) or str(one)) for one in (source, target)):
            unions.setdefault("pageable", Busy()).add(start, end)
        first, last = start if first is None else min(first, start), max(last, end)
    # Copies of several streams overlap: what counts is the time in which one is under way.
    totals.copies.update({way: union.covered for way, union in unions.items()})
    if first is not None:
        yield first, last


def _calls(export: Export, totals: RunTotals, notes: list[str]) -> Iterator[tuple[float, float]]:
    tables = [table for table in _CALLS if table in export.tables]
    if not tables:
        notes.append("The export holds no calls of the CUDA runtime or driver.")
    for table in tables:
        first, last = export.edges(table)
        for name, number, spent, thread in export.calls(table):
            totals.call(name, spent, number, thread)
        if first is not None and last is not None:
            yield first, last


def _device_time(export: Export) -> Busy | None:
    """Kernels, copies and fills together; the first device's, since another may work in its gaps."""
    tables = [table for table in (_KERNELS, _COPIES, _FILLS) if table in export.tables]
    if not tables:
        return None
    union = Busy()
    for start, end in export.stretches(tables):
        union.add(start, end)
    return union


def _device(export: Export) -> tuple[str | None, int | None, str | None]:
    """The name of the first GPU, its multiprocessors and its compute capability."""
    if _GPUS not in export.tables:
        return None, None, None
    rows = export.rows(_GPUS, ("name", "smCount", "computeMajor", "computeMinor"))
    name, sms, major, minor = next(rows, (None, None, None, None))
    name = name if isinstance(name, str) else None
    return name, sms, None if major is None or minor is None else f"{major}.{minor}"


def _capture(export: Export) -> dict[str, str]:
    if "META_DATA_CAPTURE" not in export.tables:
        return {}
    return {str(name): str(value) for name, value in export.rows("META_DATA_CAPTURE", ("name", "value"))}


def _versions(export: Export) -> dict[str, str]:
    found = {}
    for table in ("META_DATA_EXPORT", "META_DATA_CAPTURE"):
        if table in export.tables:
            for name, value in export.rows(table, ("name", "value")):
                if name in ("EXPORT_PRODUCT_VERSION", "EXPORT_SCHEMA_VERSION", "PRODUCT_VERSION"):
                    found[f"nsys {str(name).lower().replace('_', ' ')}"] = str(value)
    return found
