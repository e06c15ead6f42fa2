"""What is changed within numba-cuda: kernels end as PTX, lines are kept, and launches are noted."""

from __future__ import annotations

import functools
import importlib
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from advisor.evidence.simulated.driver.api.module_calls import ModuleCalls
from advisor.evidence.simulated.driver.api.modules import module_of, static_shared
from advisor.evidence.simulated.driver.gpu import Gpu
from advisor.evidence.simulated.driver.launch_notes import LaunchNotes
from advisor.evidence.simulated.driver.ptx_linking import bound_registers, link_ptx
from advisor.evidence.simulated.driver.results import Result
from advisor.model.errors import AdvisorError, EvidenceUnavailable
from advisor.model.machine_code.gpu_extra import REMEDY, load_compilers


class NumbaHooks:
    """Changes the classes of numba-cuda in this process; the driver below them must be loaded."""

    def __init__(self, gpu: Gpu, modules: ModuleCalls, notes: LaunchNotes) -> None:
        self.gpu, self.modules, self.notes = gpu, modules, notes
        self._loading = threading.local()
        self._loaded = False
        self._images: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    def install(self) -> None:
        """Change the classes. Imports numba.cuda."""
        # The package must be imported before its parts.
        importlib.import_module("numba.cuda")
        driver = importlib.import_module("numba.cuda.cudadrv.driver")
        codegen = importlib.import_module("numba.cuda.codegen")
        dispatcher = importlib.import_module("numba.cuda.dispatcher")
        nrt = importlib.import_module("numba.cuda.memory_management.nrt")
        if driver.driver.initialization_error is not None:
            # Numba looked for a driver before this one was there.
            driver.driver.__init__()
        self._driver = driver
        _wrap(driver._Linker, "complete", self._complete)
        _wrap(codegen.CUDACodeLibrary, "get_cufunc", self._while_loading)
        _wrap(codegen.CUDACodeLibrary, "get_cubin", self._get_cubin)
        _wrap(nrt._Runtime, "_compile_memsys_module", self._while_loading)
        self._user_error = importlib.import_module("numba.cuda.core.errors").NumbaError
        _wrap(dispatcher.CUDADispatcher, "__init__", self._with_lines)
        _wrap(dispatcher.CUDADispatcher, "compile_device", self._compile_device)
        _wrap(dispatcher._Kernel, "__init__", self._compile_kernel)
        _wrap(dispatcher.CUDADispatcher, "enable_caching", self._without_cache)
        _wrap(dispatcher._Kernel, "launch", self._launch)
        dispatcher._Kernel.regs_per_thread = property(lambda kernel: self._resources(kernel).registers)
        dispatcher._Kernel.local_mem_per_thread = property(lambda kernel: self._resources(kernel).local_bytes)

    def _while_loading(
        self, original: Callable[..., Any], owner: Any, *arguments: Any, **options: Any
    ) -> Any:
        """What is compiled within this call is to be loaded, so it must end as PTX."""
        with self._as_loading(True):
            return original(owner, *arguments, **options)

    @contextmanager
    def _as_loading(self, on: bool) -> Iterator[None]:
        before = self._is_loading
        self._loading.on = on
        try:
            yield
        finally:
            self._loading.on = before

    @property
    def _is_loading(self) -> bool:
        return bool(getattr(self._loading, "on", False))

    def _get_cubin(self, original: Callable[..., Any], library: Any, cc: Any = None) -> Any:
        """A library's image: PTX to load, the machine code for everybody else (who may keep it on disk)."""
        if not self._is_loading:
            return original(library, cc=cc)
        if library not in self._images:
            image = self._linked(library, cc, lto=False)
            if self._exceeds_shared_memory(image):
                # The assembler refuses such a kernel; its own words are the best.
                with self._as_loading(False):
                    original(library, cc=cc)
            self._images[library] = image
        return self._images[library]

    def _linked(self, library: Any, cc: Any, lto: bool) -> Any:
        """The PTX of a library and of what is linked to it.

        Without link-time optimisation PTX comes out as it is; code that exists for that optimisation only
        (LTO-IR) takes the other way.
        """
        capability = library._ensure_cc(cc)
        linker = self._driver._Linker(max_registers=library._max_registers, cc=capability, lto=lto)
        library._link_all(linker, capability)
        if linker._has_ltoir and not lto:
            return self._linked(library, cc, lto=True)
        return linker.complete()

    def _exceeds_shared_memory(self, image: Any) -> bool:
        most = self.gpu.properties.limit("MAX_SHARED_MEMORY_PER_BLOCK")
        module = module_of(image.code.decode())
        kernels = [one for one in module.program.functions.values() if one.entry]
        return any(static_shared(one, module.program) > most for one in kernels)

    def _complete(self, original: Callable[..., Any], linker: Any) -> Any:
        """The end of linking: one PTX text while loading."""
        if not self._is_loading:
            return original(linker)
        from cuda.core import ObjectCode

        if linker._has_ltoir:
            ptx = linker.get_linked_ptx().decode()
        else:
            ptx = link_ptx(_texts(linker._object_codes))
            linker._info_log, linker._complete = "", True
        if linker.max_registers:
            ptx = bound_registers(ptx, linker.max_registers)
        return ObjectCode.from_ptx(ptx.encode())

    def _with_lines(
        self, original: Callable[..., Any], dispatcher: Any, py_func: Any, targetoptions: Any, **more: Any
    ) -> Any:
        """A kernel or device function whose PTX names the source's lines."""
        if not targetoptions.get("debug"):
            targetoptions = {**targetoptions, "lineinfo": True}
        return original(dispatcher, py_func, targetoptions, **more)

    def _compile_kernel(
        self, original: Callable[..., Any], kernel: Any, *arguments: Any, **options: Any
    ) -> None:
        """Compile a kernel, without lines where Numba cannot describe a variable (an empty tuple)."""
        if not self._loaded:
            load_compilers()
            self._loaded = True
        try:
            original(kernel, *arguments, **options)
        except Exception as problem:
            if isinstance(problem, self._user_error) or not options.get("lineinfo"):
                raise
            original(kernel, *arguments, **{**options, "lineinfo": False})

    def _compile_device(
        self, original: Callable[..., Any], dispatcher: Any, *arguments: Any, **options: Any
    ) -> Any:
        """A device function, without lines where Numba cannot describe its variables."""
        try:
            return original(dispatcher, *arguments, **options)
        except Exception as problem:
            if isinstance(problem, self._user_error) or not dispatcher.targetoptions.get("lineinfo"):
                raise
            dispatcher.targetoptions["lineinfo"] = False
            return original(dispatcher, *arguments, **options)

    def _without_cache(self, original: Callable[..., Any], dispatcher: Any) -> None:
        """Leave Numba's cache alone: its kernels have no lines, and those of a run must not get into it."""

    def _launch(self, original: Callable[..., Any], kernel: Any, *arguments: Any, **options: Any) -> Any:
        """A launch with its function and types told to the driver, and its fault raised as Numba does."""
        self.gpu.take_pending()
        function, place = getattr(kernel, "py_func", None), self.notes.place()
        with self.notes.launching(function, kernel.argument_types, place):
            try:
                return original(kernel, *arguments, **options)
            except Exception:
                problem = self.gpu.take_pending()
                if problem is None:
                    raise
                self._raise(problem)

    def _raise(self, problem: BaseException) -> None:
        error = getattr(problem, "error", None)
        if error is None:
            raise problem from None
        result = Result.__members__.get(error, Result.CUDA_ERROR_LAUNCH_FAILED)
        code = self._driver.binding.CUresult(result.value)
        raise self._driver.CudaAPIError(
            code, f"Call to cuLaunchKernelEx results in {result.name}: {problem}"
        ) from None

    def _resources(self, kernel: Any) -> Any:
        """What the assembler says of a kernel; raises AdvisorError where there is no assembler."""
        loaded = self.modules.kernel(int(kernel.library.get_cufunc().handle))
        resources = loaded.resources
        if isinstance(resources, str):
            raise EvidenceUnavailable(
                f"The registers and local memory of {kernel.py_func.__name__} are known only to NVIDIA's "
                f"assembler, which could not be asked: {resources}.",
                REMEDY,
            )
        return resources


def _texts(objects: list[Any]) -> list[str]:
    """The PTX among what is linked; CUDA's device runtime is part of the machine."""
    texts = []
    for one in objects:
        if one.code_type == "ptx":
            code = one.code
            texts.append((code if isinstance(code, str) else code.decode()).strip("\0"))
        elif not (one.code_type == "library" and "cudadevrt" in one.name):
            raise AdvisorError(
                f"{one.name} cannot be run: it holds {one.code_type} code, the simulated GPU runs PTX."
            )
    return texts


def _wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    """Put `around`, which gets the original first, in the place of `owner.name`."""
    original = getattr(owner, name)

    @functools.wraps(original)
    def method(instance: Any, *arguments: Any, **options: Any) -> Any:
        return around(original, instance, *arguments, **options)

    setattr(owner, name, method)
