"""Two versions of a project timed side by side: runs in pairs, interleaved, on a GPU."""

from __future__ import annotations

import json
import selectors
import subprocess
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from advisor.evidence.simulated.launches.workloads import WorkloadFunction
from advisor.model.processes.units_of_work import Place
from advisor.runs.verification.numbers import verification_numbers
from advisor.runs.verification.shadow_tree import ShadowTree
from advisor.runs.verification.significance import Ratio, paired_ratio


class MeasurementFailed(Exception):
    """A version that could not be timed; the message says why."""


@dataclass(frozen=True)
class MeasuredPairs:
    """The times of the kernels of interest, in seconds, of each pair of runs, and their ratio."""

    before: tuple[float, ...]
    after: tuple[float, ...]
    ratio: Ratio


def measured_at(
    place: Place,
    versions: tuple[Mapping[str, str], Mapping[str, str]],
    workload: WorkloadFunction,
    kernels: Collection[str] | None,
    device: str,
    seconds: float,
    gpu: bool = True,
) -> MeasuredPairs:
    """The times as `measured_pairs` gives them, of a project where it lies."""
    with place.opened() as root:
        return measured_pairs(root, versions, workload, kernels, device, seconds, gpu=gpu)


class _Version:
    """A process that runs one version of a workload when asked to."""

    def __init__(
        self, root: Path, workload: WorkloadFunction, device: str, gpu: bool, seconds: float
    ) -> None:
        self._seconds = seconds
        self._process = subprocess.Popen(
            [sys.executable, "-m", "advisor.evidence.simulated.launches.processes.timed_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        request = {
            "root": str(root),
            "path": workload.path,
            "name": workload.name,
            "device": device,
            "gpu": gpu,
        }
        self._say(json.dumps(request))

    def __enter__(self) -> _Version:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise MeasurementFailed("its process ended") from None

    def seconds(self, kernels: Collection[str] | None) -> float:
        """The time of the launches of some kernels, of all for None, in one more run."""
        self._say("run")
        stream = self._process.stdout
        assert stream is not None
        with selectors.DefaultSelector() as waiting:
            waiting.register(stream, selectors.EVENT_READ)
            if not waiting.select(self._seconds):
                raise MeasurementFailed(f"it did not end within {self._seconds:g} s")
        line = stream.readline()
        if not line:
            raise MeasurementFailed("its process ended")
        answer: dict[str, Any] = json.loads(line)
        if "problem" in answer:
            raise MeasurementFailed(answer["problem"])
        found: dict[str, float] = answer["seconds"]
        return sum(value for name, value in found.items() if kernels is None or name in kernels)


def measured_pairs(
    root: Path,
    versions: tuple[Mapping[str, str], Mapping[str, str]],
    workload: WorkloadFunction,
    kernels: Collection[str] | None,
    device: str,
    seconds: float,
    gpu: bool = True,
) -> MeasuredPairs:
    """The times of two versions, given as texts in the place of files of a project; the first run of each,
    which compiles, does not count. Without `gpu` the simulated one is timed, which says nothing of a GPU.

    Raises MeasurementFailed where a version does not run to its end or launches none of the kernels.
    """
    numbers = verification_numbers()
    series: tuple[list[float], list[float]] = ([], [])
    with (
        ShadowTree(root, versions[0]) as first,
        ShadowTree(root, versions[1]) as second,
        _Version(first, workload, device, gpu, seconds) as before,
        _Version(second, workload, device, gpu, seconds) as after,
    ):
        both = (before, after)
        for number in range(-1, numbers.pairs):
            # Whichever runs second may find the device warmer, so they take turns.
            for side in (0, 1) if number % 2 == 0 else (1, 0):
                taken = both[side].seconds(kernels)
                if number >= 0:
                    series[side].append(taken)
    if min(*series[0], *series[1]) <= 0.0:
        raise MeasurementFailed("no launch of the kernel was timed")
    ratio = paired_ratio(*series, numbers.resamples, numbers.confidence)
    return MeasuredPairs(tuple(series[0]), tuple(series[1]), ratio)
