"""Descriptors of tensors among the arguments of a launch: taken apart, as kernels for 8.0 want them.

Triton 3.9 has functions for its launchers that do it; earlier versions do the same within their launcher.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from triton.backends import driver as backends

_TYPE = re.compile(r"tensordesc<([^\[>]*)\[([^\]]*)\]")


def without_descriptors(types: Sequence[Any], values: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Types, values and names, those of each descriptor as a tuple: pointer, shape, strides and options."""
    found = []
    for kind, value, name in zip(types, values, names, strict=True):
        if not isinstance(kind, str) or not kind.startswith("tensordesc"):
            found.append((kind, value, name))
        elif hasattr(backends, "expand_signature"):
            parts = tuple(backends.expand_signature([kind], None, "nvTmaDesc"))
            found.append((parts, tuple(backends.decompose_descriptor(value)), name))
        else:
            options = _options(value)
            found.append((_parts(kind, len(options)), _values(value, options), name))
    return found


def _options(descriptor: Any) -> list[bool]:
    """What a descriptor chooses, as far as its version of Triton has it: padding (3.5), rounding (3.7)."""
    found = [descriptor.padding == "nan"] if hasattr(descriptor, "padding") else []
    rounds = getattr(descriptor, "round_f32_to_tf32", None)
    return found if rounds is None else [*found, bool(rounds)]


def _parts(kind: str, options: int) -> tuple[str, ...]:
    described = _TYPE.match(kind)
    if described is None:
        raise RuntimeError(f"Triton's descriptor {kind} is not understood.")
    axes = described[2].count(",") + 1
    extents = [*["i32"] * axes, *["i64"] * axes]
    return (f"*{described[1]}", *["i64"] * (2 * axes), *["i1"] * options, *extents)


def _values(descriptor: Any, options: Sequence[bool]) -> tuple[Any, ...]:
    extents = (*descriptor.shape, *descriptor.strides)
    return (descriptor.base, *extents, *options, *extents)
