"""What is known of the kernels of a check from launches that were made up: what is kept, and new answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from advisor.evidence.simulated.synthesis.asking.answers import Answering, Asked, known_answers, new_answers
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.model.findings import Report
from advisor.model.settings.check_options import Progress
from advisor.model.storage.cache import Cache


def known_and_new(
    questions: Sequence[Asked],
    cache: Cache | None,
    answering: Callable[[Sequence[Asked]], Answering[Asked]],
    report: Report,
    *,
    seconds: float | None,
    progress: Progress | None,
    told: str,
) -> dict[str, Synthesis]:
    """The answers by the keys of kernels: those in the cache, and new ones for so many seconds together;
    without any only what is kept.

    `answering` is given the questions that the cache does not answer, where there are any, and says what has
    them answered; `told` is what the progress is called. Notices of the report say how many are left out, and
    what keeps launches from being run at all.
    """
    known = known_answers(questions, cache)
    new = [one for one in questions if one.unit.kernel not in known]
    if not new or seconds is None:
        return known
    answers = new_answers(
        new,
        answering(new),
        cache,
        seconds=seconds,
        step=(lambda done, total: progress(told, done, total)) if progress else None,
    )
    if answers.unavailable is not None:
        report.notices.append(answers.unavailable.as_notice())
    elif answers.left_out:
        report.notices.append(_left_out(answers.left_out, seconds))
    return known | answers.by_kernel


def _left_out(kernels: int, seconds: float) -> str:
    what = "1 kernel has" if kernels == 1 else f"{kernels} kernels have"
    return (
        f"{what} no synthesised launches yet: {seconds:g} s were not enough (synthesis-seconds sets how "
        "many); the next check goes on with them."
    )
