"""Metrics computed from others with the device's numbers: one module each, found by being here.

A module gives `derive(kernels, device)`: it receives the merged kernel records and adds readings to them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable

from advisor.model.devices import Device
from advisor.model.records import Record


def derive_all(kernels: Iterable[Record], device: Device) -> None:
    """Run every module of this package over the kernels, in alphabetical order.

    No model puts another number in the place of what was measured.
    """
    records = list(kernels)
    measured = [
        {name: reading for name, reading in kernel.readings.items() if reading.source == "measured"}
        for kernel in records
    ]
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda found: found.name):
        importlib.import_module(f"{__name__}.{module.name}").derive(records, device)
    for kernel, readings in zip(records, measured, strict=True):
        kernel.readings.update(readings)
