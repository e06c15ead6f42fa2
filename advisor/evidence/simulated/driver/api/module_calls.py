"""The driver's calls about modules, kernels and occupancy."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

from advisor.evidence.simulated.driver.api.modules import LoadedKernel, LoadedModule, load
from advisor.evidence.simulated.driver.entry_points import Handle, OutHandle, OutInt, OutSize, entry
from advisor.evidence.simulated.driver.gpu import Gpu, require
from advisor.evidence.simulated.driver.results import CallFailed, Result
from advisor.evidence.simulated.simt.launch import parameter_offsets

_INT, _UNSIGNED, _SIZE = ctypes.c_int, ctypes.c_uint, ctypes.c_size_t
_DATA, _TEXT = ctypes.c_void_p, ctypes.c_char_p
# cuda.h: CUfunction_attribute.
_MAX_THREADS, _SHARED, _CONST, _LOCAL, _REGISTERS, _PTX_VERSION, _BINARY_VERSION = 0, 1, 2, 3, 4, 5, 6
_MAX_DYNAMIC_SHARED = 8


class ModuleCalls:
    """cuLibrary…, cuModule…, cuKernel…, cuFunc… and cuOccupancy…."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu
        self.modules: dict[int, LoadedModule] = {}
        self.kernels: dict[int, LoadedKernel] = {}
        self._names: dict[tuple[int, str], int] = {}

    def kernel(self, handle: int) -> LoadedKernel:
        """The kernel of a handle; raises CallFailed for another number."""
        require(handle in self.kernels, Result.CUDA_ERROR_INVALID_HANDLE)
        return self.kernels[handle]

    @entry("cuLibraryLoadData cuModuleLoadData cuModuleLoadDataEx", OutHandle, _DATA)
    def _load(self, out: Any, image: int) -> None:
        self._loaded(out, image)

    @entry("cuLibraryLoadFromFile cuModuleLoad", OutHandle, _TEXT)
    def _load_file(self, out: Any, name: bytes | None) -> None:
        require(name)
        try:
            image = ctypes.create_string_buffer(Path(os.fsdecode(name or b"")).read_bytes())
        except OSError as problem:
            raise CallFailed(Result.CUDA_ERROR_FILE_NOT_FOUND) from problem
        self._loaded(out, ctypes.addressof(image))

    def _loaded(self, out: Any, image: int) -> None:
        try:
            module = load(image)
        except CallFailed as failure:
            if failure.result is Result.CUDA_ERROR_INVALID_IMAGE:
                self.gpu.tell(
                    "machine code (a cubin or a fat binary) cannot be run without a GPU; "
                    "PTX and source text can."
                )
            raise
        handle = self.gpu.handle()
        self.modules[handle] = module
        out[0] = handle

    @entry("cuLibraryUnload cuModuleUnload", Handle)
    def _unload(self, module: int) -> None:
        self._module(module)
        del self.modules[module]
        for key in [key for key in self._names if key[0] == module]:
            del self.kernels[self._names.pop(key)]

    @entry("cuLibraryGetModule", OutHandle, Handle)
    def _same(self, out: Any, handle: int) -> None:
        self._module(handle)
        out[0] = handle

    @entry("cuKernelGetFunction", OutHandle, Handle)
    def _same_kernel(self, out: Any, handle: int) -> None:
        self.kernel(handle)
        out[0] = handle

    @entry("cuKernelGetLibrary cuFuncGetModule", OutHandle, Handle)
    def _module_of(self, out: Any, handle: int) -> None:
        owner = next((key[0] for key, known in self._names.items() if known == handle), 0)
        require(owner, Result.CUDA_ERROR_INVALID_HANDLE)
        out[0] = owner

    @entry("cuLibraryGetKernel cuModuleGetFunction", OutHandle, Handle, _TEXT)
    def _get(self, out: Any, module: int, name: bytes) -> None:
        loaded = self._module(module)
        key = (module, name.decode())
        if key not in self._names:
            kernel = LoadedKernel(loaded, loaded.kernel(key[1]), self.gpu.properties)
            self._names[key] = self.gpu.handle()
            self.kernels[self._names[key]] = kernel
        out[0] = self._names[key]

    @entry("cuLibraryGetKernelCount cuModuleGetFunctionCount", OutHandle, Handle)
    def _count(self, out: Any, module: int) -> None:
        functions = self._module(module).program.functions.values()
        ctypes.c_uint.from_buffer(out.contents).value = sum(one.entry for one in functions)

    @entry("cuLibraryGetGlobal cuModuleGetGlobal cuLibraryGetManaged", OutHandle, OutSize, Handle, _TEXT)
    def _variable(self, address: Any, size: Any, module: int, name: bytes) -> None:
        loaded = self._module(module)
        known = loaded.program.variables.get(name.decode())
        require(known is not None and known.space in ("global", "const"), Result.CUDA_ERROR_NOT_FOUND)
        if known is not None:
            if address:
                address[0] = self.gpu.executor.variable(loaded.ptx, known.name)
            if size:
                size[0] = known.size

    @entry("cuKernelGetAttribute cuFuncGetAttribute", OutInt, _INT, Handle)
    def _attribute(self, out: Any, code: int, handle: int) -> None:
        kernel = self.kernel(handle)
        major, minor = self.gpu.properties.capability
        values = {
            _MAX_THREADS: kernel.launch_bound,
            _SHARED: kernel.static_shared,
            _CONST: kernel.constant_bytes,
            _LOCAL: kernel.local_bytes,
            # Asking the assembler costs more than loading; numba asks for all attributes of each kernel.
            _REGISTERS: 0,
            _PTX_VERSION: 10 * major + minor,
            _BINARY_VERSION: 10 * major + minor,
            _MAX_DYNAMIC_SHARED: kernel.dynamic_shared_limit,
        }
        out[0] = values.get(code, kernel.settings.get(code, 0))

    @entry("cuKernelSetAttribute", _INT, _INT, Handle)
    def _set_kernel_attribute(self, code: int, value: int, handle: int) -> None:
        kernel = self.kernel(handle)
        if code == _MAX_DYNAMIC_SHARED:
            most = self.gpu.properties.limit("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")
            require(0 <= value <= most - kernel.static_shared)
            kernel.dynamic_limit = value
        kernel.settings[code] = value

    @entry("cuFuncSetAttribute", Handle, _INT, _INT)
    def _set_function_attribute(self, handle: int, code: int, value: int) -> None:
        self._set_kernel_attribute(code, value, handle)

    @entry("cuKernelSetCacheConfig cuFuncSetCacheConfig cuFuncLoad", Handle, _INT)
    def _prefer(self, handle: int, _preference: int) -> None:
        self.kernel(handle)

    @entry("cuKernelGetParamInfo cuFuncGetParamInfo", Handle, _SIZE, OutSize, OutSize)
    def _parameter(self, handle: int, index: int, offset: Any, size: Any) -> None:
        parameters = self.kernel(handle).function.parameters
        require(index < len(parameters))
        offset[0] = parameter_offsets(parameters)[0][parameters[index].name]
        if size:
            size[0] = parameters[index].size

    @entry("cuKernelGetParamCount cuFuncGetParamCount", Handle, OutSize)
    def _parameter_count(self, handle: int, out: Any) -> None:
        out[0] = len(self.kernel(handle).function.parameters)

    @entry(
        "cuOccupancyMaxActiveBlocksPerMultiprocessor cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        OutInt, Handle, _INT, _SIZE,
    )  # fmt: skip
    def _active_blocks(self, out: Any, handle: int, threads: int, dynamic: int) -> None:
        require(threads > 0)
        out[0] = self.kernel(handle).blocks_per_sm(threads, dynamic)

    @entry(
        "cuOccupancyMaxPotentialBlockSize cuOccupancyMaxPotentialBlockSizeWithFlags",
        OutInt, OutInt, Handle, _DATA, _SIZE, _INT,
    )  # fmt: skip
    def _best_block(
        self, grid: Any, block: Any, handle: int, shared_of: int | None, dynamic: int, limit: int
    ) -> None:
        require(not shared_of, Result.CUDA_ERROR_NOT_SUPPORTED)
        kernel, properties = self.kernel(handle), self.gpu.properties
        most, warp = min(limit or kernel.launch_bound, kernel.launch_bound), properties.limit("WARP_SIZE")
        sizes = range(most // warp * warp or most, 0, -warp)
        block[0] = max(sizes, key=lambda threads: threads * kernel.blocks_per_sm(threads, dynamic))
        blocks = kernel.blocks_per_sm(block[0], dynamic)
        grid[0] = blocks * properties.limit("MULTIPROCESSOR_COUNT")

    def _module(self, handle: int) -> LoadedModule:
        require(handle in self.modules, Result.CUDA_ERROR_INVALID_HANDLE)
        return self.modules[handle]
