"""How the time of a run is shared among its kernels, from the tables of a check."""

from __future__ import annotations

from collections import defaultdict

from advisor.evidence.metrics.tables import Table, Tables, kernel_tables

_Kernel = tuple[str, str, int]


def time_shares(tables: Tables) -> dict[str | None, float]:
    """The share of each kernel, by name, in the time of all whose times are known; empty where fewer than all
    launched kernels have one.

    Each shape of a measured kernel is a row, with the time of all its launches: that counts once. Kernels of
    a run that have no row here, since they stand in no file that was looked at, count with the run's.
    """
    times: dict[_Kernel, float] = {}
    for table in kernel_tables(tables):
        for row in range(len(table)):
            if _number(table, "launches", row) is None:
                continue
            time = _number(table, "latency_ms", row)
            who = table.labels[row], table.paths[row], int(table.owners[row])
            if time is not None:
                times[who] = time
                continue
            each = _predicted(table, row)
            if each is None:
                return {}
            times[who] = times.get(who, 0.0) + each
    total = sum(times.values()) + _elsewhere(tables, times)
    found: dict[str | None, float] = defaultdict(float)
    for (name, _, _), time in times.items():
        found[name] += time / total if total > 0.0 else 0.0
    return dict(found) if total > 0.0 else {}


def _predicted(table: Table, row: int) -> float | None:
    """The time of all launches of a kernel, in ms, by that of one."""
    launches = _number(table, "launches", row) or 0.0
    each = _number(table, "time_mean_ms", row)
    if each is None:
        # Predicted is one launch of several that differ: all take as long as so many like it.
        each = _number(table, "predicted_ms", row)
        launches = _number(table, "launches_as_long", row) or launches
    return None if each is None else each * launches


def _elsewhere(tables: Tables, times: dict[_Kernel, float]) -> float:
    """The time of kernels that have no row, of the runs that kernels with a row belong to."""
    runs = tables.get("run")
    if runs is None:
        return 0.0
    own: dict[int, float] = defaultdict(float)
    for (_, _, run), time in times.items():
        own[run] += time
    known = ((_number(runs, "kernels_ms", run), time) for run, time in own.items() if run >= 0)
    return sum(max(0.0, whole - time) for whole, time in known if whole is not None)


def _number(table: Table, name: str, row: int) -> float | None:
    column = table.columns.get(name)
    if column is None or column.source(row) is None or isinstance(column.values[row], str):
        return None
    return float(column.values[row])
