"""The code of a kernel that Triton has compiled: the PTX that the simulated GPU runs.

Where the GPU has instructions that the machine does not execute (reductions by the tensor memory accelerator
of compute capability 9.0, products of 10.0), the kernel is compiled once more for 8.0.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.runtime.cache import get_cache_manager

from advisor.evidence.simulated.driver.api.modules import LoadedKernel, LoadedModule
from advisor.evidence.simulated.driver.device_properties import DeviceProperties
from advisor.evidence.simulated.driver.executor import CodeNote
from advisor.evidence.simulated.driver.gpu import Gpu
from advisor.evidence.simulated.driver.triton.program_lines import with_program_lines
from advisor.evidence.simulated.simt.ptx.ptx_reader import known_module
from advisor.model.machine_code.nvjitlink import Resources

_OLDER = 80
# As the paths of PTX may call it, through links or not.
LIBRARY = tuple(
    {f"{path.parent}{os.sep}" for path in (Path(triton.__file__), Path(triton.__file__).resolve())}
)
# What the backend works out itself for each architecture.
_OF_ARCHITECTURE = frozenset({
    "arch", "supported_fp8_dtypes", "deprecated_fp8_dot_operand_dtypes", "max_num_imprecise_acc_default",
    "extern_libs", "backend_name",
})  # fmt: skip
_told: set[str] = set()


class KernelCode:
    """A compiled kernel: its PTX as `loaded`, Triton's `metadata` of it, and what the assembler says."""

    def __init__(self, source: Any, metadata: Any, gpu: Gpu) -> None:
        if getattr(metadata, "num_ctas", 1) > 1:
            raise RuntimeError(f"{metadata.name}: clusters of blocks (num_ctas) are not executed.")
        self.source, self.metadata = source, metadata
        self._target, properties = "", gpu.properties
        ptx = self._ptx(metadata)
        if _capability(properties) > _OLDER and (reason := gpu.executor.refusal(ptx, metadata.name)):
            self.metadata = _compiled_for_older(source, metadata).metadata
            ptx, self._target = self._ptx(self.metadata), f"sm_{_OLDER}"
            _tell(metadata.name, reason, properties)
        module = LoadedModule(ptx, known_module(ptx))
        self.loaded = LoadedKernel(module, module.kernel(metadata.name), properties)
        most = properties.limit("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")
        self.loaded.dynamic_limit = max(0, most - self.loaded.static_shared)

    @property
    def function(self) -> Any:
        """The Python function; None for a kernel that was not compiled from one."""
        function = getattr(self.source, "fn", None)
        return getattr(function, "fn", None)

    def _ptx(self, metadata: Any) -> str:
        """The PTX in Triton's cache, with the lines of the program."""
        file = get_cache_manager(metadata.hash).get_file(f"{metadata.name[:150]}.ptx")
        if file is None:
            raise RuntimeError(
                f"Triton kept no PTX of {metadata.name}, so it cannot run on the simulated GPU."
            )
        text = Path(file).read_text(encoding="utf-8")
        source = getattr(self.function, "__code__", None)
        return with_program_lines(text, LIBRARY, source.co_filename if source else None)

    @property
    def note(self) -> CodeNote:
        """What the assembler says of the code."""
        found = self.loaded.resources
        if not isinstance(found, Resources):
            return CodeNote(target=self._target)
        return CodeNote(found.registers, found.spill_store_bytes, found.spill_load_bytes, self._target)


def _capability(properties: DeviceProperties) -> int:
    major, minor = properties.capability
    return 10 * major + minor


def _compiled_for_older(source: Any, metadata: Any) -> Any:
    given = metadata._asdict()
    backend = triton.compiler.make_backend(GPUTarget("cuda", _OLDER, 32))
    known = vars(backend.parse_options({}))
    options = {
        name: _hashable(value)
        for name, value in given.items()
        if name in known and name not in _OF_ARCHITECTURE
    }
    return triton.compile(source, target=GPUTarget("cuda", _OLDER, 32), options=options)


def _hashable(value: Any) -> Any:
    """A value of Triton's cache, in whose JSON tuples have become lists."""
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _tell(kernel: str, reason: str, properties: DeviceProperties) -> None:
    if kernel not in _told:
        _told.add(kernel)
        print(
            f"advisor: {kernel} runs as compiled for sm_{_OLDER}, its counts are those of that code: the "
            f"simulated {properties.device.name} does not execute {reason}.",
            file=sys.stderr,
        )
