"""Calls in host code that do nothing but what they show: none keeps an array or changes one unseen."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.thread_axes import cuda_attribute

COPIES = ("copy_to_host", "copy_to_device")
CUDA = ("to_device", "device_array", "device_array_like", "synchronize")
_BUILTINS = ("range", "len", "int", "float", "min", "max", "abs", "print", "enumerate", "zip")
_LIBRARIES = ("np", "numpy", "math")


def is_understood(module: SourceModule, call: cst.Call) -> bool:
    """Whether a call is a builtin, one of NumPy or math, or a copy or allocation that names no stream."""
    called = call.func
    if isinstance(called, cst.Name):
        return called.value in _BUILTINS and not module.bindings(called.value, None)
    if not isinstance(called, cst.Attribute):
        return False
    if cuda_attribute(module, called) is not None:
        return called.attr.value in CUDA and not _on_stream(call)
    if called.attr.value in COPIES:
        return len(call.args) <= 1 and not _on_stream(call)
    return isinstance(called.value, cst.Name) and called.value.value in _LIBRARIES


def copies(module: SourceModule, call: cst.Call) -> bool:
    """Whether a call copies between host and device, or allocates or waits there."""
    if not isinstance(call.func, cst.Attribute):
        return False
    return cuda_attribute(module, call.func) in CUDA or call.func.attr.value in COPIES


def _on_stream(call: cst.Call) -> bool:
    named = [one.keyword.value for one in call.args if one.keyword is not None]
    return "stream" in named or "to" in named or any(one.star for one in call.args)
