"""Compiles units in worker processes, with a cache in front that spares what is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from advisor.evidence.compiled.compile_requests import (
    code_comes_along,
    code_keys,
    code_request,
    compile_keys,
    compile_request,
)
from advisor.evidence.compiled.compilers.machine_code import MachineCode
from advisor.evidence.compiled.compilers.process import Worker, WorkerLost
from advisor.evidence.compiled.compilers.worker_pool import Outcome, WorkerPool, WorkerStock
from advisor.evidence.compiled.evidence import CompiledEvidence, Target
from advisor.evidence.compiled.kernel_codes import KernelCodes
from advisor.evidence.compiled.placing import kernel_name, placed_kernel, placed_problem
from advisor.evidence.compiled.refusals import rejections
from advisor.evidence.compiled.toolchain import (
    missing_compiler,
    missing_cuda_compiler,
    missing_disassembler,
)
from advisor.model.compilation_unit import CompilationUnit, Rejection
from advisor.model.errors import EvidenceUnavailable
from advisor.model.findings import Problem
from advisor.model.storage.cache import Cache

Json = dict[str, Any]
Progress = Callable[[str, int, int], None]

# Raised whenever the same unit would give other numbers than before.
_FORMAT = 13
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
) -> CompiledEvidence:
    """The machine code of all units in numbers, and a problem for each unit that gave none.

    `timeout` is in seconds for each unit; at most `jobs` compiler processes run at a time, those of `stock`
    first. Nothing is raised for what units hold; a missing toolchain is told in `unavailable`. What is
    compiled leaves its code to execute in `codes`, without `other_typings` only where none is compiled for it
    alone.
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

    kept = {"keep_ptx": True} if len(pending) > 1 else {}

    def work(worker: Worker, unit: CompilationUnit) -> Outcome:
        executed = codes is not None and unit.cuda is None
        with_code = executed and (other_typings or code_comes_along(unit))
        return _compile(worker, unit, target, timeout, kept, with_code)

    with WorkerPool(min(jobs, len(pending)), work, stock) as pool:
        reading = MachineCode(pool, target, timeout)
        try:
            for unit, outcome in reading.outcomes(pool.run(pending)):
                done += 1
                _add(evidence, unit, outcome.value)
                if codes is not None and outcome.codes is not None:
                    (key,) = code_keys([unit], target)
                    codes.keep(key, outcome.codes)
                if outcome.fatal:
                    evidence.lost[unit.kernel] = evidence.problems[-1]
                if cache and outcome.lasting:
                    fresh[keys[id(unit)]] = outcome.value
                    if len(fresh) >= _BATCH:
                        cache.put_many(fresh)
                        fresh = {}
                if progress:
                    progress("compiling", done, total)
        finally:
            if cache:
                cache.put_many(fresh)
        evidence.unavailable = pool.unavailable or evidence.unavailable
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
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return False
    return True


def _compile(
    worker: Worker, unit: CompilationUnit, target: Target, timeout: float, kept: Json, with_code: bool
) -> Outcome:
    """The answers to a unit: of one whose names have several values, or guessed ones, to each of these, and
    its code with the first and the last of them: of these for the other typing, then for the one taken.
    """
    outcome = _compiled(worker, unit, target, timeout, kept, with_code)
    if "problem" in outcome.value:
        return outcome
    others = unit.with_other_values(outcome.value["candidate"])
    if not others:
        return outcome
    answers, lasting, codes = [*outcome.answers], outcome.lasting, [*(outcome.codes or [])[:1]]
    for other in others:
        second = _compiled(worker, other, target, timeout, kept, with_code)
        answers.append(second.value)
        lasting = lasting and second.lasting
        # Without the code for one of the values none is run: its counts would be those of the others.
        codes = [*codes[:1], *reversed(second.codes)] if codes and second.codes else []
    return replace(outcome, lasting=lasting, codes=codes if with_code else None, answers=tuple(answers))


def _compiled(
    worker: Worker, unit: CompilationUnit, target: Target, timeout: float, kept: Json, with_code: bool
) -> Outcome:
    asked = {**compile_request(unit, target), **kept, **(code_request(unit) if with_code else {})}
    try:
        answer = worker.compile(asked, timeout)
    except WorkerLost as lost:
        reason = f"it took longer than {timeout:g} s" if lost.timed_out else "the compiler crashed"
        return replace(_passing_problem(unit, reason), fatal=True)
    if "failure" in answer:
        return _passing_problem(unit, f"the compiler failed ({answer['failure']})")
    if "problem" in answer:
        return Outcome(answer)
    return Outcome(answer, codes=answer.pop("codes", None), answers=(answer,), process=worker.number)


def _passing_problem(unit: CompilationUnit, reason: str) -> Outcome:
    """A problem that another attempt may not have, so it is not kept."""
    kernel = next(n for n, function in enumerate(unit.functions) if not function.device)
    return Outcome({"problem": {"function": kernel, "line": 1, "message": reason}}, lasting=False)
