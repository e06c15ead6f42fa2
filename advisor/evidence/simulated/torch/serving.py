"""Lets a program's tensors of PyTorch be on the simulated GPU; nothing happens until it imports PyTorch."""

from __future__ import annotations

import functools
import sys
import threading
from typing import Any

from advisor.evidence.simulated.driver.install import Installed
from advisor.model.processes.awaited_imports import after_import

_TRIED = ("2.14",)


def serve_torch(installed: Installed) -> None:
    """Let `device="cuda"` lead to the simulated GPU once this process has imported PyTorch."""
    after_import(("torch",), lambda: _serve(installed))


def _serve(installed: Installed) -> None:
    version = str(sys.modules["torch"].__version__)
    try:
        _place_tensors(installed)
    except (ImportError, AttributeError, TypeError) as problem:
        _say(f"PyTorch {version} is built differently ({problem}); its tensors stay on the host")
        return
    if not version.startswith(_TRIED):
        _say(f"PyTorch {version} was not tried, only {', '.join(_TRIED)}; what differs may fail")


def _place_tensors(installed: Installed) -> None:
    # Only a program that has imported PyTorch gets here.
    from advisor.evidence.simulated.torch import answers, saving, tensors
    from advisor.evidence.simulated.torch.storages import Storages

    tensors.GpuTensor.storages = Storages(installed.buffers)
    answers.answer(installed.gpu, installed.buffers)
    torch: Any = sys.modules["torch"]
    torch.from_dlpack = torch.utils.dlpack.from_dlpack = tensors.from_dlpack
    _change_backward(tensors)
    saving.save_and_load()
    tensors.Placing().__enter__()
    _place_in_threads(tensors.Placing)


def _change_backward(tensors: Any) -> None:
    """Give backward functions of the program's own the gradients as tensors of the GPU."""
    from torch import _C
    from torch.autograd.function import BackwardCFunction

    original = BackwardCFunction.apply

    @functools.wraps(original)
    def apply(self: Any, *gradients: Any) -> Any:
        if not any(isinstance(one, tensors.GpuTensor) for one in self.saved_tensors):
            return original(self, *gradients)
        with tensors.backward(), _C._EnableTorchFunction(), tensors.Placing():
            return original(self, *tensors.as_gpu(gradients))

    BackwardCFunction.apply = apply


def _place_in_threads(mode: Any) -> None:
    """Let threads that begin from here on place tensors as this one does."""
    start = threading.Thread.start

    @functools.wraps(start)
    def started(self: threading.Thread) -> None:
        run = self.run

        def within() -> None:
            with mode():
                run()

        self.run = within  # type: ignore[method-assign]
        start(self)

    threading.Thread.start = started  # type: ignore[method-assign]


def _say(words: str) -> None:
    print(f"advisor: {words}.", file=sys.stderr)
