"""The machine code of one kernel with the source line of each instruction, for reading."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from advisor.evidence.compiled.compile_requests import compile_request
from advisor.evidence.compiled.compilers.process import Worker, WorkerLost
from advisor.evidence.compiled.evidence import Target
from advisor.evidence.compiled.instructions.disassembly import DisassemblyFailure, disassemble
from advisor.evidence.compiled.instructions.sass import MachineInstruction, is_own, read_sass
from advisor.evidence.compiled.placing import placed_problem
from advisor.evidence.compiled.toolchain import missing_compiler, missing_disassembler, nvdisasm
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit
from advisor.model.errors import EvidenceUnavailable

_PADDING = "NOP"


@dataclass(frozen=True, slots=True)
class ListedInstruction:
    """One instruction as it is written, and its line in the workspace: path and 1-based line, or None."""

    address: str
    text: str
    place: tuple[str, int] | None


@dataclass(frozen=True, slots=True)
class Listing:
    """The instructions of a kernel in the order of their addresses, for the typing that was compiled.

    Subroutines of the compiler's own, for divisions and roots, follow the kernel.
    """

    types: ArgumentTypes
    instructions: tuple[ListedInstruction, ...]


def list_kernel(unit: CompilationUnit, target: Target, timeout: float) -> Listing:
    """The machine code of a unit; `timeout` in seconds, for the compiler and for the disassembler.

    Raises EvidenceUnavailable with the reason where there is none: the kernel does not compile, calls foreign
    code, or this machine lacks a part of the toolchain.
    """
    for missing in (missing_compiler(), missing_disassembler()):
        if missing is not None:
            raise missing
    program = nvdisasm()
    if unit.obstacle or program is None:
        raise EvidenceUnavailable(f"The kernel was not compiled: {unit.obstacle}.")
    worker = Worker()
    try:
        answer = worker.compile(compile_request(unit, target), timeout)
    except WorkerLost as lost:
        reason = f"it took longer than {timeout:g} s" if lost.timed_out else "the compiler crashed"
        raise EvidenceUnavailable(f"The kernel was not compiled: {reason}.") from lost
    finally:
        worker.close()
    if "problem" in answer:
        raise EvidenceUnavailable(placed_problem(unit, answer["problem"]).message)
    if not answer.get("cubin"):
        raise EvidenceUnavailable("The kernel has no machine code of its own: it calls code linked in later.")
    try:
        text = disassemble(program, base64.b64decode(answer["cubin"]), timeout)
    except DisassemblyFailure as problem:
        raise EvidenceUnavailable(f"The machine code cannot be read: {problem}") from problem
    return Listing(unit.candidates[answer["candidate"]], _instructions(text, unit))


def _instructions(text: str, unit: CompilationUnit) -> tuple[ListedInstruction, ...]:
    """The instructions of the sections that hold the unit's code, without the padding behind it."""
    sections: dict[int, list[MachineInstruction]] = {}
    for one in read_sass(text):
        sections.setdefault(one.section, []).append(one)
    found: list[ListedInstruction] = []
    for section in sections.values():
        # Of the device runtime everything is linked in, called or not.
        if not any(one.place for one in section) and not is_own(section[0].function):
            continue
        while section and section[-1].opcode == _PADDING:
            section.pop()
        found += [ListedInstruction(one.address, _written(one), _placed(one, unit)) for one in section]
    return tuple(found)


def _written(one: MachineInstruction) -> str:
    return " ".join(part for part in (one.predicate, one.opcode, " ".join(one.operands.split())) if part)


def _placed(one: MachineInstruction, unit: CompilationUnit) -> tuple[str, int] | None:
    if one.place is None:
        return None
    number, line = one.place
    function = unit.functions[number]
    return function.path, function.line + line - 1
