"""Which halves of 64-bit integers a function needs, and which of them are zero.

Machine registers have 32 bits, so that an operation on 64 takes an instruction for each half, and none for
a half that nothing reads: addresses of shared memory have 32 bits, and the high half of a widened unsigned
number is zero. These are the demanded and the known bits of compilers, by halves.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.evidence.simulated.simt.machine_code.uses import Uses, accesses, bases
from advisor.evidence.simulated.simt.ptx.control_flow import reads, results
from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction, Integer, Operand, Register

NONE, LOW, HIGH, BOTH = 0, 1, 2, 3
HALF = 32
_MASK = (1 << HALF) - 1
# The low half of these results rests on the low halves of what they are made of, the high half on both.
_CARRYING = frozenset({"add", "sub", "mul", "mad", "neg"})
_BY_HALVES = frozenset({"and", "or", "xor", "not", "mov", "selp", "cvta"})
_NARROW_SPACES = frozenset({"shared", "local", "const"})
_LONG = ("s64", "u64", "b64")
_SHORT = ("8", "16", "32")
# Comparisons of a signed number with 0 or -1 that its sign decides.
_SIGN_TESTS = frozenset({("lt", 0), ("ge", 0), ("gt", -1), ("le", -1)})


def is_long(item: Instruction) -> bool:
    """Whether an instruction computes 64-bit integers."""
    return bool(item.types) and item.types[0] in _LONG and not accesses(item)


def is_wide(item: Instruction) -> bool:
    """Whether an instruction multiplies two numbers of 32 bits to one of 64."""
    return item.opcode in ("mul", "mad") and "wide" in item.modifiers


def asks_sign(item: Instruction) -> bool:
    """Whether a comparison asks for nothing but the sign of a signed 64-bit number."""
    if item.opcode != "setp" or item.types[0] != "s64" or not isinstance(item.operands[2], Integer):
        return False
    return (item.modifiers[0], item.operands[2].value) in _SIGN_TESTS


def constant_halves(value: int) -> tuple[int, int]:
    """The low and the high half of a 64-bit constant."""
    return value & _MASK, (value >> HALF) & _MASK


def wanted_halves(item: Instruction, used: dict[str, int]) -> int:
    """The halves of an instruction's results that something reads."""
    found = NONE
    for name in results(item):
        found |= used.get(name, NONE)
    return found


def used_halves(known: Uses) -> dict[str, int]:
    """By register the halves that something reads; a register that is not there is never read."""
    found: dict[str, int] = {}
    waiting = {number for number, item in enumerate(known.instructions) if _has_effect(item)}
    while waiting:
        item = known.instructions[waiting.pop()]
        wanted = BOTH if _has_effect(item) else wanted_halves(item, found)
        for name, halves in _read_halves(item, wanted):
            before = found.get(name, NONE)
            if halves | before != before:
                found[name] = halves | before
                waiting.update(known.definitions.get(name, ()))
    return found


def _has_effect(item: Instruction) -> bool:
    """Whether an instruction does more than to give its results, or gives them whole."""
    return accesses(item) or (not is_long(item) and not is_wide(item) and item.opcode not in ("mov", "cvt"))


def _read_halves(item: Instruction, wanted: int) -> Iterator[tuple[str, int]]:
    """The registers that an instruction reads, each with the halves that it reads of them."""
    if not wanted:
        return
    narrow = bases(item) if _NARROW_SPACES & set(item.modifiers) else set()
    places = {
        one.name: number
        for number, one in enumerate(item.operands)
        if isinstance(one, Register) and (number or not list(results(item)))
    }
    for name in reads(item):
        if name in places and not accesses(item):
            yield name, _of_operand(item, places[name], wanted)
        elif name in places and item.opcode == "st" and item.types[-1][1:] in _SHORT:
            yield name, LOW
        else:
            yield name, LOW if name in narrow and name not in places else BOTH


def _of_operand(item: Instruction, number: int, wanted: int) -> int:
    """The halves that an instruction reads of one of its operands to give the halves that are wanted."""
    carried = LOW if wanted == LOW else BOTH
    if is_wide(item):
        return carried if number == 3 else BOTH
    if item.opcode == "cvt":
        return LOW if item.types[0][1:] in _SHORT and item.types[1] in _LONG else BOTH
    if not is_long(item):
        return BOTH
    if asks_sign(item):
        return HIGH
    if item.opcode in _CARRYING and "hi" not in item.modifiers:
        return carried
    if item.opcode in _BY_HALVES and (item.opcode, number) != ("selp", 3):
        return wanted & _kept_by_mask(item)
    if item.opcode in ("shl", "shr") and number == 1:
        return _shifted(item, wanted)
    return BOTH


def _kept_by_mask(item: Instruction) -> int:
    if item.opcode != "and":
        return BOTH
    mask = next((one.value for one in item.operands[1:] if isinstance(one, Integer)), -1)
    low, high = constant_halves(mask)
    return (LOW if low else NONE) | (HIGH if high else NONE)


def _shifted(item: Instruction, wanted: int) -> int:
    step = item.operands[2]
    if not isinstance(step, Integer):
        return BOTH
    if item.opcode == "shl":
        if step.value >= HALF:
            return LOW if wanted & HIGH else NONE
        return LOW if wanted == LOW else BOTH
    if step.value >= HALF:
        return HIGH
    return HIGH if wanted == HIGH else BOTH


def zero_halves(known: Uses) -> dict[str, int]:
    """By register the halves that are zero whatever the program does."""
    found = {
        name: BOTH
        for name, defined in known.definitions.items()
        if all(is_long(known.instructions[one]) for one in defined)
    }
    changed = True
    while changed:
        changed = False
        for name, before in found.items():
            zero = before
            for number in known.definitions[name]:
                zero &= _zero_result(known.instructions[number], found)
            if zero != before:
                found[name], changed = zero, True
    return found


def zero_of(operand: Operand, zero: dict[str, int]) -> int:
    """The halves of an operand that are zero."""
    if isinstance(operand, Integer):
        low, high = constant_halves(operand.value)
        return (NONE if low else LOW) | (NONE if high else HIGH)
    return zero.get(operand.name, NONE) if isinstance(operand, Register) else NONE


def _zero_result(item: Instruction, zero: dict[str, int]) -> int:
    if item.predicate is not None:
        return NONE
    sources = [zero_of(one, zero) for one in item.operands[1:]]
    if item.opcode == "cvt":
        return HIGH if item.types[1] in ("u32", "u16", "u8") else NONE
    if item.opcode == "and":
        return sources[0] | sources[1]
    if item.opcode in ("or", "xor", "selp"):
        return sources[0] & sources[1]
    if item.opcode == "mov":
        return sources[0]
    step = item.operands[2] if len(item.operands) > 2 else None
    if item.opcode in ("shl", "shr") and isinstance(step, Integer):
        filled = LOW if item.opcode == "shl" else HIGH if item.types[0] != "s64" else NONE
        return filled if step.value >= HALF else filled & sources[0]
    return NONE
