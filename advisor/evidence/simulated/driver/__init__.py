"""Answers the CUDA driver's C interface, so that Numba's programs run on a machine without a GPU."""

from advisor.evidence.simulated.driver.device_properties import DeviceProperties, device_properties
from advisor.evidence.simulated.driver.executor import ArgumentNote, Executor, KernelFault, LaunchNote
from advisor.evidence.simulated.driver.install import install

__all__ = [
    "ArgumentNote",
    "DeviceProperties",
    "Executor",
    "KernelFault",
    "LaunchNote",
    "device_properties",
    "install",
]
