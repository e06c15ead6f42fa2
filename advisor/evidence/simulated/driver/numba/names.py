"""The names of numba-cuda that are not public and are touched here; a test fails when one of them is gone."""

from __future__ import annotations

import importlib
import inspect

# Module and attribute path.
ATTRIBUTES = (
    ("numba.cuda.cudadrv.driver", "Driver.__init__"),
    ("numba.cuda.cudadrv.driver", "driver"),
    ("numba.cuda.cudadrv.driver", "CudaAPIError"),
    ("numba.cuda.cudadrv.driver", "_Linker.complete"),
    ("numba.cuda.cudadrv.driver", "_Linker.get_linked_ptx"),
    ("numba.cuda.codegen", "CUDACodeLibrary.get_cufunc"),
    ("numba.cuda.codegen", "CUDACodeLibrary.get_cubin"),
    ("numba.cuda.codegen", "CUDACodeLibrary._link_all"),
    ("numba.cuda.codegen", "CUDACodeLibrary._ensure_cc"),
    ("numba.cuda.dispatcher", "_Kernel.launch"),
    ("numba.cuda.dispatcher", "_Kernel.argument_types"),
    ("numba.cuda.dispatcher", "_Kernel.library"),
    ("numba.cuda.dispatcher", "_Kernel.regs_per_thread"),
    ("numba.cuda.dispatcher", "_Kernel.local_mem_per_thread"),
    ("numba.cuda.dispatcher", "CUDADispatcher.__init__"),
    ("numba.cuda.dispatcher", "CUDADispatcher.enable_caching"),
    ("numba.cuda.dispatcher", "CUDADispatcher.compile_device"),
    ("numba.cuda.dispatcher", "_Kernel.__init__"),
    ("numba.cuda.core.errors", "NumbaError"),
    ("numba.cuda.memory_management.nrt", "_Runtime._compile_memsys_module"),
)
# Module, class and an attribute that only its instances have.
INSTANCE_ATTRIBUTES = (
    ("numba.cuda.cudadrv.driver", "_Linker", "_object_codes"),
    ("numba.cuda.cudadrv.driver", "_Linker", "_has_ltoir"),
    ("numba.cuda.cudadrv.driver", "_Linker", "_complete"),
    ("numba.cuda.cudadrv.driver", "_Linker", "_info_log"),
    ("numba.cuda.codegen", "CUDACodeLibrary", "_max_registers"),
    ("numba.cuda.codegen", "CUDACodeLibrary", "_lto"),
    ("numba.cuda.dispatcher", "_Kernel", "py_func"),
    ("numba.cuda.dispatcher", "CUDADispatcher", "targetoptions"),
)


def missing_names() -> list[str]:
    """The names that the installed numba-cuda lacks."""
    missing = []
    for module, path in ATTRIBUTES:
        found: object = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part, None)
        if found is None:
            missing.append(f"{module}.{path}")
    for module, owner, attribute in INSTANCE_ATTRIBUTES:
        kind = getattr(importlib.import_module(module), owner, None)
        if kind is None or not _mentions(kind, attribute):
            missing.append(f"{module}.{owner}.{attribute}")
    return missing


def _mentions(kind: type, attribute: str) -> bool:
    """Whether a method of a class reads or sets an attribute of this name."""
    methods = [inspect.unwrap(one) for one in vars(kind).values() if callable(one)]
    return any(attribute in one.__code__.co_names for one in methods if hasattr(one, "__code__"))
