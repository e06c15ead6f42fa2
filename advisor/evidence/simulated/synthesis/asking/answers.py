"""Has questions about kernels answered: from the cache, else in contained processes within a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field

from advisor.evidence.simulated.synthesis.asking.questions import Question
from advisor.evidence.simulated.synthesis.processes.contained_runs import ContainedRuns
from advisor.evidence.simulated.synthesis.processes.messages import as_json, from_json
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.model.errors import EvidenceUnavailable
from advisor.model.machine_code.kernel_code import KernelCode
from advisor.model.storage.cache import Cache

_LOOK_SECONDS = 0.2
_BATCH = 16
_NO_CODE = "Its code is none that can be run here."

CodeOf = Callable[[Question], "tuple[KernelCode, ...] | None"]
Step = Callable[[int, int], None]


@dataclass
class Answers:
    """Answers by the keys of kernels; `left_out` are the kernels that were not reached in time, and
    `unavailable` says why none could be asked about.
    """

    by_kernel: dict[str, Synthesis] = field(default_factory=dict)
    left_out: int = 0
    unavailable: EvidenceUnavailable | None = None


class _Stopped(Exception):
    """Nobody wants the answer any more."""


def known_answers(questions: Sequence[Question], cache: Cache | None) -> dict[str, Synthesis]:
    """The answers that are kept, by the keys of kernels."""
    keys = {one.unit.kernel: one.key for one in questions}
    kept = cache.get_many(keys.values()) if cache else {}
    found = {}
    for question in questions:
        answer = kept.get(keys[question.unit.kernel])
        if answer is not None:
            with suppress(ValueError):
                found[question.unit.kernel] = question.placed(from_json(answer))
    return found


def new_answers(
    questions: Sequence[Question],
    code_of: CodeOf,
    runs: ContainedRuns,
    cache: Cache | None,
    *,
    jobs: int,
    seconds: float,
    step: Step | None = None,
) -> Answers:
    """The answers of contained processes, `jobs` at a time, the smallest kernels first.

    After `seconds` no more is asked, and what is under way ends without an answer. `step` is called now and
    then and may raise, which ends all. Answers that would be the same again are kept in the cache.
    """
    work = _Work(code_of, runs, time.monotonic() + seconds)
    answers, fresh = Answers(), dict[str, object]()
    ordered = sorted(questions, key=lambda one: one.size)
    with ThreadPoolExecutor(max(jobs, 1), "launches") as threads:
        waiting: dict[Future[tuple[Synthesis, bool] | None], Question] = {}
        try:
            waiting = {threads.submit(work.answer, one): one for one in ordered}
            while waiting:
                done, _ = wait(waiting, _LOOK_SECONDS, FIRST_COMPLETED)
                for future in done:
                    question = waiting.pop(future)
                    answer = future.result()
                    if answer is None:
                        answers.left_out += 1
                        continue
                    answers.by_kernel[question.unit.kernel] = question.placed(answer[0])
                    if answer[1]:
                        fresh[question.key] = as_json(answer[0])
                if cache and len(fresh) >= _BATCH:
                    cache.put_many(fresh)
                    fresh = {}
                if step:
                    step(len(questions) - len(waiting), len(questions))
        finally:
            work.stop()
            for future in waiting:
                future.cancel()
            if cache:
                cache.put_many(fresh)
    answers.unavailable = work.unavailable
    return answers


class _Work:
    """Answers single questions until its time has passed or it is stopped."""

    def __init__(self, code_of: CodeOf, runs: ContainedRuns, until: float) -> None:
        self.unavailable: EvidenceUnavailable | None = None
        self._code_of, self._runs, self._until = code_of, runs, until
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End what is under way."""
        self._stopped.set()

    def answer(self, question: Question) -> tuple[Synthesis, bool] | None:
        """The answer and whether it is lasting; None where there was no time for it."""
        try:
            self._look()
            codes = self._code_of(question)
            if not codes:
                return Synthesis("", unknown=_NO_CODE), codes is not None
            return self._runs.answer(question.request(codes), self._look)
        except _Stopped:
            return None
        except RecursionError:
            return Synthesis("", unknown="The kernel is nested too deeply to be run here."), True
        except EvidenceUnavailable as unavailable:
            self.unavailable = unavailable
            self.stop()
            return None

    def _look(self) -> None:
        if self._stopped.is_set() or time.monotonic() >= self._until:
            raise _Stopped
