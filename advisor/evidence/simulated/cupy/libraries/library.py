"""A library's functions in Python, and how its calls end."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from advisor.evidence.simulated.driver.gpu import Gpu

INT, LONG, SIZE, BYTE = ctypes.c_int, ctypes.c_longlong, ctypes.c_size_t, ctypes.c_byte
# Handles and addresses of either side.
ADDRESS = ctypes.c_uint64
OUT_ADDRESS, OUT_INT, OUT_SIZE = map(ctypes.POINTER, (ADDRESS, INT, SIZE))
FLOAT, DOUBLE, UNSIGNED_LONG = ctypes.c_float, ctypes.c_double, ctypes.c_ulonglong


@dataclass
class Library:
    """The functions of one library, with its results for what failed and for what is not offered.

    `file` is what the name of its file begins with, `module` the module of CuPy that needs it.
    """

    prefix: str
    file: str
    module: str
    failed: int
    refused: int
    functions: dict[str, tuple[Callable[..., None], tuple[Any, ...]]] = field(default_factory=dict)
    # What is looked up while the program runs, beside what the module needs.
    looked_up: tuple[str, ...] = ()
    # Functions that give a text for a number.
    texts: dict[str, Callable[[int], str]] = field(default_factory=dict)
    # The names of the files that were loaded.
    files: list[str] = field(default_factory=list)

    def offer(self, names: str, function: Callable[..., None], *types: Any) -> None:
        """Let a function answer those of `names`, with arguments of these types of ctypes."""
        for name in names.split():
            self.functions[name] = function, types

    def callback(self, name: str, gpu: Gpu) -> Any:
        """A C function of a name: the one that is offered, or one that says that it is not."""
        if name in self.functions:
            function, types = self.functions[name]
            return ctypes.CFUNCTYPE(INT, *types)(_ended(function, name, self.failed, gpu))

        if name in self.texts:
            return _giving_text(self.texts[name])

        def refuse() -> int:
            gpu.tell_missing(name)
            return self.refused

        return ctypes.CFUNCTYPE(INT)(refuse)


def _ended(function: Callable[..., None], name: str, failed: int, gpu: Gpu) -> Callable[..., int]:
    def answer(*given: Any) -> int:
        try:
            function(*given)
        except BaseException as problem:
            # An exception cannot pass through C.
            gpu.report(name, problem)
            return failed
        return 0

    return answer


def _giving_text(function: Callable[[int], str]) -> Any:
    """A C function that gives the address of a text, which stays."""
    kept: dict[int, Any] = {}

    def answer(number: int) -> int:
        if number not in kept:
            kept[number] = ctypes.create_string_buffer(function(number).encode())
        return ctypes.addressof(kept[number])

    return ctypes.CFUNCTYPE(ADDRESS, INT)(answer)
