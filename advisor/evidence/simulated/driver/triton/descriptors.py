"""Descriptors of tensors among the arguments of a launch, as kernels want them.

Kernels for 8.0 want them taken apart, those for 9.0 and later a tensor map with the shape and the strides:
Triton's metadata of a kernel then say for each descriptor how its tensor lies in shared memory. Triton 3.9
has functions for its launchers that take them apart; earlier versions do the same within their launcher.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from triton.backends import driver as backends

from advisor.evidence.simulated.simt.vector.tensor.tensor_maps import ELEMENT_TF32, encoded

TENSOR_MAP = "nvTmaDesc"
_TYPE = re.compile(r"tensordesc<([^\[>]*)\[([^\]]*)\]")


@dataclass(frozen=True)
class MappedTensor:
    """A tensor that a kernel reaches by a map: Triton's descriptor, and what its metadata say of it."""

    descriptor: Any
    layout: Mapping[str, Any]

    def map_at(self, address: int) -> bytes:
        """The map of the tensor whose first element is at an address; RuntimeError for another kind."""
        given, layout = self.descriptor, self.layout
        if layout.get("fp4_padded") or layout.get("is_im2col"):
            raise RuntimeError("Descriptors of images and of numbers of four bits are not executed.")
        size = int(layout["elem_size"])
        rounds = bool(getattr(given, "round_f32_to_tf32", False))
        return encoded(
            address,
            list(reversed(given.shape)),
            [size * step for step in reversed(given.strides[:-1])],
            list(reversed(layout["block_size"])),
            ELEMENT_TF32[0] if rounds else int(layout["elem_type"]),
            int(layout["swizzle"]),
            int(getattr(given, "padding", "zero") == "nan"),
        )


def without_descriptors(
    types: Sequence[Any],
    values: Sequence[Any],
    names: Sequence[str],
    layouts: Sequence[Mapping[str, Any]] = (),
) -> list[Any]:
    """Types, values and names, those of each descriptor as a tuple: pointer, shape, strides and options; with
    `layouts` of the descriptors in their order a tensor map, shape and strides.
    """
    found = []
    waiting = list(layouts)
    for kind, value, name in zip(types, values, names, strict=True):
        if not isinstance(kind, str) or not kind.startswith("tensordesc"):
            found.append((kind, value, name))
        elif waiting:
            axes = len(value.shape)
            parts = (TENSOR_MAP, *["i32"] * axes, *["i64"] * axes)
            mapped = MappedTensor(value, waiting.pop(0))
            found.append((parts, (mapped, *value.shape, *value.strides), name))
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
