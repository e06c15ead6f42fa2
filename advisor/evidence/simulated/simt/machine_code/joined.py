"""PTX instructions that ptxas joins with others, so that they take no issue slot themselves.

Read from machine code of compute capability 8.0 (opcodes: CUDA Binary Utilities, instruction set reference,
https://docs.nvidia.com/cuda/cuda-binary-utilities/#instruction-set-reference): constants in addresses,
indices that the address of a shared access scales (`[R2.X4+0x10]`), product and sum (IMAD, IMAD.WIDE), shift
and sum (LEA), three inputs of sums and of logic (IADD3, LOP3), and comparisons that take another predicate.
"""

from __future__ import annotations

from advisor.evidence.simulated.simt.machine_code.halves import LOW
from advisor.evidence.simulated.simt.machine_code.uses import Uses, accesses, bases
from advisor.evidence.simulated.simt.ptx.control_flow import results
from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction, Integer, Register

_SUMS = frozenset({"add", "sub"})
_LOGIC = frozenset({"and", "or", "xor", "not"})
_WHOLE = frozenset("sub")
# The shifts by which a shared access scales its register: .X4, .X8, .X16.
_SCALES = (Integer(2), Integer(3), Integer(4))
_SHIFTED_BY_LEA = 32


def joined(known: Uses, used: dict[str, int]) -> frozenset[int]:
    """The numbers of the instructions that take no slot."""
    found = _in_addresses(known, used)
    # Three inputs are the most, so an instruction that has taken one in is not taken in itself.
    full: set[int] = set()
    for number, item in enumerate(known.instructions):
        if number in found or not _is_whole(item):
            continue
        source = _taken_in(item, known, found | full)
        if source is not None:
            is_product = known.instructions[source].opcode == "mul"
            found.add(number if is_product else source)
            full.add(number)
    return frozenset(found)


def _is_whole(item: Instruction) -> bool:
    """Whether an instruction computes integers, bits or predicates."""
    return bool(item.types) and ((item.types[0][0] in _WHOLE and "f" not in item.types[0]) or _is_truth(item))


def _is_truth(item: Instruction) -> bool:
    return item.types[:1] == ("pred",)


def _in_addresses(known: Uses, used: dict[str, int]) -> set[int]:
    """Sums with constants that lead to addresses alone, and shifts that lead to those of shared memory."""
    found: set[int] = set()
    for number in range(len(known.instructions) - 1, -1, -1):
        item = known.instructions[number]
        for name in results(item):
            if len(known.definitions[name]) == 1 and _leads_to_addresses(name, known, found):
                offset = item.opcode == "add" and any(map(known.is_constant, item.operands[1:]))
                scaled = item.opcode == "shl" and item.operands[2] in _SCALES and used.get(name) == LOW
                if offset or scaled:
                    found.add(number)
    return found


def _leads_to_addresses(name: str, known: Uses, found: set[int]) -> bool:
    """Whether a register is read as the base of an address, directly or behind a sum with a constant."""
    readers = [(one, known.instructions[one]) for one in known.readers.get(name, ())]
    return bool(readers) and all(
        (accesses(item) and name in bases(item) and Register(name) not in item.operands)
        or (item.opcode == "add" and number in found)
        for number, item in readers
    )


def _taken_in(item: Instruction, known: Uses, taken: set[int]) -> int | None:
    """The number of an instruction that is joined with this one, which alone reads its result."""
    for operand in item.operands[1:]:
        at = known.definition_for_one(operand)
        if at is None or at in taken:
            continue
        source = known.instructions[at]
        if source.predicate is None and _is_whole(source) and _joins(item, source):
            return at
    return None


def _joins(item: Instruction, source: Instruction) -> bool:
    if _is_truth(item):
        return item.opcode in _LOGIC and source.opcode == "setp"
    if item.opcode == "add" and source.opcode == "mul":
        return "hi" not in source.modifiers
    if item.types[0][1:] != source.types[0][1:]:
        return False
    if item.opcode in _SUMS:
        return source.opcode in _SUMS or _is_small_shift(source)
    tests_zero = item.opcode == "setp" and item.operands[2] == Integer(0)
    return source.opcode in _LOGIC and (item.opcode in _LOGIC or tests_zero)


def _is_small_shift(source: Instruction) -> bool:
    step = source.operands[2] if source.opcode == "shl" else None
    return isinstance(step, Integer) and step.value < _SHIFTED_BY_LEA
