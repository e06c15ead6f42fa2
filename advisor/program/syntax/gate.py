"""The cheap test that tells the files worth parsing from all others."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE

from advisor.model.text.notebooks import is_notebook

_DEVICE_CODE = re.compile(
    rb"\btarget[ \t]*=[ \t]*[\"']cuda[\"']|\.jit\b|\bcuda[ \t]+import\b|threadIdx|blockIdx"
    rb"|\bcuda\.(?:grid|gridsize|shared|local|atomic|syncthreads|to_device|device_array|synchronize)\b"
)


# What only kernels of Numba say, in a module that has `cuda` and a decorator from another one.
_OF_KERNELS = re.compile(
    rb"\bcuda\.(?:grid|gridsize|(?:shared|local)\.array|atomic|syncthreads|threadIdx|blockIdx|blockDim)\b"
)
_OWN_JIT = re.compile(rb"^[ \t]*from[ \t]+(?!numba)[\w.]+[ \t]+import[ \t(][^#\n]*\bjit\b", re.MULTILINE)


def may_hold_device_code(data: bytes) -> bool:
    """Whether the bytes of a file name CUDA, numba or `cuda.jit`, and something that kernels or hosts use.

    A module may have `cuda` or `jit` from another one of the workspace, and never name numba itself. A text
    in UTF-16 shows none of these words; it passes, so that its encoding is told of.
    """
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return True
    if b"cuda" in data and (b"numba" in data or b"cuda.jit" in data):
        return _DEVICE_CODE.search(data) is not None
    if b"cuda" in data and _OF_KERNELS.search(data) is not None:
        return True
    return b"numba" in data and b"jit" in data and _OWN_JIT.search(data) is not None


_TRITON_CODE = re.compile(
    rb"\bimport[ \t]+triton\b|\bfrom[ \t]+[\w.]*triton[\w.]*[ \t]+import\b|\btriton\.(?:jit|language)\b"
)


def may_hold_triton_code(data: bytes) -> bool:
    """Whether the bytes of a file name Triton as modules do that define its kernels or launch them."""
    return b"triton" in data and _TRITON_CODE.search(data) is not None


def may_hold_cuda_texts(data: bytes) -> bool:
    """Whether the bytes of a file hand a text of CUDA C++ in it to CuPy."""
    return b"__global__" in data and b"cupy" in data and (b"RawKernel" in data or b"RawModule" in data)


def may_name_cuda_files(data: bytes) -> bool:
    """Whether the bytes of a file name CuPy and files of CUDA C++."""
    return b"cupy" in data and b".cu" in data


_ARRAY_LIBRARY = re.compile(rb"\b(?:import|from)[ \t]+(?:torch|cupy)\b")
_ARRAY_WORK = re.compile(
    rb"\.item\(|\.cpu\(|\.get\(|asnumpy|\.tolist\(|synchronize\(|empty_cache|free_all_blocks|\bDataLoader\("
    rb"|cuda\.graph\(|perf_counter|time\.time|\.cuda\(|\.to\(|matmul|all_reduce|device=|asarray|cupy"
)
# What is worth telling of in tests too.
_ARRAY_WORK_IN_TESTS = re.compile(rb"cuda\.graph\(|perf_counter|time\.time|non_blocking")


def may_hold_array_code(data: bytes, *, is_test: bool) -> bool:
    """Whether the bytes of a file import torch or cupy, name a GPU, and do what host rules speak of."""
    if b"torch" not in data and b"cupy" not in data:
        return False
    if b"cuda" not in data and b"cupy" not in data:
        return False
    work = _ARRAY_WORK_IN_TESTS if is_test else _ARRAY_WORK
    return work.search(data) is not None and _ARRAY_LIBRARY.search(data) is not None


def searchable(data: bytes, path: str) -> bytes:
    """The bytes to look for words in: those of a file, of a notebook without the escapes in its strings."""
    if not is_notebook(path):
        return data
    return data.replace(b"\\n", b"\n").replace(b"\\t", b"\t").replace(b'\\"', b'"')


def is_damaged(data: bytes, path: str) -> bool:
    """Whether a notebook's bytes are no JSON object at first sight; it is read, so that this is told of."""
    if not is_notebook(path):
        return False
    shown = data.removeprefix(BOM_UTF8).strip()
    return not (shown.startswith(b"{") and shown.endswith(b"}"))


_CALL_OF_ITEM = re.compile(rb"\]\s{0,8}\(")
# Grids are often written with items of a shape, `kernel[a.shape[0] // 256 + 1, 256](…)`.
_ITEM = re.compile(rb"(\w+)\s*\[(?:[^\[\]]|\[[^\[\]]{0,40}\]){1,200}\Z")
_LONGEST = 260


def launched_names(data: bytes) -> frozenset[str]:
    """The names that the bytes of a file subscript and then call, as a launch does."""
    if b"cuda" not in data and b"gpu" not in data.lower():
        return frozenset()
    found = set()
    for call in _CALL_OF_ITEM.finditer(data):
        # A search from the bracket backwards: most subscripts of a file are never called.
        item = _ITEM.search(data, max(call.start() - _LONGEST, 0), call.start())
        if item:
            found.add(item[1].decode("ascii", "ignore"))
    return frozenset(found)
