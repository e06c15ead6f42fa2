"""Questions about kernels that workers elsewhere answer, in contained processes of their machines."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing

from advisor.evidence.compiled.kernel_codes import KernelCodes, unpacked
from advisor.evidence.simulated.synthesis.asking.answers import Answer, Answered, answer_of
from advisor.evidence.simulated.synthesis.asking.questions import Question
from advisor.evidence.simulated.synthesis.processes.contained_runs import own_runs
from advisor.model.errors import EvidenceUnavailable
from advisor.model.processes.units_of_work import Executor, Task, content_key


class AnsweringElsewhere:
    """Has questions answered by an executor, with the code in `codes`; with `keep_code` the users of the
    workers keep what they translate.
    """

    def __init__(self, codes: KernelCodes, executor: Executor, keep_code: bool) -> None:
        self.unavailable: EvidenceUnavailable | None = None
        self._codes, self._executor, self._keep_code = codes, executor, keep_code

    def answers(
        self, questions: Sequence[Question], until: float
    ) -> Generator[Answered[Question], None, None]:
        """Questions with their answers."""
        tasks = (
            Task(
                content_key("launches", one.key),
                _answer_there,
                (one, self._codes.packed(one.code), self._keep_code),
            )
            for one in questions
        )
        with closing(self._executor.results(tasks, until)) as results:
            for number, answer in results:
                if isinstance(answer, EvidenceUnavailable):
                    self.unavailable = answer
                    return
                yield questions[number], answer


def _answer_there(question: Question, packed: str | None, keep_code: bool) -> Answer | EvidenceUnavailable:
    codes = None if packed is None else unpacked(packed, question.unit)
    try:
        return answer_of(question, codes, own_runs(keep_code))
    except EvidenceUnavailable as unavailable:
        return unavailable
