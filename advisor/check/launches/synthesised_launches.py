"""Launches made up for the kernels of a check: what is kept of them, code that is missing, new answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from advisor.check.launches.known_and_new import known_and_new
from advisor.evidence.compiled import Target, compile_units
from advisor.evidence.compiled.compile_requests import code_keys
from advisor.evidence.compiled.compilers.worker_pool import WorkerStock
from advisor.evidence.compiled.kernel_codes import KernelCodes
from advisor.evidence.simulated.synthesis.asking.answers import (
    Answer,
    Answering,
    AnsweringHere,
    answer_of,
)
from advisor.evidence.simulated.synthesis.asking.questions import Question
from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence
from advisor.evidence.simulated.synthesis.processes.contained_runs import ContainedRuns, Wanted
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.devices import Device
from advisor.model.findings import Report
from advisor.model.processes.units_of_work import Executor
from advisor.model.settings.check_options import Progress
from advisor.model.storage.cache import Cache

_TOLD = "running synthesised launches"


class SynthesisedLaunches:
    """Makes up launches of kernels whose code is in `codes`, or is compiled for it within some seconds each.

    They run in the processes of `runs`, or of an `executor` elsewhere; nothing of the workspace is imported
    or run.
    """

    def __init__(
        self,
        codes: KernelCodes,
        cache: Cache | None,
        runs: ContainedRuns,
        stock: WorkerStock,
        compile_seconds: float,
        executor: Executor | None = None,
    ) -> None:
        self._executor = executor if executor is not None and executor.elsewhere else None
        self._codes, self._cache, self._runs = codes, cache, runs
        self._stock, self._compile_seconds = stock, compile_seconds

    def evidence(
        self,
        units: Sequence[CompilationUnit],
        device: Device,
        report: Report,
        *,
        jobs: int,
        seconds: float | None,
        progress: Progress | None = None,
    ) -> SynthesisedEvidence:
        """What is known of the units, of which new ones are looked at for so many seconds together; without
        any only what is kept.

        Notices of the report say how many are left out, and what keeps launches from being run at all.
        """
        target = Target.parse(device.compute_capability)
        codes = code_keys(units, target)
        questions = [Question.about(unit, code) for unit, code in zip(units, codes, strict=True)]
        known = known_and_new(
            questions,
            self._cache,
            partial(self._answering, target=target, jobs=jobs, progress=progress),
            report,
            seconds=seconds,
            progress=progress,
            told=_TOLD,
        )
        found = SynthesisedEvidence()
        for question in questions:
            if (answer := known.get(question.unit.kernel)) is not None:
                found.add(question.unit, question.launch, answer)
        return found

    def _answering(
        self, new: Sequence[Question], target: Target, jobs: int, progress: Progress | None
    ) -> Answering[Question]:
        """What has new questions answered, once their kernels are compiled."""
        self._compile_missing(new, target, jobs, progress)
        if self._executor is None:
            return AnsweringHere(self._answer, min(jobs, len(new)))
        from advisor.check.launches.answers_elsewhere import AnsweringElsewhere

        return AnsweringElsewhere(self._codes, self._executor, keep_code=self._cache is not None)

    def _answer(self, question: Question, wanted: Wanted) -> Answer:
        return answer_of(question, self._codes.of(question.code, question.unit), self._runs, wanted)

    def _compile_missing(
        self, questions: Sequence[Question], target: Target, jobs: int, progress: Progress | None
    ) -> None:
        """Compile the kernels whose numbers were known already, and whose code is not."""
        missing = [one.unit for one in questions if not self._codes.has(one.code)]
        if missing:
            compile_units(
                missing,
                target,
                cache=None,
                timeout=self._compile_seconds,
                jobs=jobs,
                progress=progress,
                stock=self._stock,
                codes=self._codes,
                executor=self._executor,
            )
