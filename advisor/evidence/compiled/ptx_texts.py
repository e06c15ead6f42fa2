"""The PTX of compilation units, for those who execute or study it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.evidence.compiled.compile_requests import compile_request
from advisor.evidence.compiled.compilers.process import Worker, WorkerLost
from advisor.evidence.compiled.evidence import Target
from advisor.model.compilation_unit import CompilationUnit

_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class PtxText:
    """The PTX of one unit with the number of its typing, or why there is none."""

    unit: CompilationUnit
    text: str = ""
    candidate: int = 0
    problem: str = ""


def ptx_texts(
    units: Sequence[CompilationUnit], target: Target, timeout: float = _SECONDS
) -> Iterator[PtxText]:
    """The PTX of each unit in order, compiled in one worker process, nothing of the workspace imported.

    `timeout` is in seconds for each unit. Raises EvidenceUnavailable when the compiler cannot be started.
    """
    worker = Worker()
    try:
        for unit in units:
            if unit.missing or not unit.candidates:
                yield PtxText(unit, problem=", ".join(unit.missing) or "its parameters have no known types")
                continue
            try:
                answer: dict[str, Any] = worker.compile(
                    {**compile_request(unit, target), "keep_ptx": True}, timeout
                )
            except WorkerLost as lost:
                worker.close()
                worker = Worker()
                yield PtxText(unit, problem="it took too long" if lost.timed_out else "the compiler crashed")
                continue
            yield _text(unit, answer)
    finally:
        worker.close()


def _text(unit: CompilationUnit, answer: dict[str, Any]) -> PtxText:
    if "text" in answer:
        return PtxText(unit, answer["text"], answer["candidate"])
    return PtxText(unit, problem=answer.get("failure") or answer["problem"]["message"])
