"""Makes numba.cuda in this process work without a GPU."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

import advisor
from advisor.evidence.simulated.driver.api.buffers import Buffers
from advisor.evidence.simulated.driver.api.contexts import ContextCalls
from advisor.evidence.simulated.driver.api.devices import DeviceCalls
from advisor.evidence.simulated.driver.api.launching import LaunchCalls
from advisor.evidence.simulated.driver.api.memory import MemoryCalls
from advisor.evidence.simulated.driver.api.memory_pools import PoolCalls
from advisor.evidence.simulated.driver.api.module_calls import ModuleCalls
from advisor.evidence.simulated.driver.api.streams import StreamCalls
from advisor.evidence.simulated.driver.device_properties import DeviceProperties
from advisor.evidence.simulated.driver.entry_points import entry_points
from advisor.evidence.simulated.driver.executor import Executor
from advisor.evidence.simulated.driver.gpu import Gpu
from advisor.evidence.simulated.driver.launch_notes import LaunchNotes
from advisor.evidence.simulated.driver.library import DriverLibrary
from advisor.evidence.simulated.driver.numba.hooks import NumbaHooks
from advisor.evidence.simulated.driver.numba.names import missing_names
from advisor.evidence.simulated.driver.predicted_clock import PredictedClock, TimePredictor
from advisor.evidence.simulated.driver.triton.install import install_for_triton
from advisor.model.errors import AdvisorError

_LIBRARIES = (
    "numba", "numba_cuda", "cuda.core", "cuda.bindings", "cupy", "cupyx", "cupy_backends", "triton", "torch",
)  # fmt: skip
_installed: list[DriverLibrary] = []


@dataclass(frozen=True)
class Installed:
    """The simulated GPU of this process, and what describes its launches."""

    gpu: Gpu
    notes: LaunchNotes
    buffers: Buffers


def install(
    executor: Executor, device: DeviceProperties, predictor: TimePredictor | None = None
) -> Installed:
    """Let numba.cuda in this process, and Triton, launch their kernels on `executor` from here on.

    The elapsed times of events are those that `predictor` predicts, without it those of the host's clock.
    It may come before or after `import numba.cuda`, but before the first use of CUDA. Raises AdvisorError
    where a driver is loaded already, on another system than Linux, and for a numba-cuda that is built
    differently.
    """
    if _installed:
        raise AdvisorError("The simulated GPU is installed already.")
    from cuda.bindings.driver import CUDA_VERSION

    gpu = Gpu(executor, device, int(CUDA_VERSION), PredictedClock(predictor))
    contexts = ContextCalls(gpu)
    buffers = Buffers(gpu)
    streams = StreamCalls(gpu, contexts)
    modules = ModuleCalls(gpu)
    notes = LaunchNotes(library_folders())
    calls = (
        DeviceCalls(gpu),
        contexts,
        MemoryCalls(gpu, buffers, streams, notes),
        PoolCalls(gpu, buffers, contexts),
        streams,
        modules,
        LaunchCalls(gpu, buffers, streams, modules, notes),
    )
    library = DriverLibrary(
        [point for group in calls for point in entry_points(group, gpu)], gpu.tell_missing
    )
    library.load()
    os.register_at_fork(after_in_child=gpu.after_fork)
    _installed.append(library)
    if missing := missing_names():
        raise AdvisorError(f"This numba-cuda is built differently: it has no {', '.join(missing)}.")
    NumbaHooks(gpu, modules, notes).install()
    install_for_triton(gpu, buffers, notes)
    return Installed(gpu, notes, buffers)


def library_folders() -> list[str]:
    """The folders whose code is not the user's."""
    folders = [str(Path(advisor.__file__).resolve().parent)]
    for name in _LIBRARIES:
        spec = importlib.util.find_spec(name)
        folders += (spec.submodule_search_locations or []) if spec else []
    return [f"{folder}{os.sep}" for folder in folders]
