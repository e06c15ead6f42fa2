"""Requests for launches of Python functions that Numba compiles here, with what their text says of sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from advisor.evidence.simulated.synthesis.request import KnownLaunch, Limits, Request
from advisor.model.machine_code.kernel_code import KernelCode, ParameterSlot
from advisor.program.index_relations.relations import EqualSizes, Extent, IndexRelations, ScalarSize, Size

ENOUGH = Limits(seconds=60.0, memory_bytes=1 << 30, instructions=20_000)
NOTHING = KnownLaunch()
UNRELATED = IndexRelations()


def code_of(function: Callable[..., Any], *types: Any) -> KernelCode:
    """The code of a function for types of Numba's."""
    import inspect

    from numba import cuda

    text, _ = cuda.compile_ptx(function, types, cc=(8, 0), lineinfo=True)
    names = list(inspect.signature(function).parameters)
    slots = [slot for name, kind in zip(names, types, strict=True) for slot in slots_of(name, kind)]
    entry = next(line for line in text.splitlines() if ".entry" in line).split()[-1].rstrip("(")
    return KernelCode(function.__name__, text, entry, tuple(slots), tuple(map(str, types)))


def slots_of(name: str, kind: Any) -> list[ParameterSlot]:
    """The slots of one argument of a type of Numba's."""
    from numba.cuda import types
    from numba.cuda.np.numpy_support import as_dtype

    def text(dtype: Any) -> str:
        found = as_dtype(dtype)
        return str(found.descr) if found.names else found.str

    if isinstance(kind, types.BaseTuple):
        return [slot for number, one in enumerate(kind) for slot in slots_of(f"{name}.{number}", one)]
    if isinstance(kind, types.Array):
        return [ParameterSlot(name, "array", text(kind.dtype), kind.ndim, kind.layout)]
    return [ParameterSlot(name, "record" if isinstance(kind, types.Record) else "scalar", text(kind))]


def request_of(
    function: Callable[..., Any],
    *types: Any,
    relations: IndexRelations = UNRELATED,
    launch: KnownLaunch = NOTHING,
    limits: Limits = ENOUGH,
    device_functions: Sequence[Any] = (),
) -> Request:
    """A request for a function, whose lines are those of its file."""
    functions = [function, *(one.py_func for one in device_functions)]
    places = tuple((one.__code__.co_filename, one.__code__.co_firstlineno) for one in functions)
    code = code_of(function, *types)
    return Request(function.__name__, (code,), relations, launch, places, limits)


def along(axis: int | None, *sizes: Size, least: int = 0) -> EqualSizes:
    """Sizes that are equal, with an axis of the launch along them or None."""
    return EqualSizes(sizes, least, axis)


def extent(array: str, axis: int = 0) -> Extent:
    """An extent of an array, the first one if no axis is given."""
    return Extent(array, axis)


def value_of(name: str) -> ScalarSize:
    """The value of an integer parameter."""
    return ScalarSize(name)
