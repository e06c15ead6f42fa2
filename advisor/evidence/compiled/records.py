"""The records of a compiled kernel: the kernel's own metrics and those of each of its source lines."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.evidence.compiled.evidence import CodeLine, CompiledKernel
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.records import Record
from advisor.model.text.source_text import Span

_FLOAT64 = re.compile(r"\b(?:float64|f8|double|float_|complex128|c16)\b")


def kernel_and_line_records(unit: CompilationUnit, kernel: CompiledKernel) -> list[Record]:
    """The `kernel` record of a unit and a `line` record for each source line that machine code came of."""
    # What the compiler leaves at a `def` line belongs to no statement; the kernel's own numbers count it.
    headers = {
        (function.path, function.line)
        for function in unit.functions
        if function.source.partition("\n")[0].rstrip().endswith(":")
    }
    lines = [line for line in kernel.lines if (line.path, line.line) not in headers]
    records = [_line_record(unit, kernel, line) for line in lines]
    if unit.cuda is None:
        _know_promotions(unit, kernel, records)
        _know_narrowings(kernel, records)
    return [_kernel_record(unit, kernel), *records]


def _know_promotions(unit: CompilationUnit, kernel: CompiledKernel, lines: list[Record]) -> None:
    """Note with lines which of their operations are float64 that no float64 data asks for.

    Beside arrays that are known to be float64 those of unknown type may be as well.
    """
    promoted = {(one.path, one.line): one for one in kernel.promotions}
    float64 = _takes_float64(unit, kernel)
    for record in lines:
        if "fp64_instructions" not in record.readings:
            continue
        found = promoted.get((record.path, record.span.line))
        record.know("compiled", kernel.assumptions, promoted_operations=found.operations if found else 0)
        if found is not None:
            guessed = found.from_guess or found.reads_assumed or (found.assumed and float64)
            record.know(
                "compiled",
                kernel.assumptions,
                promotion_cause=found.cause,
                promotion_certain=found.known and not guessed,
                promotion_data=found.data,
                promotion_rounded=found.rounded,
            )


def _know_narrowings(kernel: CompiledKernel, lines: list[Record]) -> None:
    """Note with lines what float64 data they round to float32 on its way to float64 results."""
    narrowed = {(one.path, one.line): one for one in kernel.narrowings}
    for record in lines:
        found = narrowed.get((record.path, record.span.line))
        record.know("compiled", kernel.assumptions, narrowed_data=_names(found.data if found else ()))
        if found is not None:
            record.know(
                "compiled",
                kernel.assumptions,
                narrowed_into=_names([found.into] if found.into else []),
                computed_narrow=found.computed,
            )


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _kernel_record(unit: CompilationUnit, kernel: CompiledKernel) -> Record:
    function = next(function for function in unit.functions if not function.device)
    span = Span(function.line)
    record = Record("kernel", unit.kernel, function.path, span, function.name)
    record.know("compiled", kernel.assumptions, **kernel.resources, **kernel.instructions)
    if unit.cuda is not None:
        record.know("compiled", (), types_assumed=False)
        return record
    record.know("compiled", kernel.assumptions, types_assumed=kernel.assumed, **_other_float64(kernel))
    if _takes_float64(unit, kernel):
        record.know("compiled", stated_float64=True)
    return record


def _other_float64(kernel: CompiledKernel) -> dict[str, float]:
    """The float64 instructions at lines without promoted operations, as those of random numbers."""
    whole = kernel.instructions.get("fp64_instructions")
    if whole is None:
        return {}
    places = {(one.path, one.line) for one in kernel.promotions}
    promoted = sum(
        line.counts.get("fp64_instructions", 0) for line in kernel.lines if (line.path, line.line) in places
    )
    return {"unpromoted_fp64_instructions": float(max(0, whole - promoted))}


def _takes_float64(unit: CompilationUnit, kernel: CompiledKernel) -> bool:
    """Whether an array is known to hold float64; a float64 scalar may be a Python float passed by habit."""
    guessed = {name for one in unit.candidates if one.types == kernel.types for name in one.assumed_elements}
    if kernel.assumed and not unit.parameters:
        return False
    names = unit.parameters or ("",) * len(kernel.types)
    known = [text for name, text in zip(names, kernel.types, strict=True) if name not in guessed]
    return any(_FLOAT64.search(text) for text in known if "[" in text or text.startswith("Array("))


def _line_record(unit: CompilationUnit, kernel: CompiledKernel, line: CodeLine) -> Record:
    record = Record(
        "line",
        f"{unit.kernel}:{line.path}:{line.line}:line",
        line.path,
        _span(unit, line),
        f"line {line.line}",
        unit.kernel,
    )
    # A line without global accesses has no widest one; 0 would read as a width.
    counts = {name: count for name, count in line.counts.items() if name != "widest_global_access" or count}
    record.know("compiled", kernel.assumptions, **counts)
    return record


def _span(unit: CompilationUnit, line: CodeLine) -> Span:
    """The line's text without the spaces around it, as it stands in its file."""
    for function in unit.functions:
        if function.path == line.path and 0 <= line.line - function.line < len(function.columns):
            start, end = function.columns[line.line - function.line]
            return Span(line.line, start, line.line, end)
    return Span(line.line)
