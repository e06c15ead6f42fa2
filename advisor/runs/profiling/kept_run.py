"""A run that goes to the history kernel by kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from advisor.model.errors import AdvisorError
from advisor.model.history.fingerprint import Fingerprint, RunFacts
from advisor.model.history.store import HistoryStore
from advisor.model.records import Value


class KeptRun:
    """Keeps fingerprints as they come. When the store fails, what was kept stays, `problem` says why, and the
    profile goes on. Without a store nothing is kept.
    """

    def __init__(self, store: HistoryStore | None, facts: RunFacts) -> None:
        self.number: int | None = None
        self.problem = ""
        self._store = store
        self._ended = False
        if store is not None:
            try:
                self.number = store.begin(facts)
            except AdvisorError as error:
                self._fail(error)

    def __enter__(self) -> KeptRun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._ended:
            self.end({}, ["The profile was aborted."], {}, "broken off")
        if self._store is not None:
            self._store.close()

    def add(self, fingerprints: Sequence[Fingerprint]) -> None:
        """Keep fingerprints, each on the disk when this returns."""
        if self._store is None or self.number is None or self.problem:
            return
        try:
            for one in fingerprints:
                self._store.add(self.number, one)
        except AdvisorError as error:
            self._fail(error)

    def end(
        self, metrics: Mapping[str, Value], notes: Sequence[str], host: Mapping[str, Any], status: str
    ) -> None:
        """Note how the run ended."""
        self._ended = True
        if self._store is None or self.number is None or self.problem:
            return
        try:
            self._store.end(self.number, metrics, notes, host, status)
        except AdvisorError as error:
            self._fail(error)

    def _fail(self, error: AdvisorError) -> None:
        self.problem = str(error)
