"""What star imports of known libraries bring into a module, and which libraries a worker may import."""

from __future__ import annotations

import cmath
import math
import operator

import numpy as np

# The only modules a worker imports: everything else that a kernel names must become a constant or a function.
COMPILER_LIBRARIES = frozenset({"numba", "numpy", "math", "cmath", "operator"})

# Functions that these compile become device functions in a kernel that calls them.
CPU_COMPILERS = frozenset({"numba.jit", "numba.njit", "numba.extending.register_jitable"})

_SIZES = ("8", "16", "32", "64")
NUMBA_TYPES = frozenset(
    [f"{kind}{size}" for kind in ("int", "uint") for size in _SIZES]
    + [
        "float32",
        "float64",
        "complex64",
        "complex128",
        "boolean",
        "bool_",
        "void",
        "none",
        "intp",
        "uintp",
        "intc",
    ]
    + ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16", "byte", "char"]
    + ["float_", "double", "int_", "uint", "short", "long_", "longlong", "ulong", "ulonglong", "float16"]
)
# A compiler with Numba's own inference of types, for the same kernels.
MLIR_COMPILER = "numba_cuda_mlir"
_NUMBAS = (
    ("numba_cuda.numba", "numba"),
    (f"{MLIR_COMPILER}.cuda", "numba.cuda"),
    (f"{MLIR_COMPILER}.numba_cuda", "numba.cuda"),
)
_NUMBA_STAR = NUMBA_TYPES | {
    "jit",
    "njit",
    "vectorize",
    "guvectorize",
    "prange",
    "typeof",
    "from_dtype",
    "stencil",
}
_CUDA_STAR = frozenset({
    "grid", "gridsize", "threadIdx", "blockIdx", "blockDim", "gridDim", "laneid", "warpsize",
    "syncthreads", "syncthreads_and", "syncthreads_count", "syncthreads_or", "syncwarp", "shared",
    "local", "const", "atomic", "threadfence", "threadfence_block", "threadfence_system", "jit", "popc",
    "clz", "brev", "ffs", "fma", "selp", "cbrt", "shfl_sync", "shfl_up_sync", "shfl_down_sync",
    "shfl_xor_sync", "all_sync", "any_sync", "eq_sync", "ballot_sync", "match_any_sync", "match_all_sync",
    "activemask", "lanemask_lt", "nanosleep", "declare_device", "random", "cg", "libdevice", "fp16",
})  # fmt: skip


# Of these modules it is known what a star import binds.
KNOWN_STARS = frozenset({"math", "cmath", "operator", "numpy"})


def numbas_name(dotted: str) -> str:
    """`numba.cuda.grid` for a library name that means the same to another distribution or compiler."""
    for prefix, own in _NUMBAS:
        if dotted == prefix or dotted.startswith(f"{prefix}."):
            return own + dotted[len(prefix) :]
    root, _, name = dotted.partition(".")
    return f"numba.{name}" if root == MLIR_COMPILER and name in NUMBA_TYPES else dotted


def star_member(library: str, name: str) -> bool:
    """Whether `from library import *` binds `name`; False for libraries that are not known."""
    if name.startswith("_"):
        return False
    if library == "numba":
        return name in _NUMBA_STAR
    if library == "numba.types":
        return name in NUMBA_TYPES
    if library == "numba.cuda":
        return name in _CUDA_STAR
    module = {"math": math, "cmath": cmath, "operator": operator, "numpy": np}.get(library)
    return module is not None and name in getattr(module, "__all__", dir(module))
