"""Where the variables of a kernel lie in their spaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from advisor.evidence.simulated.simt.ptx.ptx_program import Address, Function, Group, Module, Symbol, Variable


@dataclass
class Placement:
    """Offsets of a kernel's variables in their spaces; `variables` numbers global and constant ones."""

    shared: dict[str, int] = field(default_factory=dict)
    shared_size: int = 0
    local: dict[str, int] = field(default_factory=dict)
    local_size: int = 0
    variables: dict[str, int] = field(default_factory=dict)


def place_variables(module: Module, function: Function) -> Placement:
    """The offsets of a kernel's variables; dynamic shared memory begins behind the static one."""
    placement = Placement()
    every = [*module.variables.values(), *function.variables]
    used = set(_symbols(function))
    for variable in sorted(every, key=lambda one: one.size == 0):
        if variable.name not in used:
            continue
        if variable.space == "shared":
            placement.shared_size = _aligned(placement.shared_size, variable)
            placement.shared[variable.name] = placement.shared_size
            placement.shared_size += variable.size
        elif variable.space == "local":
            placement.local_size = _aligned(placement.local_size, variable)
            placement.local[variable.name] = placement.local_size
            placement.local_size += variable.size
        elif variable.space in ("global", "const"):
            placement.variables[variable.name] = len(placement.variables)
    placement.local_size = -(-placement.local_size // 8) * 8
    return placement


def _aligned(size: int, variable: Variable) -> int:
    align = max(variable.align, 1)
    return -(-size // align) * align


def _symbols(function: Function) -> list[str]:
    found: list[str] = []
    stack: list[Any] = [operand for item in function.instructions for operand in item.operands]
    while stack:
        operand = stack.pop()
        if isinstance(operand, Symbol):
            found.append(operand.name)
        elif isinstance(operand, Address):
            stack.append(operand.base)
        elif isinstance(operand, Group):
            stack.extend(operand.items)
    return found
