"""What is put into a process before a user's program begins in it: the GPU, and the libraries that use it."""

from __future__ import annotations

from advisor.evidence.simulated.launches.simt_executor import SimtExecutor
from advisor.model.devices import Device
from advisor.model.storage.cache import user_code_folder


def install_gpu(executor: SimtExecutor, device: Device, predictor: str, keep_code: bool) -> None:
    """Let what this process runs from here on find the simulated GPU.

    `predictor` names the class that predicts elapsed times, as `module:class`.
    """
    from advisor.evidence.simulated.cupy.serving import serve_cupy
    from advisor.evidence.simulated.driver.device_properties import device_properties
    from advisor.evidence.simulated.driver.install import install
    from advisor.evidence.simulated.driver.predicted_clock import named_predictor
    from advisor.evidence.simulated.torch.serving import serve_torch

    installed = install(executor, device_properties(device), named_predictor(predictor, device))
    serve_cupy(installed, user_code_folder() if keep_code else None)
    serve_torch(installed)
