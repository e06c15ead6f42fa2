"""NVRTC, NVIDIA's compiler in a library, which CuPy compiles all of its kernels with."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from pathlib import Path

# Where the wheels of CUDA 12 and 13 put it, below the package `nvidia`.
_PLACES = ("cuda_nvrtc/lib", "cu{major}/lib")
_kept: list[ctypes.CDLL] = []


def load_compiler(major: int) -> None:
    """Load the NVRTC of a CUDA version, which CuPy then finds by its name; says what is missing."""
    name = f"libnvrtc.so.{major}"
    found = [name, *map(str, _installed(name, major))]
    for library in found:
        try:
            # It asks for its second part by a bare name, which some versions do not find beside themselves.
            _kept.extend(ctypes.CDLL(str(part)) for part in _second_parts(library))
            _kept.append(ctypes.CDLL(library))
        except OSError:
            continue
        return
    wheel = f"nvidia-cuda-nvrtc-cu{major}" if major < 13 else f"nvidia-cuda-nvrtc>={major},<{major + 1}"
    print(
        f"advisor: CuPy compiles its kernels with {name}, which is not installed: `pip install '{wheel}'`.",
        file=sys.stderr,
    )


def _second_parts(library: str) -> list[Path]:
    """The files of NVRTC's headers and functions beside a library that is given by its path."""
    file = Path(library)
    return sorted(file.parent.glob("libnvrtc-builtins.so.*")) if file.is_absolute() else []


def _installed(name: str, major: int) -> list[Path]:
    """The files of this name in wheels of NVIDIA's."""
    spec = importlib.util.find_spec("nvidia")
    folders = [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []
    files = [folder / place.format(major=major) / name for folder in folders for place in _PLACES]
    return [file for file in files if file.is_file()]
