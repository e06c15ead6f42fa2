"""What a compiler's process answers to a unit, and to its other values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from advisor.evidence.compiled.compile_requests import code_request, compile_request
from advisor.evidence.compiled.compilers.process import Worker, WorkerLost
from advisor.evidence.compiled.compilers.worker_pool import Outcome
from advisor.evidence.compiled.evidence import Target
from advisor.model.compilation_unit import CompilationUnit

Json = dict[str, Any]


def answer(
    worker: Worker, unit: CompilationUnit, target: Target, timeout: float, kept: Json, with_code: bool
) -> Outcome:
    """The answers to a unit: of one whose names have several values, or guessed ones, to each of these, and
    its code with the first and the last of them: of these for the other typing, then for the one taken.
    """
    outcome = _answered(worker, unit, target, timeout, kept, with_code)
    if "problem" in outcome.value:
        return outcome
    others = unit.with_other_values(outcome.value["candidate"])
    if not others:
        return outcome
    answers, lasting, codes = [*outcome.answers], outcome.lasting, [*(outcome.codes or [])[:1]]
    for other in others:
        second = _answered(worker, other, target, timeout, kept, with_code)
        answers.append(second.value)
        lasting = lasting and second.lasting
        # Without the code for one of the values none is run: its counts would be those of the others.
        codes = [*codes[:1], *reversed(second.codes)] if codes and second.codes else []
    return replace(outcome, lasting=lasting, codes=codes if with_code else None, answers=tuple(answers))


def _answered(
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
