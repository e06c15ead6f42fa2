"""Puts functions of Python in the place of C functions that a module of CuPy offers to others.

Modules that are imported later take them from the module's table, as they take CuPy's own.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from advisor.evidence.simulated.cupy.runtime.native_functions import native_functions
from advisor.evidence.simulated.cupy.runtime.signatures import signature
from advisor.model.errors import AdvisorError

_kept: list[Any] = []
_get_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)


def offer(module: ModuleType, functions: Mapping[str, Callable[..., Any]]) -> None:
    """Let a module offer these functions, to C and to Python, in the place of its own of their names.

    A function that the module does not have is left out: versions differ in what they offer. So is one with
    types that are not known, such as structures by value: it stays as it is for others that are compiled.
    Raises AdvisorError for a module without a table.
    """
    table = getattr(module, "__pyx_capi__", None)
    if not isinstance(table, dict):
        raise AdvisorError(f"{module.__name__} has no table of its C functions (__pyx_capi__).")
    names = {name: _name(table[name]) for name in functions if name in table}
    found = {}
    for name, text in names.items():
        with contextlib.suppress(AdvisorError):
            found[name] = signature(text), functions[name]
    for name, address in native_functions(found).items():
        table[name] = _capsule(address, names[name])
    for name, function in functions.items():
        if hasattr(module, name):
            setattr(module, name, function)


def _name(capsule: Any) -> str:
    return bytes(_get_name(capsule)).decode()


def _capsule(address: int, name: str) -> Any:
    text = ctypes.create_string_buffer(name.encode())
    _kept.append(text)  # a capsule does not copy its name
    return _new(address, ctypes.addressof(text), None)
