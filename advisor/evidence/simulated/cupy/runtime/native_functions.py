"""C functions that call functions of Python and pass on what these raise.

A function that ctypes makes prints what its Python function raises and goes on; here the error stays set and
the function gives the value that means an error, as functions compiled by Cython do.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

from advisor.evidence.simulated.cupy.runtime.signatures import LEFT_OUT, Kind, Signature
from advisor.evidence.simulated.simt.vector.objects import load, object_code

_TYPES: dict[Kind, str] = {
    "int": "i32",
    "unsigned": "i32",
    "long": "i64",
    "size": "i64",
    "float": "float",
    "object": "ptr",
    "dispatch": "i32",
    "defaults": "ptr",
}
# The integer's conversion to Python's, with the type that it takes.
_TO_PYTHON: dict[Kind, tuple[str, str]] = {
    "int": ("PyLong_FromLong", "sext"),
    "unsigned": ("PyLong_FromUnsignedLong", "zext"),
    "long": ("PyLong_FromSsize_t", ""),
    "size": ("PyLong_FromSize_t", ""),
}
_FROM_PYTHON: dict[Kind, str] = {
    "int": "PyLong_AsLong",
    "unsigned": "PyLong_AsUnsignedLongMask",
    "long": "PyLong_AsSsize_t",
    "size": "PyLong_AsUnsignedLongMask",
}
# What CuPy declares as the value that an error may stand behind: `except? -1` or `except? 0`.
_ON_ERROR: dict[Kind, str] = {
    "int": "-1",
    "unsigned": "0",
    "long": "0",
    "size": "-1",
    "float": "0.0",
    "object": "null",
}
_DECLARATIONS = {
    "PyLong_FromLong": "ptr @{}(i64)",
    "PyLong_FromUnsignedLong": "ptr @{}(i64)",
    "PyLong_FromSsize_t": "ptr @{}(i64)",
    "PyLong_FromSize_t": "ptr @{}(i64)",
    "PyFloat_FromDouble": "ptr @{}(double)",
    "PyLong_AsLong": "i64 @{}(ptr)",
    "PyLong_AsSsize_t": "i64 @{}(ptr)",
    "PyLong_AsUnsignedLongMask": "i64 @{}(ptr)",
    "PyFloat_AsDouble": "double @{}(ptr)",
    "PyTuple_New": "ptr @{}(i64)",
    "PyTuple_SetItem": "i32 @{}(ptr, i64, ptr)",
    "PyObject_Call": "ptr @{}(ptr, ptr, ptr)",
    "Py_IncRef": "void @{}(ptr)",
    "Py_DecRef": "void @{}(ptr)",
}
# The code and the functions that it calls are needed until the process ends, by destructors after Python's
# own end too.
_kept: list[Any] = []


def native_functions(functions: Mapping[str, tuple[Signature, Callable[..., Any]]]) -> dict[str, int]:
    """The addresses of C functions of these signatures which call these functions."""
    parts = [f"declare {form.format(name)}" for name, form in _DECLARATIONS.items()]
    for name, (signature, function) in functions.items():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(function))
        parts.append(_definition(f"advisor_{name}", signature, id(function)))
    exports = [f"advisor_{name}" for name in functions]
    imports = {name: _address(name) for name in _DECLARATIONS}
    loaded = load("cupy", object_code("\n".join(parts), False), exports, imports)
    _kept.append(loaded)
    return {name: loaded.addresses[f"advisor_{name}"] for name in functions}


def _address(name: str) -> int:
    return int(ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0)


def _definition(name: str, signature: Signature, function: int) -> str:
    """The LLVM text of a function that makes objects of its arguments, calls, and takes the result apart."""
    given = ", ".join(f"{_TYPES[kind]} %a{number}" for number, kind in enumerate(signature.arguments))
    handed = [(number, kind) for number, kind in enumerate(signature.arguments) if kind not in LEFT_OUT]
    count = len(handed)
    lines = [
        f"define {_TYPES[signature.result]} @{name}({given}) {{",
        f"  %all = call ptr @PyTuple_New(i64 {count})",
    ]
    for place, (number, kind) in enumerate(handed):
        # The tuple takes the reference over.
        lines += [
            *_object(number, kind),
            f"  %s{number} = call i32 @PyTuple_SetItem(ptr %all, i64 {place}, ptr %o{number})",
        ]
    lines.append(
        f"  %got = call ptr @PyObject_Call(ptr inttoptr (i64 {function} to ptr), ptr %all, ptr null)"
    )
    lines.append("  call void @Py_DecRef(ptr %all)")
    lines += ["  %failed = icmp eq ptr %got, null", "  br i1 %failed, label %raise, label %return", "raise:"]
    lines += [f"  ret {_TYPES[signature.result]} {_ON_ERROR[signature.result]}", "return:"]
    return "\n".join([*lines, *_result(signature.result), "}"])


def _object(number: int, kind: Kind) -> list[str]:
    """The lines that make `%o<number>`, a reference of our own, of `%a<number>`."""
    if kind == "object":
        return [
            f"  %o{number} = getelementptr i8, ptr %a{number}, i64 0",
            f"  call void @Py_IncRef(ptr %o{number})",
        ]
    if kind == "float":
        return [
            f"  %w{number} = fpext float %a{number} to double",
            f"  %o{number} = call ptr @PyFloat_FromDouble(double %w{number})",
        ]
    function, widening = _TO_PYTHON[kind]
    if not widening:
        return [f"  %o{number} = call ptr @{function}(i64 %a{number})"]
    return [
        f"  %w{number} = {widening} i32 %a{number} to i64",
        f"  %o{number} = call ptr @{function}(i64 %w{number})",
    ]


def _result(kind: Kind) -> list[str]:
    """The lines that return `%got` as a C value and give it back."""
    if kind == "object":
        return ["  ret ptr %got"]
    if kind == "float":
        lines = ["  %wide = call double @PyFloat_AsDouble(ptr %got)"]
        narrowed = "  %value = fptrunc double %wide to float"
    else:
        lines = [f"  %wide = call i64 @{_FROM_PYTHON[kind]}(ptr %got)"]
        narrowed = "  %value = trunc i64 %wide to i32" if _TYPES[kind] == "i32" else ""
    value = "%value" if narrowed else "%wide"
    lines += ["  call void @Py_DecRef(ptr %got)", *filter(None, [narrowed])]
    return [*lines, f"  ret {_TYPES[kind]} {value}"]
