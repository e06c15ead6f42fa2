"""A run of the history that grows while a GPU is watched."""

from __future__ import annotations

from advisor.cli.monitoring.watch import Watch, host_content
from advisor.evidence.measured.nvml import Sample
from advisor.model.history.store import HistoryStore
from advisor.runs.comparison.numbers import comparing_numbers


class Recording:
    """Keeps the samples of a watch; every few of them go to the disk, so that a kill loses no more."""

    def __init__(self, store: HistoryStore, watch: Watch) -> None:
        self.number = store.begin(watch.run_facts)
        self._store, self._watch = store, watch
        self._samples: list[Sample] = []

    def add(self, sample: Sample) -> None:
        """Take one more sample."""
        self._samples.append(sample)
        if len(self._samples) % comparing_numbers().monitor.keep_every == 0:
            self._write("running")

    def end(self, note: str = "") -> None:
        """Note that the recording ended, with what ended it early."""
        self._write("done", note)
        self._store.close()

    def _write(self, status: str, note: str = "") -> None:
        host = host_content(self._watch.facts, self._samples)
        notes = [note] if note else []
        self._store.end(self.number, self._watch.metrics(), notes, host, status)
