"""The process that times one version of a workload, again and again, when it is asked to.

The first line of standard input is the request as JSON; each further line asks for one run of the workload
and is answered by a line of JSON: the seconds of each kernel's launches, or what went wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.launches.processes.worker import import_file
from advisor.evidence.simulated.launches.recording.gpu_launches import GpuLaunches
from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
from advisor.model.devices import find_device


class _Stopwatch:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, outcome: Outcome) -> None:
        name = outcome.note.function
        self.seconds[name] = self.seconds.get(name, 0.0) + outcome.seconds


def main() -> None:
    """Answer requests until standard input ends."""
    # What the workload prints is not to lie between the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    request = json.loads(sys.stdin.readline())
    watch = _Stopwatch()
    finish = _listen(watch, request)
    workload: Callable[[], Any] | None = None
    for _ in sys.stdin:
        watch.seconds = {}
        answer: dict[str, Any] = {"seconds": watch.seconds}
        try:
            if workload is None:
                workload = getattr(import_file(Path(request["root"]) / request["path"]), request["name"])
            workload()
            finish()
        except (Exception, SystemExit) as error:
            answer = {"problem": f"{type(error).__name__}: {error}".splitlines()[0]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _listen(watch: _Stopwatch, request: dict[str, Any]) -> Callable[[], None]:
    """What hands on the launches of a run; until then they are noted, on a GPU or on the simulated one."""
    if request["gpu"]:
        launches = GpuLaunches(watch, [])
        launches.install()
        return launches.finish
    from advisor.evidence.simulated.driver.device_properties import device_properties
    from advisor.evidence.simulated.driver.install import install

    device = find_device(request["device"])
    install(SimtExecutor(device, watch, Limits(threads=1)), device_properties(device))
    return lambda: None


if __name__ == "__main__":
    main()
