"""What the compiler makes of each kernel: registers, spills, instructions by source line. Needs no GPU."""

from __future__ import annotations

from advisor.evidence.compiled.evidence import CodeLine, CompiledEvidence, CompiledKernel, Target
from advisor.evidence.compiled.records import kernel_and_line_records
from advisor.evidence.compiled.refusals import rejection_records
from advisor.evidence.compiled.units import compile_units
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.records import Record

__all__ = [
    "CodeLine",
    "CompiledEvidence",
    "CompiledKernel",
    "Target",
    "compile_units",
    "records",
    "rejection_records",
]


def records(unit: CompilationUnit, kernel: CompiledKernel) -> list[Record]:
    """The `kernel` and `line` records of a compiled unit, all of source "compiled"."""
    return kernel_and_line_records(unit, kernel)
