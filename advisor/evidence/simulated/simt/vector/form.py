"""What the translation takes for granted of a text: declared names, addresses and types where they belong.

A compiler's text has all of it. One that was written by hand, or cut, is refused at the first line that lacks
something.
"""

from __future__ import annotations

from advisor.evidence.simulated.simt.ptx.control_flow import awaits_phase, reads, results
from advisor.evidence.simulated.simt.ptx.ptx_program import Address, Function, Instruction, Symbol
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.lanes import element_type

_ACCESSES = frozenset({"ld", "ldu", "st", "atom", "red"})
_AT_AN_ADDRESS = _ACCESSES | {"ldmatrix", "stmatrix", "mbarrier", "tensormap"}
_PRODUCTS = frozenset({"mul", "mad"})


def check_form(function: Function) -> None:
    """Raise Unsupported for the first instruction that names what is not there or lacks what it needs."""
    known: set[str] = set()
    for item in function.instructions:
        for name in (*reads(item), *results(item)):
            if name not in known:
                _check_register(item, name, function.type_of(name))
                known.add(name)
        if (reason := _lacking(item, function)) is not None:
            raise Unsupported(item, reason)


def _check_register(item: Instruction, name: str, kind: str | None) -> None:
    if kind is None:
        raise Unsupported(item, f"the register `{name[:80]}` is not declared")
    try:
        element_type(kind)
    except (KeyError, ValueError):
        raise Unsupported(item, f"a register of type `.{kind}`") from None


def _lacking(item: Instruction, function: Function) -> str | None:
    """What is wrong with the form of an instruction, None where nothing is."""
    if item.opcode == "bra":
        target = item.operands[0] if len(item.operands) == 1 else None
        is_known = isinstance(target, Symbol) and target.name in function.labels
        return None if is_known else "the branch leads to no label of the function"
    if item.opcode in _AT_AN_ADDRESS and not any(isinstance(one, Address) for one in item.operands):
        return "it has no address"
    if item.opcode in _ACCESSES | _PRODUCTS and not item.types:
        return "it has no type"
    if awaits_phase(item) and (len(item.operands) < 3 or not isinstance(item.operands[1], Address)):
        return "it has too few operands"
    if item.opcode in _ACCESSES and len(item.operands) < 2:
        return "it has too few operands"
    return None
