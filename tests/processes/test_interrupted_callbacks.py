"""Ctrl-C while native code has called a function of Python is raised where somebody sees it."""

from __future__ import annotations

import ctypes
import signal
import sys
import time
from types import FrameType

import pytest

from advisor.model.processes import interruption
from advisor.model.processes.interruption import called_by_native_code, users_own_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
_ANSWER = ctypes.CFUNCTYPE(ctypes.c_int)


@pytest.fixture(autouse=True)
def processes_of_other_tests_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted program kills all that this process has started."""
    monkeypatch.setattr(interruption, "end_processes_below", lambda: None)


def interrupted(answer: object) -> list[int]:
    """What native code gets from an answer in which Ctrl-C is pressed; KeyboardInterrupt comes behind it, and
    wakes what the program waits in."""
    got: list[int] = []
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt), users_own_program(lambda: None):
        got.append(answer())  # type: ignore[operator]
        time.sleep(30)
    assert time.monotonic() - begin < 20
    return got


def test_a_signal_in_a_short_answer_is_raised_behind_it() -> None:
    def answer() -> int:
        signal.raise_signal(signal.SIGINT)
        return 5

    called_by_native_code(answer, keeps_errors=False)
    assert interrupted(_ANSWER(answer)) == [5]


def test_what_an_answer_calls_is_not_interrupted_either() -> None:
    def inner() -> int:
        signal.raise_signal(signal.SIGINT)
        return 7

    def calling() -> int:
        return inner()

    called_by_native_code(calling, keeps_errors=False)
    assert interrupted(_ANSWER(calling)) == [7]


def test_an_answer_that_keeps_errors_sees_the_signal() -> None:
    kept: list[BaseException] = []

    def keeping() -> int:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as problem:
            kept.append(problem)
            return 3
        return 0

    called_by_native_code(keeping, keeps_errors=True)
    with users_own_program(lambda: None):
        assert _ANSWER(keeping)() == 3
    assert len(kept) == 1


def test_a_signal_at_the_entry_of_an_answer_is_raised_behind_it() -> None:
    """The handler runs before the first statement where the signal is there when native code calls."""
    came: list[int] = []

    def entered() -> int:
        try:
            return 4
        except KeyboardInterrupt:
            return 0

    called_by_native_code(entered, keeps_errors=True)

    def at_entry(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code is entered.__code__ and not came:
            came.append(frame.f_lasti)
            handler = signal.getsignal(signal.SIGINT)
            assert callable(handler)
            handler(signal.SIGINT, frame)

    def answer() -> int:
        sys.setprofile(at_entry)
        try:
            return _ANSWER(entered)()
        finally:
            sys.setprofile(None)

    assert interrupted(answer) == [4]
    assert len(came) == 1


def test_what_python_drops_comes_again() -> None:
    class Freed:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    def freeing() -> int:
        Freed()
        return 6

    assert interrupted(freeing) == [6]
