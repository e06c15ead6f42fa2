"""Turns counts by function and line of a unit, which workers give and the cache keeps, into metrics.

The position-free form survives edits above a kernel: only its own text decides whether it is compiled again.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from advisor.evidence.compiled.evidence import CodeLine, CompiledKernel
from advisor.evidence.compiled.float64.arithmetic_lines import arithmetic_lines
from advisor.evidence.compiled.float64.placed_promotions import placed_narrowings, placed_promotions
from advisor.evidence.compiled.instructions.ptx import Place
from advisor.evidence.compiled.instructions.sass import MachineInstructions
from advisor.evidence.compiled.refusals import refused_place
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.findings import Problem

Json = dict[str, Any]

_PTX_METRICS = {
    "fp64": "fp64_instructions",
    "fp64_special": "fp64_special_instructions",
    "conversions": "conversion_instructions",
    "integer_divisions": "integer_division_instructions",
}
_FP64_METRICS = {"fp64_instructions", "fp64_special_instructions"}
_SASS_METRICS = {
    "instructions": "instructions",
    "local_loads": "local_loads",
    "local_stores": "local_stores",
    "global_loads": "global_loads",
    "global_stores": "global_stores",
    "shared_accesses": "shared_accesses",
    "joinable_shared_loads": "joinable_shared_loads",
    "atomics": "atomic_instructions",
    "warp_sums": "warp_sum_instructions",
    "barriers": "barrier_instructions",
    "tensor_core": "tensor_core_instructions",
    "calls": "call_instructions",
}
# Of several instructions at a line the largest counts, not the sum.
_LARGEST = ("widest_global_access", "live_registers")
_KERNEL_PTX = {
    "fp64": "fp64_instructions",
    "fp32": "fp32_instructions",
    "conversions": "conversion_instructions",
}
_KERNEL_SASS = {
    "instructions": "instructions",
    "calls": "call_instructions",
    "tensor_core": "tensor_core_instructions",
}


def summary(answer: Json, machine: MachineInstructions | None) -> Json:
    """The numbers to keep of an answer and its disassembly: candidate, resources, instructions, lines, and
    the problem of the types that were refused before.

    `lines` is a list of function, line, counts by metric; without `machine` its metrics are absent.
    """
    ptx = {_place(function, line): Counter(kinds) for function, line, kinds in answer["ptx"]}
    sass = machine.counts if machine else {}
    instructions = _totals(ptx, _KERNEL_PTX) | (_totals(sass, _KERNEL_SASS) if machine else {})
    lines = []
    for place in sorted({place for place in (*ptx, *sass) if place is not None}):
        counts = {metric: ptx.get(place, Counter())[kind] for kind, metric in _PTX_METRICS.items()}
        if machine:
            here = sass.get(place, Counter())
            counts |= {metric: here[kind] for kind, metric in _SASS_METRICS.items()}
            counts["widest_global_access"] = machine.widest.get(place, 0)
            if place in machine.live:
                counts["live_registers"] = machine.live[place]
        lines.append([*place, counts])
    resources = {**answer["resources"], "shared_bytes": answer["shared_bytes"]}
    return {
        "candidate": answer["candidate"],
        "resources": resources,
        "instructions": instructions,
        "lines": lines,
        "promotions": answer["promotions"],
        "narrowings": answer["narrowings"],
        "refused": answer.get("refused"),
    }


def _place(function: int | None, line: int | None) -> Place | None:
    return None if function is None or line is None else (function, line)


def _totals(counts: dict[Place | None, Counter[str]], metrics: dict[str, str]) -> dict[str, int]:
    return {metric: sum(kinds[kind] for kinds in counts.values()) for kind, metric in metrics.items()}


def placed_kernel(unit: CompilationUnit, summed: Json) -> CompiledKernel:
    """The kernel with its lines where the unit's functions stand; raises KeyError, IndexError or TypeError
    for values that `summary` did not write."""
    chosen = unit.candidates[summed["candidate"]]
    lines: dict[tuple[str, int], Counter[str]] = {}
    for number, line, counts in summed["lines"]:
        function = unit.functions[number]
        counts = _own(counts, function.source, line)
        target = lines.setdefault((function.path, function.line + line - 1), Counter())
        largest = {name: max(target[name], counts[name]) for name in _LARGEST if name in counts}
        target.update(counts)
        for name, value in largest.items():
            target[name] = value
    resources, instructions = dict(summed["resources"]), dict(summed["instructions"])
    if unit.other_compiler:
        # Types decide what is computed in float64, whoever compiles it; all else is that compiler's.
        resources = {}
        instructions = {name: count for name, count in instructions.items() if name in _FP64_METRICS}
        for one in lines.values():
            for name in one.keys() - _FP64_METRICS:
                del one[name]
    differing = ", ".join(f"`{name}`" for name in summed.get("differing", ()))
    left_out = (f"Not known, as the guesses differ in it: {differing}.",) if differing else ()
    return CompiledKernel(
        types=chosen.types,
        assumptions=(*chosen.assumptions, *left_out),
        resources=resources,
        instructions=instructions,
        lines=tuple(CodeLine(path, line, dict(counts)) for (path, line), counts in sorted(lines.items())),
        launch=chosen.launch,
        promotions=placed_promotions(unit, chosen, summed["promotions"]),
        narrowings=placed_narrowings(unit, chosen, summed["narrowings"]),
    )


def _own(counts: Json, source: str, line: int) -> Json:
    """The counts of a line without float64 arithmetic that its text cannot hold."""
    computing = arithmetic_lines(source)
    if computing is None or line in computing:
        return counts
    return counts | dict.fromkeys(_FP64_METRICS & counts.keys(), 0)


def placed_problem(unit: CompilationUnit, problem: Json) -> Problem:
    """The problem at its line of the workspace; the kernel's `def` when it names no function of the unit.

    Where types or values are guesses, a refusal may be theirs: it stands at the kernel's `def` then.
    """
    guesses = {
        "types": _guessed(unit, problem),
        "values": tuple(placeholder.name for placeholder in unit.placeholders),
    }
    if any(guesses.values()):
        kernel = next(function for function in unit.functions if not function.device)
        assumed = " and ".join(
            f"the {noun} assumed for {', '.join(f'`{name}`' for name in names)}"
            for noun, names in guesses.items()
            if names
        )
        reason = f"The kernel `{kernel.name}` was not compiled with {assumed}"
        return Problem(kernel.path, kernel.line, f"{reason}: {_reason(problem)}.")
    path, line = refused_place(unit, problem)
    return Problem(path, line, f"The kernel `{kernel_name(unit)}` was not compiled: {_reason(problem)}.")


def kernel_name(unit: CompilationUnit) -> str:
    """The name of a unit's kernel."""
    return next((function.name for function in unit.functions if not function.device), unit.kernel)


def _reason(problem: Json) -> str:
    return str(problem["message"]).rstrip(".")


def _guessed(unit: CompilationUnit, problem: Json) -> tuple[str, ...]:
    """The parameters whose types are guesses in the typing that the compiler refused."""
    number = problem.get("candidate")
    return unit.candidates[number].assumed if number is not None else ()
