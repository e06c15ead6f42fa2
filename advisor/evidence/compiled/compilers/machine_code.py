"""Reads the machine code of compiled units, of several at a time, which takes far less than of each alone."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from advisor.evidence.compiled.agreement import agreed
from advisor.evidence.compiled.compilers.process import Worker, WorkerLost
from advisor.evidence.compiled.compilers.worker_pool import Outcome, WorkerPool
from advisor.evidence.compiled.evidence import Target
from advisor.evidence.compiled.instructions.disassembly import DisassemblyFailure, disassemble, taken_apart
from advisor.evidence.compiled.instructions.live_registers import (
    LIVE_OPTIONS,
    is_worth_asking,
    peaks,
    read_live,
)
from advisor.evidence.compiled.instructions.sass import MachineInstructions, count_sass, read_sass
from advisor.evidence.compiled.placing import summary
from advisor.evidence.compiled.toolchain import nvdisasm
from advisor.model.compilation_unit import CompilationUnit

Json = dict[str, Any]
_Compiled = tuple[CompilationUnit, Outcome]
_Read = MachineInstructions | DisassemblyFailure | None

# How many units wait for each other.
_UNITS = 16


class MachineCode:
    """Reads the code of units that a pool compiles; `timeout` is in seconds for each run of nvdisasm."""

    def __init__(self, pool: WorkerPool, target: Target, timeout: float) -> None:
        self._pool, self._target, self._timeout = pool, target, timeout
        self._program = nvdisasm()

    def outcomes(self, compiled: Iterable[_Compiled]) -> Iterator[_Compiled]:
        """The units with what became of them once their code is read."""
        waiting: dict[int, list[_Compiled]] = {}
        for unit, outcome in compiled:
            if not outcome.answers:
                yield unit, outcome
                continue
            # The names of kernels differ within one process only.
            group = waiting.setdefault(outcome.process, [])
            group.append((unit, outcome))
            if len(group) >= _UNITS:
                yield from self._read(waiting.pop(outcome.process))
        for group in waiting.values():
            yield from self._read(group)

    def _read(self, group: Sequence[_Compiled]) -> Iterator[_Compiled]:
        answers = [one for _, outcome in group for one in outcome.answers if "problem" not in one]
        together: dict[str, list[Json]] = {}
        for answer in answers:
            linkable = answer.get("text") and answer["cubin"]
            key = repr(answer["assembly"]) if linkable else f"alone {id(answer)}"
            together.setdefault(key, []).append(answer)
        read = {
            id(answer): machine
            for some in together.values()
            for answer, machine in zip(some, self._of_some(some), strict=True)
        }
        for unit, outcome in group:
            yield unit, _summed(outcome, [read.get(id(one)) for one in outcome.answers])

    def _of_some(self, answers: Sequence[Json]) -> list[_Read]:
        """What is read of each answer's code."""
        parts = self._parts(answers) if len(answers) > 1 and self._program is not None else None
        found: list[_Read] = []
        for number, answer in enumerate(answers):
            text, lives = parts[number] if parts is not None else (None, None)
            found.append(self._alone(answer) if text is None else _counted(text, lives))
        return found

    def _alone(self, answer: Json) -> _Read:
        if self._program is None or not answer["cubin"]:
            return None
        cubin = base64.b64decode(answer["cubin"])
        try:
            text = disassemble(self._program, cubin, self._timeout)
            if not is_worth_asking(answer["resources"]):
                return _counted(text, None)
            return _counted(text, disassemble(self._program, cubin, self._timeout, LIVE_OPTIONS))
        except DisassemblyFailure as failure:
            return failure

    def _parts(self, answers: Sequence[Json]) -> list[tuple[str | None, str | None]] | None:
        """What is printed of each answer's code, and of that with its live registers where that is asked."""
        linked = self._pool.ask(lambda worker: self._linked(worker, answers))
        if not linked or self._program is None:
            return None
        cubins = [base64.b64decode(one["cubin"]) for one in answers]
        asked = [is_worth_asking(one["resources"]) for one in answers]
        try:
            texts = taken_apart(disassemble(self._program, linked, self._timeout), cubins)
            lives: Sequence[str | None] = [None] * len(texts)
            if any(asked):
                printed = disassemble(self._program, linked, self._timeout, LIVE_OPTIONS)
                lives = taken_apart(printed, cubins)
        except DisassemblyFailure:
            return None
        return [
            (None if wanted and live is None else text, live if wanted else None)
            for text, live, wanted in zip(texts, lives, asked, strict=True)
        ]

    def _linked(self, worker: Worker, answers: Sequence[Json]) -> bytes:
        """The cubin of all of them; nothing where they cannot be linked."""
        asked = {
            "together": [one["text"] for one in answers],
            "assembly": answers[0]["assembly"],
            "capability": list(self._target.compute_capability),
        }
        try:
            return base64.b64decode(worker.compile(asked, self._timeout).get("cubin", ""))
        except WorkerLost:
            return b""


def _counted(text: str, lives: str | None) -> MachineInstructions:
    machine = count_sass(text)
    if lives is not None:
        machine.live = peaks(read_sass(text), read_live(lives))
    return machine


def _summed(outcome: Outcome, machines: Sequence[_Read]) -> Outcome:
    """The numbers that the answers of a unit agree about."""
    failed = any(isinstance(one, DisassemblyFailure) for one in machines)
    value, *others = map(_value, outcome.answers, machines)
    for second in others:
        value = agreed(value, second)
    return replace(outcome, value=value, lasting=outcome.lasting and not failed, answers=())


def _value(answer: Json, machine: _Read) -> Json:
    if "problem" in answer:
        return answer
    return summary(answer, None if isinstance(machine, DisassemblyFailure) else machine)
