"""A kernel's PTX with its parameters as Numba passes them, found from the types inside a worker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from advisor.evidence.compiled.compilers.literals import argument_type

Json = dict[str, Any]

_ENTRY = re.compile(r"^\s*(?:\.(?:visible|extern|weak)\s+)*\.entry\s+([\w$.%]+)", re.MULTILINE)


class _NoSlot(Exception):
    """A type whose place among the parameters is not known here."""


def executable_codes(
    kernel: Any,
    ptx: str,
    types: Sequence[str],
    other: Sequence[str] | None,
    compile: Callable[[Sequence[str]], str | None],
) -> list[Json]:
    """The kernel's code for the typing that was taken, and for the `other` one where that compiles.

    Each has ptx, entry, types, and slots as lists of the fields of `ParameterSlot`. Empty for parameters of
    types that have no place in memory which NumPy knows.
    """
    found = []
    for text, typing in ((ptx, types), (compile(other) if other else None, other or ())):
        entry = _ENTRY.search(text) if text else None
        try:
            slots = [list(slot) for slot in _slots(kernel, typing)]
        except _NoSlot:
            continue
        if entry is not None:
            found.append({"ptx": text, "entry": entry[1], "types": list(typing), "slots": slots})
    return found


def _slots(kernel: Any, types: Sequence[str]) -> Iterator[tuple[str, str, str, int, str]]:
    names = kernel.__code__.co_varnames
    for name, text in zip(names, types, strict=False):
        yield from _of_type(name, argument_type(text))


def _of_type(name: str, type: Any) -> Iterator[tuple[str, str, str, int, str]]:
    """The values that an argument is passed as: one for each item of a tuple."""
    kind = type.__class__.__name__
    if kind in ("Tuple", "UniTuple", "NamedTuple", "NamedUniTuple"):
        for number, member in enumerate(type):
            yield from _of_type(f"{name}.{number}", member)
    elif kind == "Array":
        yield name, "array", _dtype(type.dtype), int(type.ndim), str(type.layout)
    else:
        yield name, "record" if kind == "Record" else "scalar", _dtype(type), 0, ""


def _dtype(type: Any) -> str:
    from numba.np import numpy_support

    try:
        found = numpy_support.as_dtype(type)
        return repr(found.descr) if found.names is not None else str(found.str)
    except Exception:
        raise _NoSlot(str(type)) from None
