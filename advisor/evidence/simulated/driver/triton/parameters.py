"""The bytes of a kernel's parameters from Triton's types of them and the arguments of a launch."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

CONSTANT = "constexpr"
_FLOATS = {"fp16": "<e", "fp32": "<f", "f32": "<f", "fp64": "<d"}
_INTEGER = re.compile(r"[iu](\d+)")


def flat(types: Iterable[Any], values: Iterable[Any], names: Iterable[str]) -> Iterator[tuple[str, str, Any]]:
    """Name, type and value of each argument, the members of tuples apart: `name[0]` …"""
    for kind, value, name in zip(types, values, names, strict=True):
        if isinstance(kind, tuple):
            yield from flat(kind, value, [f"{name}[{index}]" for index in range(len(kind))])
        else:
            yield name, str(kind), value


def scalar_bytes(kind: str, value: Any) -> bytes:
    """The bytes of a number of Triton's type; raises ValueError for a type that is no number's.

    A bfloat16 is cut off, as Triton's launcher does.
    """
    if kind in _FLOATS:
        return struct.pack(_FLOATS[kind], float(value))
    if kind == "bf16":
        return struct.pack("<f", float(value))[2:]
    found = _INTEGER.fullmatch(kind)
    if found is None:
        raise ValueError(f"an argument of Triton's type {kind}")
    size = max(8, int(found[1])) // 8
    return (int(value) % (1 << 8 * size)).to_bytes(size, "little")


def filled(values: Sequence[bytes], sizes: Sequence[int]) -> list[bytes]:
    """The values, with zeros for the parameters behind them: memory that the kernel does not ask for."""
    return [*values, *(bytes(size) for size in sizes[len(values) :])]
