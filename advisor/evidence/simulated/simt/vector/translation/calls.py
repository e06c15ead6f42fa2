"""Calls of functions that the PTX text does not hold: what the machine itself answers.

https://docs.nvidia.com/cuda/ptx-writers-guide-to-interoperability/, "System Calls", describes vprintf.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.ptx.ptx_program import Group, Instruction, Symbol
from advisor.evidence.simulated.simt.vector.lanes import I32, I64, POINTER, VOID, constant
from advisor.evidence.simulated.simt.vector.layout import Context
from advisor.evidence.simulated.simt.vector.routines.builder import FunctionPointer
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles


@handles("extern")
def _external(e: Emission, item: Instruction) -> None:
    results, name, arguments = item.operands
    assert isinstance(name, Symbol) and isinstance(results, Group) and isinstance(arguments, Group)
    if name.name == "vprintf" and len(arguments.items) == 2:
        _print(e, item, arguments)
        if results.items:
            e.write(item, constant(I32, 1), results.items[0])
        return
    if name.name == "__assertfail":
        e.call("note_trap", VOID, e.context, e.active(item), constant(I32, item.text_line))
        return
    raise e.unsupported(item, f"the function {name.name}, which the PTX text does not hold")


def _print(e: Emission, item: Instruction, arguments: Group) -> None:
    """Hand the generic addresses of format and arguments of each lane to the host."""
    builder = e.builder
    places: list[Any] = []
    for number, operand in enumerate(arguments.items):
        place = e.lanes_pointer(f"print{number}", I64)
        builder.store(e.read_vector(operand, I64), place, align=64)
        places.append(place)
    function = e.context_word(Context.PRINTED, POINTER)
    kind = ir.FunctionType(VOID, [POINTER, POINTER, POINTER, I32])
    function.type = FunctionPointer(kind)
    builder.call(function, [e.context, *places, e.active(item)])
