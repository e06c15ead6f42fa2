"""Arguments of a launch that is made up: device memory, the bytes of the parameters, the bounds of arrays.

They lie as Numba's calling convention takes arguments apart: an array is two pointers of the host (memory
information and parent), its items, the bytes of one, the address of its data, then its shape and its strides;
a record the address of its bytes; a complex number its two parts.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import ArrayArgument, pack_parameters
from advisor.evidence.simulated.simt.ptx.ptx_program import Function
from advisor.model.machine_code.kernel_code import ParameterSlot
from advisor.model.text.syntax_trees import expression_tree

# Where the address of an array's data stands among its parameters.
_DATA_AT = 4
_POINTER_BYTES = 8
# Buffers begin at multiples of this, and sectors end there.
_ALIGNMENT = 256


class NotMade(Exception):
    """A launch that cannot be made up; the message is a sentence that says why."""


@dataclass(frozen=True)
class Content:
    """What arguments hold: the elements of an array or a record in the order of memory, and scalars."""

    elements: Callable[[ParameterSlot], npt.NDArray[Any]]
    scalar: Callable[[ParameterSlot], np.generic]


@dataclass(frozen=True)
class Span:
    """The bytes of an array: its first and the one behind its last."""

    begin: int
    end: int


@dataclass(frozen=True)
class Arguments:
    """What a launch is given; `names` are the arrays' by PTX parameter, `spans` their bytes by name."""

    memory: DeviceMemory
    parameters: bytes
    arrays: tuple[ArrayArgument, ...]
    names: dict[str, str]
    spans: dict[str, Span]


def slot_dtype(slot: ParameterSlot) -> np.dtype[Any]:
    """The data type of a scalar, a record or an array's elements; raises TypeError or ValueError for a text
    that names none.
    """
    return _dtype(slot.dtype)


@lru_cache(256)
def _dtype(text: str) -> np.dtype[Any]:
    return np.dtype(ast.literal_eval(expression_tree(text)) if text[:1] in ("[", "{", "(") else text)


def make_arguments(
    function: Function,
    slots: Sequence[ParameterSlot],
    shapes: Mapping[str, tuple[int, ...]],
    content: Content,
    slack: int = 0,
) -> Arguments:
    """The arguments of a kernel in new device memory.

    So many bytes of `slack` on both sides of each array may be accessed too; its content is repeated there.
    Raises NotMade where the kernel's parameters are others than the slots say, and MemoryError.
    """
    made = _Maker(function, shapes, content, slack)
    for slot in slots:
        made.add(slot)
    try:
        parameters = pack_parameters(function, made.values)
    except ValueError as error:
        raise NotMade(f"The parameters of the kernel are not those of its types: {error}.") from None
    return Arguments(made.memory, parameters, tuple(made.arrays), made.names, made.spans)


class _Maker:
    def __init__(
        self, function: Function, shapes: Mapping[str, tuple[int, ...]], content: Content, slack: int
    ) -> None:
        self._function, self._shapes, self._content, self._slack = function, shapes, content, slack
        self.memory = DeviceMemory()
        self.values: list[bytes] = []
        self.arrays: list[ArrayArgument] = []
        self.names: dict[str, str] = {}
        self.spans: dict[str, Span] = {}

    def add(self, slot: ParameterSlot) -> None:
        """Add the values of one slot."""
        if slot.kind == "array":
            self._add_array(slot)
        elif slot.kind == "record":
            content = self._content.elements(slot)
            self._note(slot.name, len(self.values), self._placed(slot.name, content))
            self.values.append(_integer(self.spans[slot.name].begin))
        else:
            self.values += _parts(self._content.scalar(slot))

    def _add_array(self, slot: ParameterSlot) -> None:
        shape, content = self._shapes[slot.name], self._content.elements(slot)
        if content.size != math.prod(shape):
            raise ValueError(f"{slot.name} of the shape {shape} has {content.size} elements")
        self._note(slot.name, len(self.values) + _DATA_AT, self._placed(slot.name, content))
        numbers = (content.size, content.itemsize, self.spans[slot.name].begin)
        strides = strides_of(shape, content.itemsize, slot.layout)
        self.values += [_integer(number) for number in (0, 0, *numbers, *shape, *strides)]

    def _placed(self, name: str, content: npt.NDArray[Any]) -> Span:
        """The bytes that may be accessed for an array, with the content in their middle."""
        plain = np.ascontiguousarray(content).view(np.uint8).reshape(-1)
        # Whole elements and whole sectors, so that an array is aligned as it is without slack.
        step = math.lcm(max(1, content.itemsize), _ALIGNMENT)
        pad = -(-self._slack // step) * step if len(plain) else 0
        begin = self.memory.allocate(len(plain) + 2 * pad)
        if len(plain):
            self.memory.view(begin + pad, len(plain))[:] = plain
        if pad:
            again = np.resize(plain, pad)
            self.memory.view(begin, pad)[:] = again
            self.memory.view(begin + pad + len(plain), pad)[:] = again
        self.spans[name] = Span(begin + pad, begin + pad + len(plain))
        return Span(begin, begin + len(plain) + 2 * pad)

    def _note(self, name: str, number: int, bounds: Span) -> None:
        if number < len(self._function.parameters):
            self.names[self._function.parameters[number].name] = name
            self.arrays.append(ArrayArgument(name, number, bounds.begin, bounds.end))


def strides_of(shape: Sequence[int], item: int, layout: str) -> tuple[int, ...]:
    """Bytes from one element to the next along each axis: neighbours along the first axis for the layout F,
    else along the last.
    """
    axes = range(len(shape)) if layout == "F" else range(len(shape) - 1, -1, -1)
    strides, step = [0] * len(shape), item
    for axis in axes:
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


def _integer(number: int) -> bytes:
    return number.to_bytes(_POINTER_BYTES, "little", signed=True)


def _parts(value: np.generic) -> list[bytes]:
    """The parameters that one value becomes: a complex number is two."""
    plain = value.tobytes()
    if not isinstance(value, np.complexfloating):
        return [plain]
    half = len(plain) // 2
    return [plain[:half], plain[half:]]
