"""Which kernels of the history the source still has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from advisor.model.history.fingerprint import Run
from advisor.model.settings.check_options import CheckOptions
from advisor.runs.comparison.ranking.kernel_places import KernelPlaces


def without_gone(runs: Sequence[Run], options: CheckOptions) -> tuple[list[Run], list[str]]:
    """The runs without kernels that their file no longer has, and the names of those.

    Where none of the kernels is in the source, as on another machine, all are kept.
    """
    places = KernelPlaces(options.settings.root, options.root)
    kept, gone = [], []
    for run in runs:
        those = []
        for one in run.fingerprints:
            if places.state(one) == "gone":
                gone.append(f"{places.shown(one.identity.path or '')}: {one.identity.name}")
            else:
                those.append(one)
        kept.append(replace(run, fingerprints=tuple(those)))
    present = [run for run in kept if run.fingerprints]
    return (present, list(dict.fromkeys(gone))) if present else (list(runs), [])
