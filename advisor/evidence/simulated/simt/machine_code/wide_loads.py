"""Loads of shared memory that ptxas joins to wider ones: neighbouring words, loaded one by one in a block.

A load takes up to 16 bytes for each thread where the address is a multiple of its size. ptxas knows that of
an index by the zeros at its end, and of a variable by its declared alignment: code that is linked, as
nvJitLink links Numba's, places variables later. What other threads may have changed lies between loads on
both sides of stores and barriers, which therefore stay apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from advisor.evidence.simulated.simt.machine_code.uses import Uses
from advisor.evidence.simulated.simt.ptx.control_flow import Block, results
from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Instruction,
    Integer,
    Operand,
    Register,
    Symbol,
)

_WIDEST = 16
_WIDTHS = {"32": 4, "64": 8}
_MOST_ZEROS = 64
_ORDERS = frozenset(
    {"bar", "barrier", "membar", "fence", "call", "st", "atom", "red", "stmatrix", "cp", "mbarrier"}
)
_LEAST = frozenset({"add", "sub", "or", "xor", "selp", "mov", "cvt"})
_Run: TypeAlias = "tuple[str, int]"


def joined_loads(known: Uses, blocks: Sequence[Block], alignments: Mapping[str, int]) -> frozenset[int]:
    """The numbers of the loads that come with a wider load of what lies before them.

    `alignments` are those of the variables, in bytes.
    """
    variables = {name: alignment.bit_length() - 1 for name, alignment in alignments.items()}
    zeros = _zeros(known, variables)
    return frozenset(number for block in blocks for number in _joined_in(block, known, zeros))


def _joined_in(block: Block, known: Uses, zeros: dict[str, int]) -> Iterator[int]:
    runs: dict[_Run, dict[int, int]] = {}
    for number in range(block.first, block.last):
        item = known.instructions[number]
        width = _width(item)
        if width:
            address = item.operands[1]
            assert isinstance(address, Address)
            runs.setdefault((_name(address.base), width), {})[address.offset] = number
        changed = set(results(item))
        for key in list(runs):
            if item.opcode in _ORDERS or key[0] in changed:
                yield from _covered(runs.pop(key), key, zeros)
    for key, offsets in runs.items():
        yield from _covered(offsets, key, zeros)


def _width(item: Instruction) -> int:
    """The bytes of a load of shared memory that could be part of a wider one, else 0."""
    plain = item.opcode == "ld" and "shared" in item.modifiers and item.predicate is None
    if not plain or not isinstance(item.operands[0], Register):
        return 0
    return _WIDTHS.get(item.types[-1][1:], 0)


def _name(base: Register | Symbol | Integer) -> str:
    return str(base.value) if isinstance(base, Integer) else base.name


def _covered(offsets: dict[int, int], key: _Run, zeros: dict[str, int]) -> Iterator[int]:
    """The loads that wider ones at lower offsets take along, the widest first."""
    name, width = key
    left = set(offsets)
    wide = min(_WIDEST, 1 << zeros.get(name, 0))
    while wide > width:
        for start in sorted(left):
            parts = {start + place for place in range(0, wide, width)}
            if start % wide == 0 and parts <= left:
                left -= parts
                yield from (offsets[part] for part in parts - {start})
        wide //= 2


def _zeros(known: Uses, variables: Mapping[str, int]) -> dict[str, int]:
    """By register and variable the zeros at the end of its value or address, at least."""
    found = {**variables, **dict.fromkeys(known.definitions, _MOST_ZEROS)}
    changed = True
    while changed:
        changed = False
        for name, defined in known.definitions.items():
            zeros = min(_zeros_of(known.instructions[one], found) for one in defined)
            if zeros < found[name]:
                found[name], changed = zeros, True
    return found


def _zeros_of(item: Instruction, found: dict[str, int]) -> int:
    sources = [_zeros_at_end(one, found) for one in item.operands[1:]]
    if item.opcode in _LEAST:
        return min(sources[:2])
    if item.opcode == "and":
        return max(sources)
    if item.opcode == "shl" and isinstance(item.operands[2], Integer):
        return min(sources[0] + item.operands[2].value, _MOST_ZEROS)
    if item.opcode in ("mul", "mad") and "hi" not in item.modifiers:
        product = min(sources[0] + sources[1], _MOST_ZEROS)
        return min(product, *sources[2:]) if sources[2:] else product
    return 0


def _zeros_at_end(operand: Operand, found: dict[str, int]) -> int:
    if isinstance(operand, Integer):
        return (operand.value & -operand.value).bit_length() - 1 if operand.value else _MOST_ZEROS
    return found.get(operand.name, 0) if isinstance(operand, Register | Symbol) else 0
