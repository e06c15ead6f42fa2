"""Instructions that make a 64-bit index of a signed 32-bit number, on the way to an address."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.evidence.simulated.simt.ptx.control_flow import results
from advisor.evidence.simulated.simt.ptx.ptx_program import Address, Function, Instruction, Integer, Register

_ACCESSES = frozenset({"ld", "st", "atom", "red", "ldu", "cp"})
# What leads from an index to an address.
_LEADS_ON = frozenset({"add", "sub", "mad", "mul", "shl", "mov", "cvta", "selp", "and", "fma"})
_HALF = 32


def widenings(function: Function) -> frozenset[int]:
    """The numbers of the instructions whose result is the value of a signed 32-bit number."""
    definitions: dict[str, list[int]] = {}
    for number, item in enumerate(function.instructions):
        for name in results(item):
            definitions.setdefault(name, []).append(number)
    waiting = list(_address_registers(function))
    seen: set[str] = set()
    found: set[int] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for number in definitions.get(name, ()):
            item = function.instructions[number]
            if _widens(item):
                found.add(number)
            elif item.opcode in _LEADS_ON:
                waiting += [one.name for one in item.operands[1:] if isinstance(one, Register)]
                continue
            if item.opcode == "mad":
                waiting += [one.name for one in item.operands[3:] if isinstance(one, Register)]
    return frozenset(found)


def _address_registers(function: Function) -> Iterator[str]:
    for item in function.instructions:
        if item.opcode in _ACCESSES and "param" not in item.modifiers:
            for operand in item.operands:
                if isinstance(operand, Address) and isinstance(operand.base, Register):
                    yield operand.base.name


def _widens(item: Instruction) -> bool:
    if item.opcode == "cvt":
        return item.types == ("s64", "s32")
    if item.opcode in ("mul", "mad"):
        return "wide" in item.modifiers and item.types[0] == "s32"
    return shifts_back(item)


def shifts_back(item: Instruction) -> bool:
    """Whether an instruction is the second half of a sign extension by two shifts."""
    return item.opcode == "shr" and item.types == ("s64",) and item.operands[2:] == (Integer(_HALF),)


def shifts_up(item: Instruction) -> bool:
    """Whether an instruction is the first half of a sign extension by two shifts."""
    return item.opcode == "shl" and item.types == ("b64",) and item.operands[2:] == (Integer(_HALF),)
