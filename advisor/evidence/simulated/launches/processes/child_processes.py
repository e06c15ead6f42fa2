"""Programs that a program under `advisor run` starts: their launches belong to the same run.

Python imports `sitecustomize` at its start; a folder with one of ours stands first on the children's path. It
waits for `numba.cuda`, CuPy, PyTorch and Triton, and costs nothing where none is imported.
"""

from __future__ import annotations

import atexit
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.model.processes.awaited_imports import after_import

if TYPE_CHECKING:
    from advisor.evidence.simulated.launches.recording.script import ScriptRequest

_VARIABLE = "KERNEL_ADVISOR_RUN"
_FOLDER = str(Path(__file__).resolve().parent / "child_start")
# What the GPU may be put into once its code has run, and what must find it there.
_BEHIND = "numba.cuda"
_BEFORE = frozenset({"cupy", "cupy_backends", "torch", "triton"})


def share_with_children(request: ScriptRequest, run: int, on_gpu: bool, guarded: Sequence[Path] = ()) -> None:
    """Let Python programs that are started from here on record their launches as parts of the run.

    Where folders are given, they write only into the first, a copy made of links, and into the others.
    """
    limits = request.limits
    os.environ[_VARIABLE] = json.dumps(
        {
            "root": str(request.root),
            "run": run,
            "device": request.device.id,
            "on_gpu": on_gpu,
            "threads": limits.threads,
            "seconds": limits.seconds,
            "keep_code": request.keep_code,
            "predictor": request.predictor,
            "guarded": [str(folder) for folder in guarded],
        }
    )
    paths = [_FOLDER, *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)


def join_run() -> None:
    """Let launches go where those of the run go, once numba.cuda, CuPy, PyTorch or Triton is imported."""
    given = os.environ.get(_VARIABLE)
    if given is not None:
        guarded = [Path(folder) for folder in json.loads(given)["guarded"]]
        if guarded:
            from advisor.evidence.simulated.launches.processes.write_guard import guard_writes

            guard_writes(guarded[0], guarded[1:])
        after_import([_BEHIND], lambda: _begin(json.loads(given)), _BEFORE)


def _begin(given: dict[str, Any]) -> None:
    from advisor.evidence.simulated.launches.recording.recorder import Recorder
    from advisor.evidence.simulated.launches.recording.script import note_gpu_launches, simulate
    from advisor.evidence.simulated.launches.simt_executor import Limits
    from advisor.evidence.simulated.launches.store import LaunchStore
    from advisor.model.devices import find_device

    store = LaunchStore(Path(given["root"]))
    recorder = Recorder(store, given["run"], child=True)
    if given["on_gpu"]:
        atexit.register(recorder.close)
        atexit.register(note_gpu_launches(recorder).finish)
        return
    limits = Limits(threads=given["threads"], seconds=given["seconds"])
    simulate(find_device(given["device"]), recorder, limits, given["keep_code"], given["predictor"])
    atexit.register(recorder.close)
