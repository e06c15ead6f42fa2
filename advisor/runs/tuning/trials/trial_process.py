"""The process that runs trials: imports Numba once, and forks for each configuration.

Reads requests as JSON, one a line, from standard input and answers each with a line. The first line names the
device, a folder for machine code and the seconds that a launch may take. A trial sees nothing of another.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.evidence.metrics.predicted_times import PredictedTimes
from advisor.evidence.simulated.launches.processes.program_worker import keep_to_copy
from advisor.evidence.simulated.launches.processes.worker import import_file
from advisor.evidence.simulated.launches.recording.script import run_program
from advisor.evidence.simulated.launches.workloads import file_hash
from advisor.model.devices import Device, find_device
from advisor.model.errors import AdvisorError
from advisor.model.storage.cache import Cache
from advisor.runs.tuning.trials.candidate_modules import CandidateFinder
from advisor.runs.tuning.trials.launch_outputs import OutputComparer, OutputKeeper
from advisor.runs.tuning.trials.watched_launches import WatchedExecutor

if TYPE_CHECKING:
    from advisor.runs.tuning.triton.forced import ForcedConfiguration

_SECONDS_BETWEEN_LOOKS = 0.005


def main() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What workloads read and print must not meet what is said here.
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    setup = json.loads(requests.readline())
    try:
        executor = _installed(setup)
    except AdvisorError as error:
        _say(answers, {"problem": str(error)})
        return
    _say(answers, {"problem": ""})
    for line in requests:
        request = json.loads(line)
        _say(answers, _forked(executor, request))


def _say(answers: Any, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _installed(setup: dict[str, Any]) -> WatchedExecutor:
    from advisor.evidence.simulated.driver.device_properties import device_properties
    from advisor.evidence.simulated.driver.install import install

    device = find_device(setup["device"])
    executor = WatchedExecutor(device, setup["seconds"], Cache(Path(setup["code"])))
    install(executor, device_properties(device), PredictedTimes(device))
    from numba.core.errors import NumbaPerformanceWarning

    warnings.simplefilter("ignore", NumbaPerformanceWarning)
    if setup["triton"]:
        _import_triton()
    else:
        _warm_up(device)
    return executor


def _warm_up(device: Device) -> None:
    """Compile a kernel, by which Numba loads what the forked processes would load one by one.

    It must not touch the device: a process that was forked after the first use of CUDA cannot use it.
    """
    from numba import cuda

    def copy(source, target):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < source.shape[0]:
            target[i] = source[i]

    major, minor = device.compute_capability.split(".")
    options = {"device": False, "abi": "numba", "output": "ptx", "lineinfo": True}
    cuda.compile(copy, "void(float32[::1], float32[::1])", cc=(int(major), int(minor)), **options)


def _import_triton() -> None:
    """Load Triton, which each forked process needs; raises AdvisorError where it is not installed."""
    try:
        importlib.import_module("triton")
    except ImportError as error:
        raise AdvisorError(
            f"Triton cannot be imported ({error}): pip install 'kernel-advisor[triton]'."
        ) from None


def _forked(executor: WatchedExecutor, request: dict[str, Any]) -> dict[str, Any]:
    """The answer of a child process, or how it ended without one."""
    answer = Path(request["answer"])
    answer.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            answer.write_text(json.dumps(_trial(executor, request)), encoding="utf-8")
            status = 0
        finally:
            os._exit(status)
    deadline = time.monotonic() + request["seconds"]
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            said = f"it did not end within {request['seconds']:.3g} s"
            return {"problem": said, "timed_out": True}
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    if status != 0 or not answer.is_file():
        code = os.waitstatus_to_exitcode(status)
        return {"problem": f"its process ended with status {code}"}
    found: dict[str, Any] = json.loads(answer.read_text("utf-8"))
    return found


def _trial(executor: WatchedExecutor, request: dict[str, Any]) -> dict[str, Any]:
    """What came of the workloads with some files changed."""
    CandidateFinder({Path(file): Path(copy) for file, copy in request["copies"]}).install()
    folder = Path(request["outputs"])
    outputs: OutputKeeper | OutputComparer
    if request["keep"]:
        outputs = OutputKeeper(folder, request["keep"])
    else:
        outputs = OutputComparer(folder, request["tolerance"])
    executor.outputs = outputs
    forced = _forced(request)
    try:
        for file, name in request["workloads"]:
            getattr(import_file(Path(file)), name)()
        if request.get("program"):
            _run_program(request["program"], folder.parent)
    except (Exception, SystemExit) as error:
        return {"problem": executor.fault or _last_words(error)}
    outputs.close()
    return {
        "problem": "",
        **(forced.seen() if forced is not None else {}),
        "difference": getattr(outputs, "difference", ""),
        "deviation": getattr(outputs, "deviation", 0.0),
        "kernels": executor.kernels(),
        "defects": executor.defects,
        "inputs": _inputs(Path(request["root"])),
    }


def _forced(request: Mapping[str, Any]) -> ForcedConfiguration | None:
    """What holds a Triton kernel to one configuration, installed; None where nothing is asked of one."""
    if not request.get("forced"):
        return None
    from advisor.runs.tuning.triton.forced import ForcedConfiguration

    forced = ForcedConfiguration(**request["forced"])
    forced.install()
    return forced


def _run_program(program: Mapping[str, Any], folder: Path) -> None:
    """Run a recorded program in a copy of its project; raises what it raises, but for a good end.

    It writes only into the copy and into a folder.
    """
    keep_to_copy(Path(program["original"]), Path(program["copy"]), folder, [])
    os.chdir(program["folder"])
    try:
        run_program(program["target"], program["arguments"], program["module"])
    except SystemExit as end:
        if end.code not in (None, 0):
            raise


def _last_words(error: BaseException) -> str:
    if isinstance(error, AdvisorError):
        return str(error)
    lines = f"{type(error).__name__}: {error}".splitlines()
    return lines[0]


def _inputs(root: Path) -> dict[str, str]:
    """The files below the root that are imported now, with their hashes."""
    folder = f"{root.resolve()}{os.sep}"
    found = {}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.startswith(folder) and "site-packages" not in file:
            known = file_hash(Path(file))
            if known:
                found[file[len(folder) :]] = known
    return found


if __name__ == "__main__":
    main()
