"""Counts machine instructions by the unit's function and line, from what nvdisasm prints of a cubin.

Opcodes: CUDA Binary Utilities, instruction set reference,
https://docs.nvidia.com/cuda/cuda-binary-utilities/#instruction-set-reference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from advisor.evidence.compiled.instructions.ptx import Counts, Place, unit_function
from advisor.evidence.compiled.instructions.shared_loads import saved_by_wider_loads

_SECTION = re.compile(r"^\s*\.section\s+\.text\.([\w$]+)")
_FILE = re.compile(r'//## File "([^"]*)", line (\d+)(?: inlined at "([^"]*)", line (\d+))?')
_LABEL = re.compile(r"^\s*\.L_[\w$.]*:")
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:\{\s*)?((?:@!?U?P\w+\s+)?)([A-Z][\w.]*)\s*([^;]*);")
# Subroutines of the assembler and of libdevice, for division, roots and powers.
_OWN = re.compile(r"__cuda_sm\d|__internal_")
# Calls of these, and of the device runtime, are no calls of the source.
_OWN_SUBROUTINE = re.compile(rf"{_OWN.pattern}|\(cuda[A-Z]|\(\.L_")

_GLOBAL_LOADS = frozenset({"LDG", "LD", "LDGSTS", "LDGMC"})
_GLOBAL_STORES = frozenset({"STG", "ST"})
_SHARED = frozenset({"LDS", "STS", "LDSM", "STSM"})
_ATOMICS = frozenset({"ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDAS", "REDS"})
# What ptxas writes where one lane adds for all of its warp: REDUX combines their values, POPC counts them.
_WARP_SUMS = frozenset({"REDUX", "POPC"})
_CALLS = frozenset({"CALL", "JCAL", "CAL"})
_NARROW = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}


@dataclass
class MachineInstructions:
    """Counts by place (None: code of no line), the widest global access of each in bytes, and, where it was
    asked for, the most registers in use there.
    """

    counts: Counts = field(default_factory=dict)
    widest: dict[Place | None, int] = field(default_factory=dict)
    live: dict[Place | None, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MachineInstruction:
    """One instruction: the number and function of its section, its place in the unit's text (None: of no
    line), its address in hexadecimal digits, predicate, opcode with modifiers, and operands. Jumps lead to
    one that begins a block.
    """

    section: int
    function: str
    place: Place | None
    address: str
    predicate: str
    opcode: str
    operands: str
    begins_block: bool = False


def count_sass(text: str) -> MachineInstructions:
    """Counts of instructions by class and place; NOP padding is left out.

    Classes: instructions, local_loads, local_stores, global_loads, global_stores, shared_accesses, atomics,
    warp_sums, barriers, tensor_core, calls, and joinable_shared_loads, which wider loads would save.
    """
    sections: dict[int, list[MachineInstruction]] = {}
    for one in read_sass(text):
        sections.setdefault(one.section, []).append(one)
    return _merged((code[0].function, _counted(code)) for code in sections.values())


def _counted(code: Sequence[MachineInstruction]) -> MachineInstructions:
    result = MachineInstructions()
    for one in code:
        _count(result, one.place, one.opcode, one.operands)
    for place, saved in saved_by_wider_loads(code).items():
        result.counts[place]["joinable_shared_loads"] += saved
    return result


def is_own(function: str) -> bool:
    """Whether a section's code is a subroutine that the compiler brings in for its own instructions."""
    return _OWN.search(function) is not None


def read_sass(text: str) -> Iterator[MachineInstruction]:
    """The instructions in what nvdisasm prints, in its order, NOP padding included."""
    section, function, begins = -1, "", False
    place: Place | None = None
    chain: list[tuple[str, int]] = []
    for line in text.splitlines():
        if found := _FILE.search(line):
            # nvdisasm prints an inlined instruction's places from the innermost outwards, one a line.
            chain.append((found.group(1), int(found.group(2))))
            if found.group(3):
                chain.append((found.group(3), int(found.group(4))))
            continue
        if begun := _SECTION.match(line):
            place, chain = None, []
            section, function, begins = section + 1, begun.group(1), True
            continue
        begins = begins or _LABEL.match(line) is not None
        instruction = _INSTRUCTION.match(line)
        if instruction is None or section < 0:
            continue
        if chain:
            place, chain = _innermost(chain), []
        address, predicate, opcode, operands = instruction.groups()
        yield MachineInstruction(
            section, function, place, address, predicate.strip(), opcode, operands, begins
        )
        begins = False


def _merged(sections: Iterable[tuple[str, MachineInstructions]]) -> MachineInstructions:
    """The unit's code and its subroutines; of the device runtime everything is linked in, called or not."""
    result = MachineInstructions()
    for name, section in sections:
        if any(section.counts) or is_own(name):
            for place, counts in section.counts.items():
                result.counts.setdefault(place, Counter()).update(counts)
                widest = max(section.widest.get(place, 0), result.widest.get(place, 0))
                if widest:
                    result.widest[place] = widest
    return result


def _innermost(chain: Iterable[tuple[str, int]]) -> Place | None:
    for file, line in chain:
        function = unit_function(file)
        if function is not None and line:
            return function, line
    return None


def _count(result: MachineInstructions, place: Place | None, opcode: str, operands: str) -> None:
    head, *modifiers = opcode.split(".")
    if head == "NOP":
        return
    counts = result.counts.setdefault(place, Counter())
    counts["instructions"] += 1
    kind = _kind(head, operands)
    if kind:
        counts[kind] += 1
    if kind == "atomics" and "POPC" in modifiers:
        counts["warp_sums"] += 1
    if kind in ("global_loads", "global_stores"):
        width = next((_NARROW[part] for part in modifiers if part in _NARROW), 4)
        result.widest[place] = max(width, result.widest.get(place, 0))


def _kind(head: str, operands: str) -> str | None:
    for heads, kind in (
        (_GLOBAL_LOADS, "global_loads"),
        (_GLOBAL_STORES, "global_stores"),
        (_SHARED, "shared_accesses"),
        (_ATOMICS, "atomics"),
        (_WARP_SUMS, "warp_sums"),
    ):
        if head in heads:
            return kind
    if head == "LDL":
        return "local_loads"
    if head == "STL":
        return "local_stores"
    if head == "BAR":
        return "barriers"
    if head.endswith("MMA"):
        return "tensor_core"
    if head in _CALLS and not _OWN_SUBROUTINE.search(operands):
        return "calls"
    return None
