"""Compiles units in worker processes, with a cache in front that spares what is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

from advisor.evidence.compiled.compile_requests import code_keys, compile_keys
from advisor.evidence.compiled.compilers.outcomes import Asked, Compiling
from advisor.evidence.compiled.compilers.worker_pool import WorkerStock
from advisor.evidence.compiled.evidence import CompiledEvidence, Target
from advisor.evidence.compiled.kernel_codes import KernelCodes
from advisor.evidence.compiled.placing import kernel_name, placed_kernel, placed_problem
from advisor.evidence.compiled.refusals import rejections, rejections_of_launches
from advisor.evidence.compiled.toolchain import (
    missing_compiler,
    missing_cuda_compiler,
    missing_disassembler,
)
from advisor.model.compilation_unit import CompilationUnit, Rejection
from advisor.model.errors import EvidenceUnavailable
from advisor.model.findings import Problem
from advisor.model.processes.units_of_work import Executor
from advisor.model.storage.cache import Cache

Json = dict[str, Any]
Progress = Callable[[str, int, int], None]

# Raised whenever the same unit would give other numbers than before.
_FORMAT = 14
_BATCH = 16


def compile_units(
    units: Sequence[CompilationUnit],
    target: Target,
    *,
    cache: Cache | None,
    timeout: float,
    jobs: int,
    progress: Progress | None = None,
    stock: WorkerStock | None = None,
    codes: KernelCodes | None = None,
    other_typings: bool = True,
    executor: Executor | None = None,
) -> CompiledEvidence:
    """The machine code of all units in numbers, and a problem for each unit that gave none.

    `timeout` is in seconds for each unit; at most `jobs` compiler processes run at a time, those of `stock`
    first. Nothing is raised for what units hold; a missing toolchain is told in `unavailable`. What is
    compiled leaves its code to execute in `codes`, without `other_typings` only where none is compiled for it
    alone. An `executor` elsewhere has them compiled by its workers.
    """
    evidence = CompiledEvidence()
    compilable = [unit for unit in units if not _refused(unit, evidence)]
    keys = {
        id(unit): key for unit, key in zip(compilable, compile_keys(compilable, target, _FORMAT), strict=True)
    }
    known = cache.get_many(keys.values()) if cache else {}
    pending = [unit for unit in compilable if not _add(evidence, unit, known.get(keys[id(unit)]))]
    pending, missing_nvrtc = _with_their_compiler(pending)
    done, total = len(units) - len(pending), len(units)
    evidence.unavailable = missing_nvrtc or (missing_disassembler() if compilable else None)
    if progress:
        progress("compiling", done, total)
    if not pending:
        return evidence
    if (missing := missing_compiler()) is not None:
        evidence.unavailable = missing
        return evidence
    fresh: dict[str, Json] = {}
    code = {id(unit): key for unit, key in zip(pending, code_keys(pending, target), strict=True)}

    def identity(unit: CompilationUnit) -> tuple[str, str]:
        return keys[id(unit)], code[id(unit)]

    # Of units that are alike one is compiled.
    twins: dict[tuple[str, str], list[CompilationUnit]] = {}
    for unit in pending:
        twins.setdefault(identity(unit), []).append(unit)
    asked = Asked(target, timeout, len(twins) > 1, codes is not None, other_typings)
    compiling = Compiling(asked, min(jobs, len(twins)), stock, executor)
    try:
        with closing(compiling.outcomes([units[0] for units in twins.values()])) as outcomes:
            for first, outcome in outcomes:
                for unit in twins[identity(first)]:
                    done += 1
                    _add(evidence, unit, outcome.value)
                    if outcome.fatal:
                        evidence.lost[unit.kernel] = evidence.problems[-1]
                if codes is not None and outcome.codes is not None:
                    codes.keep(code[id(first)], outcome.codes)
                if cache and outcome.lasting:
                    fresh[keys[id(first)]] = outcome.value
                    if len(fresh) >= _BATCH:
                        cache.put_many(fresh)
                        fresh = {}
                if progress:
                    progress("compiling", done, total)
    finally:
        if cache:
            cache.put_many(fresh)
    evidence.unavailable = compiling.unavailable or evidence.unavailable
    evidence.problems.sort(key=lambda problem: (problem.path, problem.line))
    return evidence


def _with_their_compiler(
    units: list[CompilationUnit],
) -> tuple[list[CompilationUnit], EvidenceUnavailable | None]:
    """The units that can be compiled here, and what is missing for the others, which are in CUDA C++."""
    if all(unit.cuda is None for unit in units) or (missing := missing_cuda_compiler()) is None:
        return units, None
    return [unit for unit in units if unit.cuda is None], missing


def _refused(unit: CompilationUnit, evidence: CompiledEvidence) -> bool:
    """Whether a unit cannot be compiled at all, with its problem added."""
    kernel = next((function for function in unit.functions if not function.device), None)
    name, path, line = (kernel.name, kernel.path, kernel.line) if kernel else (unit.kernel, unit.path, 1)
    if unit.undefined:
        first = unit.undefined[0]
        said = f"name `{first.name}` is not defined: the kernel `{name}` cannot be compiled."
        evidence.problems.append(Problem(first.path, first.line, said))
        return True
    if unit.rejected:
        _reject(evidence, unit, unit.rejected)
        return True
    reason = unit.obstacle or ("its text is missing" if kernel is None else "")
    if not reason:
        return False
    evidence.problems.append(Problem(path, line, f"The kernel `{name}` was not compiled: {reason}."))
    return True


def _reject(evidence: CompiledEvidence, unit: CompilationUnit, reasons: tuple[Rejection, ...]) -> None:
    """Add why no compiler takes a unit, and a problem for those who do not look at findings of it."""
    evidence.rejections[unit.kernel] = reasons
    first = reasons[0]
    said = f"The kernel `{kernel_name(unit)}` was not compiled: {first.reason}."
    evidence.problems.append(Problem(first.path, first.line, said))


def _add(evidence: CompiledEvidence, unit: CompilationUnit, value: Json | None) -> bool:
    """Add what is known of a unit; False when that is nothing, or not what this version writes."""
    if value is None:
        return False
    try:
        if "problem" in value:
            certain = rejections(unit, value["problem"])
            if certain:
                _reject(evidence, unit, certain)
            else:
                evidence.problems.append(placed_problem(unit, value["problem"]))
        else:
            evidence.by_kernel[unit.kernel] = placed_kernel(unit, value)
            refused = rejections_of_launches(unit, value["refused"])
            if refused:
                evidence.rejections[unit.kernel] = refused
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return False
    return True
