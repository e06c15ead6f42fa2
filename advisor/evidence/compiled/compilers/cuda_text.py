"""Compiles a kernel in CUDA C++ with NVRTC, to the PTX of that kernel alone with the lines of its text."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from advisor.evidence.compiled.instructions.ptx import unit_file

_ERROR = re.compile(r"unit-function-0\.py\((\d+)\):\s*(?:catastrophic )?error\s*(?:#[\w-]+)?:\s*(.*)")
_ENTRY = re.compile(r"^(?:\.\w+ )*\.entry (\w+)", re.MULTILINE)
# Below the folders of packages: the headers of CUDA, and those that CuPy adds to each compilation.
_HEADERS = {
    "nvidia": ("cu13/include", "cu13/include/cccl", "cuda_runtime/include"),
    "cupy": ("_core/include", "_core/include/cupy/_cccl/libcudacxx", "_core/include/cupy/_cccl/thrust",
             "_core/include/cupy/_cccl/cub"),
}  # fmt: skip


class CudaProblem(Exception):
    """NVRTC refuses the text; `line` is that of the first error."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def cuda_ptx(text: str, name: str, options: Sequence[str], capability: tuple[int, int]) -> str:
    """The PTX of one kernel, whose lines are those of function 0 of a unit; raises CudaProblem."""
    from cuda.bindings import nvrtc

    source = f'#line 1 "{unit_file(0)}"\n{text}'
    made, program = nvrtc.nvrtcCreateProgram(source.encode(), b"kernel.cu", 0, [], [])
    _check(nvrtc, made)
    try:
        _check(nvrtc, *nvrtc.nvrtcAddNameExpression(program, name.encode()))
        major, minor = capability
        wanted = [f"--gpu-architecture=compute_{major}{minor}", "-lineinfo", *options, *_include_options()]
        encoded = [one.encode() for one in wanted]
        (status,) = nvrtc.nvrtcCompileProgram(program, len(encoded), encoded)
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise _problem(_output(nvrtc, program, "ProgramLog"))
        found, lowered = nvrtc.nvrtcGetLoweredName(program, name.encode())
        _check(nvrtc, found)
        ptx = _output(nvrtc, program, "PTX")
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    return _alone(ptx, lowered.decode())


def _check(nvrtc: Any, status: Any) -> None:
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise CudaProblem(f"NVRTC says {status.name}")


def _output(nvrtc: Any, program: Any, name: str) -> str:
    _, size = getattr(nvrtc, f"nvrtcGet{name}Size")(program)
    data = b" " * size
    getattr(nvrtc, f"nvrtcGet{name}")(program, data)
    text: str = data.rstrip(b"\0 ").decode("utf-8", "replace")
    return text


def _problem(log: str) -> CudaProblem:
    found = _ERROR.search(log)
    if found is not None:
        return CudaProblem(found[2].strip(), int(found[1]))
    first = next((line for line in log.splitlines() if "error" in line), log.strip().partition("\n")[0])
    return CudaProblem(first.strip() or "NVRTC gives no reason")


def _alone(ptx: str, entry: str) -> str:
    """The text without the other kernels."""
    for found in reversed(list(_ENTRY.finditer(ptx))):
        if found[1] != entry:
            end = ptx.index("\n}\n", found.start()) + 3
            ptx = ptx[: found.start()] + ptx[end:]
    return ptx


def _include_options() -> Iterator[str]:
    for package, places in _HEADERS.items():
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            for place in places:
                if (Path(folder) / place).is_dir():
                    yield f"-I{Path(folder) / place}"
