"""Calls in host code that do nothing but what they show: none keeps an array or changes one unseen."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.thread_axes import cuda_attribute

COPIES = ("copy_to_host", "copy_to_device")
CUDA = ("to_device", "device_array", "device_array_like", "synchronize")
_BUILTINS = ("range", "len", "int", "float", "min", "max", "abs", "print", "enumerate", "zip")
_LIBRARIES = ("np", "numpy", "math")


def is_understood(module: SourceModule, call: ast.Call) -> bool:
    """Whether a call is a builtin, one of NumPy or math, or a copy or allocation that names no stream."""
    called = call.func
    if isinstance(called, ast.Name):
        return called.id in _BUILTINS and not module.bindings(called.id, None)
    if not isinstance(called, ast.Attribute):
        return False
    if cuda_attribute(module, called) is not None:
        return called.attr in CUDA and not _on_stream(call)
    if called.attr in COPIES:
        return len(call.args) + len(call.keywords) <= 1 and not _on_stream(call)
    return isinstance(called.value, ast.Name) and called.value.id in _LIBRARIES


def copies(module: SourceModule, call: ast.Call) -> bool:
    """Whether a call copies between host and device, or allocates or waits there."""
    if not isinstance(call.func, ast.Attribute):
        return False
    return cuda_attribute(module, call.func) in CUDA or call.func.attr in COPIES


def _on_stream(call: ast.Call) -> bool:
    """Whether a call names a stream, or may: `**options` has no name."""
    named = any(one.arg in (None, "stream", "to") for one in call.keywords)
    return named or any(isinstance(one, ast.Starred) for one in call.args)
