"""The nine reference workloads: each module holds a first version, an improved one, inputs and a reference.

A module of this package that declares `WORKLOAD` is a workload; nothing else has to be registered.
"""

import importlib
import pkgutil

from kernels.workload import Workload

__all__ = ["Workload", "workloads"]


def workloads() -> tuple[Workload, ...]:
    """All workloads of this package, ordered by name. Imports their modules, and with them Numba."""
    names = [f"{__name__}.{found.name}" for found in pkgutil.iter_modules(__path__)]
    modules = [importlib.import_module(name) for name in names]
    declared = [module.WORKLOAD for module in modules if hasattr(module, "WORKLOAD")]
    return tuple(sorted(declared, key=lambda workload: workload.name))
