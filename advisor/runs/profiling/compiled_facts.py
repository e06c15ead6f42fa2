"""What the compiler knows of kernels, for the occupancy that predicted times rest on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from advisor.check.pipeline import gather
from advisor.model.records import Reading
from advisor.model.settings.check_options import CheckOptions


class CompiledFacts:
    """The readings of kernels by path and name; files are compiled when they are first asked for."""

    def __init__(self, options: CheckOptions) -> None:
        self._options = replace(
            options,
            root=options.settings.root,
            evidence="compiled",
            no_run=True,
            workspace_files=(),
            stdin=None,
        )
        self._known: set[str] = set()
        self._readings: dict[tuple[str, str], dict[str, Reading]] = {}

    def prepare(self, paths: Iterable[str]) -> None:
        """Compile the kernels of files (paths from the root) that were not asked for yet."""
        root = self._options.root
        new = sorted(path for path in set(paths) - self._known if (root / path).is_file())
        self._known.update(new)
        if not new:
            return
        tables, _, _ = gather([root / path for path in new], self._options)
        table = tables.get("kernel")
        if table is None:
            return
        for row, (path, name) in enumerate(zip(table.paths, table.labels, strict=True)):
            found = self._readings.setdefault((path, name), {})
            for metric, column in table.columns.items():
                source = column.source(row)
                if source == "compiled":
                    value = column.values[row]
                    found[metric] = Reading(
                        value if isinstance(value, str) else float(value),
                        source,
                        column.assumptions.get(row, ()),
                    )

    def readings(self, path: str, name: str) -> dict[str, Reading]:
        """What the compiler gave for a kernel, empty for one that it does not know."""
        return dict(self._readings.get((path, name), {}))
