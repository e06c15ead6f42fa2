"""The parts of the toolchain, each looked for in the way that its user will look for it."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import metadata

from advisor import __version__
from advisor.model.errors import EvidenceUnavailable
from advisor.model.machine_code.gpu_extra import INSTALL, UPGRADE, load_compilers


@dataclass(frozen=True, slots=True)
class Part:
    """One part: whether it was found; a version, or the cause of its absence and the command that helps."""

    name: str
    found: bool
    detail: str
    remedy: str = ""


def look_for_parts() -> list[Part]:
    """All parts, in the order in which they build on one another."""
    return [
        Part("Python", True, f"{platform.python_version()} on {sys.platform} {platform.machine()}"),
        Part("advisor", True, __version__),
        _package("numba", INSTALL),
        _compilers(),
        _attempt("NVVM", _toolchain_remedy(), _nvvm),
        _attempt("nvJitLink", _toolchain_remedy(), _nvjitlink),
        _attempt("nvdisasm", _toolchain_remedy(), _nvdisasm),
        _gpu(),
    ]


def _toolchain_remedy() -> str:
    return "" if sys.platform == "darwin" else INSTALL


def _gpu() -> Part:
    """The GPUs; the remedy is that of the missing bindings, since no command brings a GPU."""
    part = _attempt("GPU", _toolchain_remedy(), _gpus)
    return part if "pynvml" in part.detail else replace(part, remedy="")


def _package(name: str, remedy: str) -> Part:
    try:
        return Part(name, True, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Part(name, False, _absent(f"the package {name} is not installed"), remedy)


def _compilers() -> Part:
    """numba-cuda: found where it is installed and loads beside the other packages."""
    part = _package("numba-cuda", _toolchain_remedy())
    if part.found:
        try:
            load_compilers()
        except EvidenceUnavailable as unavailable:
            return Part(part.name, False, str(unavailable).rstrip("."), UPGRADE)
    return part


def _attempt(name: str, remedy: str, probe: Callable[[], str]) -> Part:
    # A broken installation fails in ways of its own (a loader's error, a missing symbol): all mean "no".
    try:
        return Part(name, True, probe())
    except ModuleNotFoundError as error:
        return Part(name, False, _absent(f"the module {error.name} is not installed"), remedy)
    except Exception as error:
        return Part(name, False, " ".join(str(error).split())[:200] or type(error).__name__, remedy)


def _absent(cause: str) -> str:
    return f"{cause}; NVIDIA has no packages for macOS" if sys.platform == "darwin" else cause


def _nvvm() -> str:
    from cuda.pathfinder import load_nvidia_dynamic_lib

    return str(load_nvidia_dynamic_lib("nvvm").abs_path)


def _nvjitlink() -> str:
    from cuda.bindings import nvjitlink

    return ".".join(str(number) for number in nvjitlink.version())


def _nvdisasm() -> str:
    import re
    import subprocess

    from cuda.pathfinder import find_nvidia_binary_utility

    path = find_nvidia_binary_utility("nvdisasm")
    if path is None:
        raise FileNotFoundError("the program nvdisasm was not found")
    shown = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=True)
    version = re.search(r"V([\d.]+)", shown.stdout)
    return f"{version[1]} at {path}" if version else str(path)


def _gpus() -> str:
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise LookupError(f"no NVIDIA driver answers ({error})") from None
    try:
        driver = pynvml.nvmlSystemGetDriverVersion()
        names = []
        for index in range(pynvml.nvmlDeviceGetCount()):
            handle = pynvml.nvmlDeviceGetHandleByIndex(index)
            major, minor = pynvml.nvmlDeviceGetCudaComputeCapability(handle)
            names.append(f"{pynvml.nvmlDeviceGetName(handle)} (compute capability {major}.{minor})")
    finally:
        pynvml.nvmlShutdown()
    if not names:
        raise LookupError(f"driver {driver} is installed and shows no GPU")
    return f"{', '.join(names)}, driver {driver}"
