"""Which compiler and assembler packages are installed, and where nvdisasm is; imports none of them."""

from __future__ import annotations

import os
import shutil
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from advisor.model.errors import EvidenceUnavailable
from advisor.model.machine_code.gpu_extra import REMEDY, missing_translator

_PACKAGES = (
    "numba",
    "numba-cuda",
    "llvmlite",
    "numpy",
    "cuda-bindings",
    "nvidia-nvvm",
    "nvidia-nvvm-cu12",
    "nvidia-cuda-nvcc-cu12",
    "nvidia-nvjitlink",
    "nvidia-nvjitlink-cu12",
    "nvidia-cuda-nvrtc",
    "nvidia-cuda-nvrtc-cu12",
    "nvidia-cuda-nvdisasm",
)
_NVRTC = ("nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12")
_NEEDED = ("numba-cuda", "numba", "cuda-bindings")
_PROGRAM = "nvdisasm.exe" if sys.platform == "win32" else "nvdisasm"


def installed_version(package: str) -> str | None:
    """The version of an installed distribution, None where there is none."""
    try:
        return distribution(package).version
    except PackageNotFoundError:
        return None


def toolchain_versions() -> dict[str, str]:
    """Versions of everything that decides what a kernel compiles to, Python's own included."""
    found = {name: installed_version(name) or "" for name in _PACKAGES}
    places = {name: os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")}
    return {**found, **places, "python": ".".join(map(str, sys.version_info[:3])), "system": sys.platform}


def missing_compiler() -> EvidenceUnavailable | None:
    """What keeps kernels from being compiled here and the remedy, None when all is there."""
    if (missing := missing_translator()) is not None:
        return missing
    for package in _NEEDED:
        if installed_version(package) is None:
            return EvidenceUnavailable(
                f"Kernels are not compiled: the package {package} is not installed.", REMEDY
            )
    return None


def missing_cuda_compiler() -> EvidenceUnavailable | None:
    """What keeps kernels in CUDA C++ from being compiled here and the remedy, None when NVRTC was found."""
    if any(installed_version(package) is not None for package in _NVRTC) or _in_toolkit():
        return None
    return EvidenceUnavailable(
        "Kernels in CUDA C++ are not compiled: NVRTC is not installed.",
        REMEDY,
    )


def _in_toolkit() -> bool:
    homes = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    folders = [Path(home) / part for home in homes if home for part in ("lib64", "lib", "bin")]
    return any(any(folder.glob("*nvrtc*")) for folder in folders)


def missing_disassembler() -> EvidenceUnavailable | None:
    """The reason why machine instructions cannot be counted by line, None when nvdisasm was found."""
    if nvdisasm() is not None:
        return None
    return EvidenceUnavailable(
        "Machine instructions are not counted by line: the program nvdisasm was not found.",
        REMEDY,
    )


@lru_cache(maxsize=1)
def nvdisasm() -> str | None:
    """The path of nvdisasm: the wheel's, else a CUDA toolkit's, else the one on PATH; None without any."""
    try:
        files = distribution("nvidia-cuda-nvdisasm").files or []
        for file in files:
            path = Path(str(file.locate()))
            if file.name == _PROGRAM and path.is_file():
                return str(path)
    except PackageNotFoundError:
        pass
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH")):
        if home and (Path(home) / "bin" / _PROGRAM).is_file():
            return str(Path(home) / "bin" / _PROGRAM)
    return shutil.which("nvdisasm")
