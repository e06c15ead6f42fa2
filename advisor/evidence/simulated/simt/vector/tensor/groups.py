"""What `wgmma.mma_async` multiplies: its sizes, types and operands; PTX ISA, "wgmma.mma_async".

Each warp of a group of four makes sixteen of the 64 rows, so a warp needs nothing of the others. Its lanes
hold the result as they hold that of `mma` with sixteen rows: eight columns in four sums, for all columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from advisor.evidence.simulated.simt.ptx.ptx_program import Group, Instruction, Integer, Operand

# The bytes of an element by its type, and the depth k: a row of A or B has 32 bytes.
ELEMENT_BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "e4m3": 1, "e5m2": 1, "s8": 1, "u8": 1}
DEPTH_BYTES = 32
_RESULTS = {
    "f16": ("f32", "f16"), "bf16": ("f32",), "tf32": ("f32",),
    "e4m3": ("f32", "f16"), "e5m2": ("f32", "f16"), "s8": ("s32",), "u8": ("s32",),
}  # fmt: skip
_FAMILIES = (("f16",), ("bf16",), ("tf32",), ("e4m3", "e5m2"), ("s8", "u8"))
INTEGERS = frozenset({"s8", "u8"})
_HALVES = frozenset({"f16", "bf16"})
_SHAPE = re.compile(r"m64n(\d+)k(\d+)")
_MOST_COLUMNS = 256
_SATURATING = "satfinite"
SIDE = 8


@dataclass(frozen=True)
class GroupProduct:
    """A product of a group of warps: columns, types, what is turned or negated; `left` A and `right` B.

    `turned` says of A and of B whether the elements of one depth lie side by side in shared memory.
    """

    columns: int
    left: str
    right: str
    result: str
    left_in_shared: bool
    negated: bool
    saturates: bool
    turned: tuple[bool, bool]

    @property
    def depth(self) -> int:
        """The extent k."""
        return DEPTH_BYTES // ELEMENT_BYTES[self.left]

    @property
    def result_registers(self) -> int:
        """The registers of a lane that hold the result."""
        return self.columns // (4 if self.result == "f16" else 2)

    @property
    def whole_numbers(self) -> bool:
        """Whether integers are multiplied."""
        return self.left in INTEGERS


def group_product(item: Instruction) -> GroupProduct | None:
    """The product that an instruction makes, None for another form."""
    if item.modifiers[:3] != ("mma_async", "sync", "aligned") or len(item.types) != 3:
        return None
    result, left, right = item.types
    shape, rest = _SHAPE.fullmatch("".join(item.modifiers[3:4])), item.modifiers[4:]
    if shape is None or rest not in ((), (_SATURATING,)) or (rest and left not in INTEGERS):
        return None
    if result not in _RESULTS.get(left, ()) or not any({left, right} <= set(one) for one in _FAMILIES):
        return None
    columns = int(shape[1])
    if (
        columns % SIDE
        or not 0 < columns <= _MOST_COLUMNS
        or int(shape[2]) * ELEMENT_BYTES[left] != DEPTH_BYTES
    ):
        return None
    flags = _flags(item, left)
    if flags is None:
        return None
    negated, turned = flags
    made = GroupProduct(
        columns, left, right, result, not isinstance(item.operands[1], Group), negated, bool(rest), turned
    )
    target = item.operands[0]
    return made if isinstance(target, Group) and len(target.items) == made.result_registers else None


def _flags(item: Instruction, left: str) -> tuple[bool, tuple[bool, bool]] | None:
    """Whether the product is negated, and whether A and B are turned; None where operands are missing."""
    if len(item.operands) < 4:
        return None
    in_shared = not isinstance(item.operands[1], Group)
    if not in_shared and len(getattr(item.operands[1], "items", ())) != 4:
        return None
    given = [_number(one) for one in item.operands[4:]]
    scales = 0 if left in INTEGERS else 2
    turns = (2 if in_shared else 1) if left in _HALVES else 0
    if len(given) != scales + turns or None in given:
        return None
    if any(one not in (1, -1) for one in given[:scales]) or any(one not in (0, 1) for one in given[scales:]):
        return None
    negated = scales == 2 and given[0] != given[1]
    turned = [one == 1 for one in given[scales:]]
    return negated, (False, False) if not turns else (turned[0] if in_shared else False, turned[-1])


def _number(operand: Operand) -> int | None:
    return operand.value if isinstance(operand, Integer) else None
