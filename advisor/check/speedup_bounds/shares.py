"""How the time of a run is shared among its kernels, from the tables of a check."""

from __future__ import annotations

from advisor.evidence.metrics.tables import Table, Tables, kernel_tables


def time_shares(tables: Tables) -> dict[str | None, float]:
    """The share of each kernel, by name, in the time of all whose times are known; empty where fewer than all
    launched kernels have one.
    """
    times: dict[str | None, float] = {}
    rows = [(table, row) for table in kernel_tables(tables) for row in range(len(table))]
    for kernels, row in rows:
        name, launches = kernels.labels[row], _number(kernels, "launches", row)
        if launches is None:
            continue
        each = _number(kernels, "time_mean_ms", row)
        if each is None:
            # Predicted is one launch of several that differ: all take as long as so many like it.
            each = _number(kernels, "predicted_ms", row)
            launches = _number(kernels, "launches_as_long", row) or launches
        if each is None:
            return {}
        times[name] = times.get(name, 0.0) + each * launches
    total = sum(times.values())
    return {name: time / total for name, time in times.items()} if total > 0.0 else {}


def _number(table: Table, name: str, row: int) -> float | None:
    column = table.columns.get(name)
    if column is None or column.source(row) is None or isinstance(column.values[row], str):
        return None
    return float(column.values[row])
