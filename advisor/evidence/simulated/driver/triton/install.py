"""Gives Triton the simulated GPU when a program imports it; until then nothing of Triton is loaded."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from advisor.evidence.simulated.driver.api.buffers import Buffers
from advisor.evidence.simulated.driver.gpu import Gpu
from advisor.evidence.simulated.driver.launch_notes import LaunchNotes
from advisor.evidence.simulated.driver.triton.passed_arrays import passed
from advisor.model.processes.awaited_imports import after_import

# Major and minor number of the versions that were tried, with all five programs of the tests.
TRIED = ("3.4", "3.5", "3.6", "3.7", "3.8", "3.9")


def install_for_triton(gpu: Gpu, buffers: Buffers, notes: LaunchNotes) -> None:
    """Let the kernels of Triton run on the simulated GPU, from the moment that Triton is imported."""
    after_import(("triton",), lambda: _give(gpu, buffers, notes))


def _give(gpu: Gpu, buffers: Buffers, notes: LaunchNotes) -> None:
    """Make the simulated GPU Triton's active one; a Triton that is built differently keeps its own."""
    version = str(getattr(sys.modules["triton"], "__version__", "of an unknown version"))
    tried = ".".join(version.split(".")[:2]) in TRIED
    try:
        _activate(gpu, buffers, notes)
    except (ImportError, AttributeError, TypeError) as problem:
        _say(f"Triton {version} is built differently ({problem}); its kernels cannot run here")
        return
    if not tried:
        _say(f"Triton {version} was not tried, only {', '.join(TRIED)}; what differs may fail")


def _activate(gpu: Gpu, buffers: Buffers, notes: LaunchNotes) -> None:
    runtime = importlib.import_module("triton.runtime")
    jit = importlib.import_module("triton.runtime.jit")
    ours = importlib.import_module("advisor.evidence.simulated.driver.triton.simulated_driver")
    launcher = importlib.import_module("advisor.evidence.simulated.driver.triton.launcher")
    original = jit.KernelInterface.__getitem__
    _keep_texts()
    runtime.driver.set_active(ours.SimulatedDriver(launcher.Machine(gpu, buffers, notes)))
    jit.KernelInterface.__getitem__ = _with_arrays(original)


def _keep_texts() -> None:
    """Let Triton keep PTX with lines, whatever the environment says: both are read here."""
    knobs = importlib.import_module("triton.knobs")
    knobs.compilation.store_binary_only = False
    knobs.compilation.disable_line_info = False


def _with_arrays(original: Callable[..., Any]) -> Callable[..., Any]:
    """`kernel[grid]` whose result takes arrays of NumPy and of the CUDA array interface too."""

    def indexed(kernel: Any, grid: Any) -> Any:
        launch = original(kernel, grid)

        def launched(*arguments: Any, **options: Any) -> Any:
            given = {name: passed(value) for name, value in options.items()}
            return launch(*map(passed, arguments), **given)

        return launched

    return indexed


def _say(words: str) -> None:
    print(f"advisor: {words}.", file=sys.stderr)
