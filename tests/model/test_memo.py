"""A value is computed again exactly when its key or one of its inputs has changed."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.storage.file_stamp import FileStamp
from advisor.model.storage.memo import Memo, SameObject


def test_an_equal_key_gives_the_same_object():
    memo = Memo[str, list[int]]()
    first = memo.value("q", ("text", 1), lambda: [1])
    assert memo.value("q", ("text", 1), lambda: [2]) is first


def test_another_key_replaces_the_value():
    memo = Memo[str, list[int]]()
    memo.value("q", "a", lambda: [1])
    assert memo.value("q", "b", lambda: [2]) == [2]
    # Only the latest is kept.
    assert memo.find("q", "a") is None
    assert memo.latest("q") == [2]
    assert memo.values() == [[2]]
    memo.forget("q")
    assert memo.latest("q") is None


def test_what_raises_is_asked_again_and_drops_nothing():
    memo = Memo[str, list[int]]()
    first = memo.value("q", "a", lambda: [1])
    with pytest.raises(ZeroDivisionError):
        memo.value("q", "b", lambda: [1 // 0])
    assert memo.find("q", "a") is first
    assert memo.value("q", "b", lambda: [2]) == [2]


def test_the_question_not_asked_for_longest_is_dropped():
    memo = Memo[str, str](most=2)
    for question in ("a", "b"):
        memo.keep(question, 0, question)
    assert memo.find("a", 0) == "a"
    memo.keep("c", 0, "c")
    assert [memo.latest(one) for one in "abc"] == ["a", None, "c"]


def test_what_was_not_asked_about_is_dropped_on_demand():
    memo = Memo[str, str]()
    for question in "abc":
        memo.keep(question, 0, question)
    memo.drop_unasked()
    assert [memo.latest(one) for one in "abc"] == ["a", "b", "c"]
    memo.find("a", 0)
    memo.find("b", "another key")
    memo.drop_unasked()
    assert [memo.latest(one) for one in "abc"] == ["a", None, None]


def test_files_that_a_value_rests_on_are_looked_at(tmp_path: Path):
    file = tmp_path / "imported.py"
    memo = Memo[str, str]()
    memo.keep("q", 0, "without", {str(file): FileStamp.of(file)})
    assert memo.find("q", 0) == "without"
    file.write_text("A = 1\n")
    assert memo.find("q", 0) is None
    memo.keep("q", 0, "with", {str(file): FileStamp.of(file)})
    assert memo.find("q", 0) == "with"
    file.unlink()
    assert memo.find("q", 0) is None


def test_a_stamp_tells_of_another_time_and_of_another_size(tmp_path: Path):
    file = tmp_path / "a.py"
    assert FileStamp.of(file) is None
    file.write_text("12345")
    os.utime(file, ns=(0, 1_000_000_007))
    assert FileStamp.of(file) == FileStamp(1_000_000_007, 5)
    assert not FileStamp(1_000_000_007, 5).racy
    file.write_text("12345")
    stamp = FileStamp.of(str(file))
    assert stamp is not None
    assert stamp.size == 5
    assert stamp.modified > 1_000_000_007
    assert stamp.racy


def test_the_same_object_is_a_key_and_an_equal_one_is_another():
    first, second = [1], [1]
    assert SameObject(first) == SameObject(first)
    assert hash(SameObject(first)) == hash(SameObject(first))
    assert SameObject(first) != SameObject(second)


_STEPS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2), st.integers(0, 2)), max_size=40)


@given(_STEPS, st.integers(1, 3))
def test_a_memo_never_answers_with_the_value_of_another_content(steps, most):
    memo = Memo[str, tuple[str, int, int]](most)
    inputs: dict[str, int] = {}
    for question, key, state in steps:
        inputs[question] = state
        found = memo.find(question, key, inputs.get)
        if found is None:
            memo.keep(question, key, (question, key, state), {question: state})
        else:
            assert found == (question, key, state)


def test_threads_may_ask_at_once():
    memo = Memo[int, int](most=5)
    wrong: list[int] = []

    def ask(start: int) -> None:
        for number in range(start, start + 2_000):
            question = number % 7
            if memo.value(question, number // 7, lambda at=number: at) != number:
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(start * 14,), daemon=True) for start in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert not any(one.is_alive() for one in threads)
    assert not wrong
    assert sum(memo.latest(one) is not None for one in range(7)) <= 5
