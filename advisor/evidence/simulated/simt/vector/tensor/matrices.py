"""Matrices of eight rows of eight 16-bit elements between shared memory and registers; PTX ISA, "ldmatrix".

The first eight lanes give the addresses of the rows of the first matrix, the next eight those of the second …
Each lane gets two neighbouring elements of row L // 4; with `.trans` of column L // 4.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.ptx.ptx_program import Address, Group, Instruction, Operand
from advisor.evidence.simulated.simt.vector.lanes import I16, I32, LANES, VOID, constant, vector
from advisor.evidence.simulated.simt.vector.memory.loads_and_stores import inspect, settle
from advisor.evidence.simulated.simt.vector.memory.places import Place, addresses_of, place_of
from advisor.evidence.simulated.simt.vector.sites import ROW_BYTES
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles

_COUNTS = {"x1": 1, "x2": 2, "x4": 4}
_SIDE = 8
_MATRIX_BYTES = _SIDE * ROW_BYTES
_HALVES = vector(I16, 2 * LANES)


@handles("ldmatrix")
def _load_matrices(e: Emission, item: Instruction) -> None:
    targets, address = item.operands
    places = _registers(targets)
    place = _place(e, item, address, len(places))
    addresses = addresses_of(e, place)
    scratch = _scratch(e)
    e.call("load_rows", VOID, addresses, inspect(e, place, addresses), scratch)
    for number, target in enumerate(places):
        value = e.builder.get(scratch, number * _MATRIX_BYTES, vector(I32))
        e.write(item, _turned(e, value, _LOADED) if "trans" in item.modifiers else value, target)


@handles("stmatrix")
def _store_matrices(e: Emission, item: Instruction) -> None:
    address, sources = item.operands
    values = [e.read_vector(one, I32) for one in _registers(sources)]
    place = _place(e, item, address, len(values))
    addresses = addresses_of(e, place)
    scratch = _scratch(e)
    for number, value in enumerate(values):
        given = _turned(e, value, _STORED) if "trans" in item.modifiers else value
        e.builder.put(given, scratch, number * _MATRIX_BYTES)
    e.call("store_rows", VOID, addresses, inspect(e, place, addresses), scratch)
    settle(e, place, addresses)


def _registers(operand: Operand) -> tuple[Operand, ...]:
    return operand.items if isinstance(operand, Group) else (operand,)


def _place(e: Emission, item: Instruction, address: Operand, count: int) -> Place:
    """The place of so many matrices; refuses other forms of the instruction."""
    said = [_COUNTS[one] for one in item.modifiers if one in _COUNTS]
    whole = {"sync", "aligned", "m8n8", "shared"} <= set(item.modifiers) and item.types == ("b16",)
    if said != [count] or not whole or not isinstance(address, Address):
        raise e.unsupported(item, "another form of matrices in shared memory")
    rows = constant(I32, (1 << _SIDE * count) - 1)
    return place_of(e, item, address, lanes=e.builder.and_(e.active(item), rows))


def _scratch(e: Emission) -> Any:
    """Memory on the stack for the rows of all lanes."""
    return e.once(("scratch", "rows"), lambda: e.names.scratch(e, vector(I32, LANES * ROW_BYTES // 4)))


# For each element that a lane holds the one of the matrix in memory, and the other way round.
_LOADED = [(lane % 4 * 2 + half) * _SIDE + lane // 4 for lane in range(LANES) for half in (0, 1)]
_STORED = [_LOADED.index(element) for element in range(2 * LANES)]


def _turned(e: Emission, value: Any, places: list[int]) -> Any:
    """A register of each lane with its elements taken from other places."""
    halves = e.builder.bitcast(value, _HALVES)
    taken = e.builder.shuffle_vector(halves, halves, ir.Constant(vector(I32, 2 * LANES), places))
    return e.builder.bitcast(taken, vector(I32))
