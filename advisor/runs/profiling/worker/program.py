"""The process that runs the workloads of one file again and again, when it is asked to, and times them.

The first line of standard input is the request as JSON; the answer names the GPU, or what went wrong. Each
further line asks for one run of a workload and is answered by a line of JSON.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.launches.processes.worker import import_file, last_words, quiet
from advisor.runs.profiling.gpu.timed_calls import TimedCalls
from advisor.runs.profiling.worker.described_kernels import KernelDescriber

_MOST_WORDS = 300


class _Answers:
    """Lines of JSON; what workloads read and print does not meet them."""

    def __init__(self) -> None:
        self._answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self.requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(2, 1)

    def say(self, answer: dict[str, Any]) -> None:
        self._answers.write(json.dumps(answer) + "\n")
        self._answers.flush()


def _heard_by_nobody(outcome: Outcome) -> None:
    del outcome


def main() -> None:
    """Answer requests until standard input ends."""
    lines = _Answers()
    request = json.loads(lines.requests.readline())
    try:
        work = Work(request)
        lines.say({"gpu": work.gpu()})
    except Exception as error:
        # Numba tells in the second line and those behind it what is wrong with the driver.
        lines.say({"problem": " ".join(f"{type(error).__name__}: {error}".split())[:_MOST_WORDS]})
        return
    for line in lines.requests:
        try:
            lines.say(work.run(json.loads(line)))
        except (Exception, SystemExit) as error:
            lines.say({"problem": last_words(error)})


class Work:
    """Workloads of one file, ready to run; `calls` sees their launches."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.file = Path(request["root"]) / request["path"]
        self.recorder: Any = None
        if request["simulate"]:
            self._simulate(request)
        quiet()
        describe = KernelDescriber(Path(request["root"]))
        self.calls = TimedCalls(describe, int(request["most_events"]))
        self.calls.install()
        self.told = 0

    def _simulate(self, request: dict[str, Any]) -> None:
        """Run kernels on the SIMT machine from here on; their counts go to the request's folder."""
        from advisor.evidence.simulated.driver.device_properties import device_properties
        from advisor.evidence.simulated.driver.install import install
        from advisor.evidence.simulated.launches.recording.recorder import Recorder
        from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
        from advisor.evidence.simulated.launches.store import LaunchStore
        from advisor.model.devices import find_device
        from advisor.model.storage.cache import user_cache

        device = find_device(request["simulate"])
        listen: Callable[[Outcome], None] = _heard_by_nobody
        if request.get("folder"):
            store = LaunchStore(Path(request["root"]), Path(request["folder"]))
            listen = self.recorder = Recorder(store, store.begin_run(request["path"], device.id, "simt"))
        cache = user_cache() if request["cache"] else None
        install(SimtExecutor(device, listen, Limits(threads=1), cache), device_properties(device))

    def gpu(self) -> dict[str, Any]:
        """The GPU and the versions of what drives it; raises what Numba does where there is none."""
        from numba import cuda
        from numba.cuda.cudadrv import driver

        device = cuda.get_current_device()
        name = device.name
        major, minor = driver.driver.get_version()
        return {
            "name": name.decode() if isinstance(name, bytes) else str(name),
            "uuid": str(getattr(device, "uuid", "")),
            "cuda_of_driver": f"{major}.{minor}",
        }

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """What one run of a workload gave; without `timed` its wall time only."""
        from numba import cuda

        workload = getattr(import_file(self.file), request["name"])
        timed, calls = bool(request["timed"]), self.calls
        cuda.synchronize()
        begin = time.perf_counter()
        if timed:
            calls.begin()
        try:
            workload()
            cuda.synchronize()
            wall = (time.perf_counter() - begin) * 1e3
        finally:
            launches, copies = calls.finish() if timed else ([], [])
            if self.recorder is not None:
                self.recorder.close()
        new, self.told = calls.kernels[self.told :], len(calls.kernels)
        return {
            "wall": wall,
            "launches": launches,
            "copies": copies,
            "kernels": new,
            "untimed": calls.untimed if timed else 0,
        }


if __name__ == "__main__":
    main()
