"""A kernel's PTX with what its parameters are in Numba's calling convention: all that a machine needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

SlotKind: TypeAlias = Literal["array", "record", "scalar"]


@dataclass(frozen=True, slots=True)
class ParameterSlot:
    """One value that a kernel takes; an argument that is a tuple is one slot for each of its items.

    `name` is the parameter's, `t.0` for an item of a tuple. `dtype` is what `numpy.dtype` takes after
    `ast.literal_eval` where it begins with a bracket: `<f4`, `[('x', '<f4'), ('id', '<i4')]`; for an array
    that of its elements. `layout` is C, F or A, and empty for what is no array.
    """

    name: str
    kind: SlotKind
    dtype: str
    ndim: int = 0
    layout: str = ""


@dataclass(frozen=True, slots=True)
class KernelCode:
    """The PTX of a kernel for one typing of its parameters.

    `entry` is the name of the kernel in it; functions stand in files `unit-function-N.py`, N being the number
    of the unit's function. `assumptions` are those that the typing rests on, none where the source or a
    launch states it.
    """

    kernel: str
    ptx: str
    entry: str
    slots: tuple[ParameterSlot, ...]
    types: tuple[str, ...]
    assumptions: tuple[str, ...] = ()
