"""Has questions about kernels answered: from the cache, else in contained processes within a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeAlias, TypeVar

from advisor.evidence.simulated.synthesis.asking.questions import Question
from advisor.evidence.simulated.synthesis.processes.contained_runs import ContainedRuns, Wanted
from advisor.evidence.simulated.synthesis.processes.messages import as_json, from_json
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.model.errors import EvidenceUnavailable
from advisor.model.machine_code.kernel_code import KernelCode
from advisor.model.storage.cache import Cache

_LOOK_SECONDS = 0.2
_BATCH = 16
_NO_CODE = "Its code is none that can be run here."

Step = Callable[[int, int], None]
# What is told of a kernel, and whether the same would be told again.
Answer = tuple[Synthesis, bool]


class Kernel(Protocol):
    """What a question is about."""

    @property
    def kernel(self) -> str:
        """The key of the kernel."""


class AboutKernel(Protocol):
    """A question about a kernel: equal keys have the same answer, `size` is roughly how much work it is."""

    @property
    def unit(self) -> Kernel:
        """The kernel that is asked about."""

    @property
    def key(self) -> str:
        """Equal for questions that have the same answer."""

    @property
    def size(self) -> int:
        """Roughly how much there is to do."""

    def placed(self, answer: Synthesis) -> Synthesis:
        """An answer with its lines where the kernel stands."""


Asked = TypeVar("Asked", bound=AboutKernel)
# Gives the answer to a question; what it is given is called now and then, and may raise.
Ask: TypeAlias = Callable[[Asked, Wanted], Answer]
# A question with its answer, where there was time for one.
Answered: TypeAlias = "tuple[Asked | None, Answer | None]"


@dataclass
class Answers:
    """Answers by the keys of kernels; `left_out` are the kernels that were not reached in time, and
    `unavailable` says why none could be asked about.
    """

    by_kernel: dict[str, Synthesis] = field(default_factory=dict)
    left_out: int = 0
    unavailable: EvidenceUnavailable | None = None


class Answering(Protocol[Asked]):
    """Has questions answered; `unavailable` says at the end why none could be asked."""

    unavailable: EvidenceUnavailable | None

    def answers(self, questions: Sequence[Asked], until: float) -> Generator[Answered[Asked], None, None]:
        """Questions with their answers as they come, until a time (of `time.monotonic`)."""


class _Stopped(Exception):
    """Nobody wants the answer any more."""


def known_answers(questions: Sequence[AboutKernel], cache: Cache | None) -> dict[str, Synthesis]:
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
    questions: Sequence[Asked],
    answering: Answering[Asked],
    cache: Cache | None,
    *,
    seconds: float,
    step: Step | None = None,
) -> Answers:
    """The answers of contained processes, the smallest kernels first; of equal questions one is asked.

    After `seconds` no more is asked, and what is under way ends without an answer. `step` is called now and
    then and may raise, which ends all. Answers that would be the same again are kept in the cache.
    """
    answers, fresh = Answers(), dict[str, object]()
    alike: dict[str, list[Asked]] = {}
    for question in sorted(questions, key=lambda one: one.size):
        alike.setdefault(question.key, []).append(question)
    done = 0
    try:
        asked = [some[0] for some in alike.values()]
        with closing(answering.answers(asked, time.monotonic() + seconds)) as found:
            for about, answer in found:
                if about is not None and answer is not None:
                    for one in alike[about.key]:
                        answers.by_kernel[one.unit.kernel] = one.placed(answer[0])
                        done += 1
                    if answer[1]:
                        fresh[about.key] = as_json(answer[0])
                if cache and len(fresh) >= _BATCH:
                    cache.put_many(fresh)
                    fresh = {}
                if step:
                    step(done, len(questions))
    finally:
        if cache:
            cache.put_many(fresh)
    answers.left_out = len(questions) - done
    answers.unavailable = answering.unavailable
    return answers


class AnsweringHere(Generic[Asked]):
    """Answers questions in `jobs` processes of this machine, each as `ask` does."""

    def __init__(self, ask: Ask[Asked], jobs: int) -> None:
        self.unavailable: EvidenceUnavailable | None = None
        self._ask, self._jobs = ask, jobs

    def answers(self, questions: Sequence[Asked], until: float) -> Generator[Answered[Asked], None, None]:
        """Questions with their answers; now and then nothing, for who wants to do something meanwhile."""
        work = _Work(self._ask, until)
        with ThreadPoolExecutor(max(self._jobs, 1), "launches") as threads:
            waiting: dict[Future[Answer | None], Asked] = {}
            try:
                waiting = {threads.submit(work.answer, one): one for one in questions}
                while waiting:
                    done, _ = wait(waiting, _LOOK_SECONDS, FIRST_COMPLETED)
                    if not done:
                        yield None, None
                    for future in done:
                        yield waiting.pop(future), future.result()
            finally:
                work.stop()
                for future in waiting:
                    future.cancel()
        self.unavailable = work.unavailable


class _Work(Generic[Asked]):
    """Answers single questions until its time has passed or it is stopped."""

    def __init__(self, ask: Ask[Asked], until: float) -> None:
        self.unavailable: EvidenceUnavailable | None = None
        self._ask, self._until = ask, until
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End what is under way."""
        self._stopped.set()

    def answer(self, question: Asked) -> Answer | None:
        """The answer and whether it is lasting; None where there was no time for it."""
        try:
            self._look()
            return self._ask(question, self._look)
        except _Stopped:
            return None
        except EvidenceUnavailable as unavailable:
            self.unavailable = unavailable
            self.stop()
            return None

    def _look(self) -> None:
        if self._stopped.is_set() or time.monotonic() >= self._until:
            raise _Stopped


def answer_of(
    question: Question,
    codes: tuple[KernelCode, ...] | None,
    runs: ContainedRuns,
    wanted: Wanted = lambda: None,
) -> Answer:
    """The answer of a contained process and whether it is lasting; see `ContainedRuns.answer`."""
    if not codes:
        return Synthesis("", unknown=_NO_CODE), codes is not None
    try:
        return runs.answer(question.request(codes), wanted)
    except RecursionError:
        return Synthesis("", unknown="The kernel is nested too deeply to be run here."), True
