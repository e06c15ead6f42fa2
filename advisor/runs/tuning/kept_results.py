"""Searches that were made before, by the text of the kernel, the problem's size and the device."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor import __version__
from advisor.evidence.simulated.launches.workloads import file_hash
from advisor.model.storage.cache import Cache
from advisor.runs.tuning.trials.trials import Trial, as_data, from_data

_Arguments = list[list[Any]]


@dataclass(frozen=True)
class KeptSearch:
    """A search as it is kept: its trials, the present one first, whether it came to its end, in which time.

    `arguments` are the names, types and shapes of the kernel's arguments: the problem's size.
    """

    trials: list[Trial]
    complete: bool
    seconds: float
    arguments: _Arguments

    def serves(self, seconds: float) -> bool:
        """Whether a new search within some seconds would know no more."""
        return self.complete or seconds <= self.seconds


class KeptSearches:
    """The kept searches of one kernel for one device.

    Two entries are kept: the size that the kernel was last launched with, found as long as no file below
    `project` that the workload imported has changed, and the search for these files and that size.
    """

    def __init__(self, cache: Cache, project: Path, question: Mapping[str, Any]) -> None:
        self._cache, self._project = cache, project
        self._question = {**question, "version": __version__}

    def load(self) -> KeptSearch | None:
        """The search for the files as they are now, None where there is none."""
        key = self._key("size")
        last: Any = self._cache.get_many([key]).get(key)
        try:
            inputs, arguments = dict(last["inputs"]), list(last["arguments"])
        except (TypeError, KeyError, ValueError):
            return None
        if any(file_hash(self._project / path) != known for path, known in inputs.items()):
            return None
        key = self._key("search", inputs, arguments)
        return _read(self._cache.get_many([key]).get(key))

    def store(self, inputs: Mapping[str, str], search: KeptSearch) -> None:
        """Keep a search, with the hashes of the files that it rests on."""
        value = {**vars(search), "trials": [as_data(trial) for trial in search.trials]}
        self._cache.put_many(
            {
                self._key("size"): {"inputs": dict(inputs), "arguments": search.arguments},
                self._key("search", dict(inputs), search.arguments): value,
            }
        )

    def _key(self, kind: str, *parts: Any) -> str:
        text = json.dumps([kind, self._question, *parts], sort_keys=True)
        return f"tune:{hashlib.sha256(text.encode()).hexdigest()}"


def _read(value: Any) -> KeptSearch | None:
    """The search of a kept value, None for anything else: the folder may be anybody's."""
    try:
        trials = [from_data(one) for one in value["trials"]]
        search = KeptSearch(
            trials, bool(value["complete"]), float(value["seconds"]), list(value["arguments"])
        )
    except (TypeError, KeyError, ValueError):
        return None
    return search if trials else None
