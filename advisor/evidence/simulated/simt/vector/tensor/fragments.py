"""Which elements of a matrix product each lane holds; PTX ISA, "Matrix Fragments for mma".

All shapes follow one rule. With E elements of A and B in a register, four lanes side by side (a quad) hold 4E
of the depth k: k lies in lane k % 4E // E of the quad, as element k % E, and in the half k // 4E of the
registers. Row r of A lies in quad r % 8, column c of B in quad c. Each lane holds two neighbouring columns of
the result for row L // 4, and for row 8 + L // 4 where there are 16.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction
from advisor.evidence.simulated.simt.vector.lanes import LANES

_QUAD = 4
_ROWS = 8
# The elements of A and B in a register by their type.
_IN_REGISTER = {"f16": 2, "bf16": 2, "tf32": 1, "s8": 4, "u8": 4, "f64": 1}
_SHAPES = {
    "f16": ("m16n8k16", "m16n8k8"),
    "bf16": ("m16n8k16", "m16n8k8"),
    "tf32": ("m16n8k8", "m16n8k4"),
    "s8": ("m16n8k32", "m16n8k16"),
    "u8": ("m16n8k32", "m16n8k16"),
    "f64": ("m8n8k4",),
}
_RESULTS = {
    "f16": ("f32", "f16"), "bf16": ("f32",), "tf32": ("f32",), "f64": ("f64",),
    "s8": ("s32",), "u8": ("s32",),
}  # fmt: skip
_INTEGERS = ("s8", "u8")
SATURATING = "satfinite"


@dataclass(frozen=True)
class Step:
    """One k of a product: where it lies in the registers of A and B, and in the lanes of a quad."""

    half: int
    element: int
    lane: int


@dataclass(frozen=True)
class Product:
    """A kind of product: the shape, the types of A, B and the result, whether integers saturate."""

    shape: str
    left: str
    right: str
    result: str
    saturates: bool = False

    @property
    def name(self) -> str:
        """A name for the function that makes such products."""
        end = [SATURATING] if self.saturates else []
        return "_".join(("mma", self.shape, self.result, self.left, self.right, *end))

    @property
    def row_halves(self) -> int:
        """The rows of the result by eight."""
        return int(self.shape[1 : self.shape.index("n")]) // _ROWS

    @property
    def depth_halves(self) -> int:
        """The registers of A and B that hold one row or column."""
        return int(self.shape.partition("k")[2]) // (_QUAD * _IN_REGISTER[self.left])

    @property
    def registers(self) -> tuple[int, int, int]:
        """The registers of A, of B, and of the result, where two elements of f16 share one."""
        results = self.row_halves if self.result == "f16" else 2 * self.row_halves
        return self.row_halves * self.depth_halves, self.depth_halves, results

    def steps(self) -> Iterator[Step]:
        """Each k, in the order in which the registers hold them."""
        for half in range(self.depth_halves):
            for lane in range(_QUAD):
                for element in range(_IN_REGISTER[self.left]):
                    yield Step(half, element, lane)


def lanes_of_rows(step: Step) -> list[int]:
    """For each lane the one that holds this k of its row of A."""
    return [lane // _QUAD * _QUAD + step.lane for lane in range(LANES)]


def lanes_of_columns(step: Step, parity: int) -> list[int]:
    """For each lane the one that holds this k of its even or odd column of B."""
    return [(lane % _QUAD * 2 + parity) * _QUAD + step.lane for lane in range(LANES)]


def product_of(item: Instruction) -> Product | None:
    """The product that an instruction makes, None for one that is not known."""
    if len(item.types) != 4 or item.modifiers[:2] != ("sync", "aligned"):
        return None
    result, left, right, added = item.types
    shape, *rest = item.modifiers[2:] or ("",)
    alike = left == right or (left in _INTEGERS and right in _INTEGERS)
    saturates = rest == ["row", "col", SATURATING]
    if not alike or result != added or result not in _RESULTS.get(left, ()) or shape not in _SHAPES[left]:
        return None
    if rest != ["row", "col"] and not (saturates and left in _INTEGERS):
        return None
    return Product(shape, left, right, result, saturates)
