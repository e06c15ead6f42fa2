"""Answers about many kernels: kept, within a time, several at a time, and what keeps them from being had."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial

import pytest
from test_questions import CODES, counts, unit

from advisor.evidence.simulated.synthesis.asking.answers import (
    AnsweringHere,
    answer_of,
    known_answers,
    new_answers,
)
from advisor.evidence.simulated.synthesis.asking.questions import Question
from advisor.evidence.simulated.synthesis.request import Request
from advisor.evidence.simulated.synthesis.result import MadeLaunch, Synthesis
from advisor.model.errors import EvidenceUnavailable
from advisor.model.storage.cache import Cache

LAUNCH = MadeLaunch(
    "odd sizes", (4, 1, 1), (64, 1, 1), {"a": (99,)}, {"n": 99.0}, ("float32[::1]", "int64"), True, 0, 0.97
)


class StandIn:
    """Answers in this process, in the way that contained runs do."""

    def __init__(self, answer: Callable[[Callable[[], None]], tuple[Synthesis, bool]]) -> None:
        self._answer = answer
        self.asked: list[Request] = []

    def answer(self, request: Request, wanted: Callable[[], None]) -> tuple[Synthesis, bool]:
        self.asked.append(request)
        return self._answer(wanted)


def told(wanted: Callable[[], None]) -> tuple[Synthesis, bool]:
    return Synthesis("kernel", (LAUNCH,), (counts("unit-function-1.py", 4),), {"loads_per_warp": 1.0}), True


def questions(*lines: int) -> list[Question]:
    return [Question.about(unit(line=line), f"code of {line}") for line in lines]


def answered(runs, codes, question, wanted):
    return answer_of(question, codes, runs, wanted)


def ask(runs, asked, cache=None, **limits):
    given = {"seconds": 60.0, **limits}
    jobs = given.pop("jobs", 2)
    return new_answers(asked, AnsweringHere(partial(answered, runs, CODES), jobs), cache, **given)


def test_answers_stand_where_their_kernels_do():
    found = ask(StandIn(told), questions(10, 20)).by_kernel
    assert {key: one.lines[0].line for key, one in found.items()} == {
        "k.py::scale@10": 13,
        "k.py::scale@20": 23,
    }


def test_what_was_answered_is_not_asked_again(tmp_path):
    cache = Cache(tmp_path)
    assert known_answers(questions(10), cache) == {}
    first = ask(StandIn(told), questions(10), cache).by_kernel
    assert known_answers(questions(10), cache) == first
    # The same kernel elsewhere.
    (moved,) = known_answers([Question.about(unit(line=30), "code of 10")], cache).values()
    assert moved.lines[0].line == 33


def test_what_another_attempt_may_answer_otherwise_is_not_kept(tmp_path):
    runs = StandIn(lambda wanted: (Synthesis("kernel", unknown="It took too long."), False))
    found = ask(runs, questions(10), Cache(tmp_path)).by_kernel
    assert found["k.py::scale@10"].unknown == "It took too long."
    assert known_answers(questions(10), Cache(tmp_path)) == {}


@pytest.mark.parametrize("kept", [3, {}, [], {"kernel": "k"}, None])
def test_what_is_kept_and_cannot_be_read_counts_as_nothing(tmp_path, kept):
    (question,) = questions(10)
    Cache(tmp_path).put_many({question.key: kept})
    assert known_answers([question], Cache(tmp_path)) == {}


def test_after_its_time_no_more_is_asked_and_what_is_under_way_ends():
    def slow(wanted):
        while True:
            wanted()
            time.sleep(0.01)

    runs = StandIn(slow)
    begin = time.monotonic()
    found = ask(runs, questions(*range(10, 60)), seconds=0.3)
    assert (found.by_kernel, found.left_out, found.unavailable) == ({}, 50, None)
    assert len(runs.asked) == 2
    assert time.monotonic() - begin < 5.0


def test_what_was_answered_in_time_is_told_and_kept(tmp_path):
    answered = threading.Event()

    def once(wanted):
        if not answered.is_set():
            answered.set()
            return told(wanted)
        while True:
            wanted()
            time.sleep(0.01)

    found = ask(StandIn(once), questions(10, 20, 30), Cache(tmp_path), jobs=1, seconds=0.5)
    assert (len(found.by_kernel), found.left_out) == (1, 2)
    assert known_answers(questions(10, 20, 30), Cache(tmp_path)).keys() == found.by_kernel.keys()


def test_who_asks_may_stop():
    def waits(wanted):
        while True:
            wanted()
            time.sleep(0.01)

    def step(done: int, total: int) -> None:
        raise KeyboardInterrupt

    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        ask(StandIn(waits), questions(10, 20, 30), seconds=60.0, step=step)
    assert time.monotonic() - begin < 5.0


def test_without_a_process_nothing_is_answered():
    def none(wanted):
        raise EvidenceUnavailable("No process.", "Buy one.")

    found = ask(StandIn(none), questions(10, 20))
    assert (found.by_kernel, str(found.unavailable)) == ({}, "No process.")


def test_a_kernel_without_code_is_unknown_and_says_so():
    runs = StandIn(told)
    answering = AnsweringHere(partial(answered, runs, ()), 1)
    found = new_answers(questions(10), answering, None, seconds=60.0)
    assert found.by_kernel["k.py::scale@10"].unknown == "Its code is none that can be run here."
    assert runs.asked == []
