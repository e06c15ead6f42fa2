"""The clock of the simulated GPU's streams, by hand: who waits for whom, and what takes no time."""

from __future__ import annotations

import time
from typing import Any, cast

import pytest

from advisor.evidence.simulated.driver.executor import LaunchNote
from advisor.evidence.simulated.driver.predicted_clock import Copy, PredictedClock, named_predictor
from advisor.evidence.simulated.simt.counts import Statistics
from advisor.model.devices import find_device

COUNTED = cast(Statistics, object())
ONE, OTHER, APART = 1, 2, 3


class Given:
    """Predicts for a launch what its name says, and a millisecond for each byte of a copy over the bus."""

    device = find_device("A100")

    def __init__(self) -> None:
        self.registers: list[int | None] = []
        self.seen_launches = 0

    def seen(self, counted: Statistics, note: LaunchNote) -> None:
        self.seen_launches += 1

    def launch_ms(self, counted: Statistics, note: LaunchNote, registers: int | None) -> float | None:
        self.registers.append(registers)
        return None if note.function == "unknown" else float(note.function)

    def copy_ms(self, kind: Copy, size: int) -> float | None:
        return {"bus": 1.0 * size, "device": 0.5 * size, "fill": None}[kind]


@pytest.fixture
def given() -> Given:
    return Given()


@pytest.fixture
def clock(given: Given) -> PredictedClock:
    """A clock that runs, with two streams that block and one that does not."""
    clock = PredictedClock(given)
    for stream in (ONE, OTHER):
        clock.add_stream(stream, blocking=True)
    clock.add_stream(APART, blocking=False)
    clock.start()
    return clock


def launch(clock: PredictedClock, stream: int, milliseconds: float | str) -> None:
    note: Any = LaunchNote(str(milliseconds), None, None, None, None, (1, 1, 1), (1, 1, 1), 0, (), stream, 1)
    clock.launched(stream, COUNTED, note, lambda: 40)


def test_work_of_one_stream_follows_one_another(clock: PredictedClock) -> None:
    assert clock.ready(ONE) == 0.0
    launch(clock, ONE, 2.0)
    launch(clock, ONE, 3.0)
    assert clock.ready(ONE) == 5.0


def test_streams_overlap_and_the_default_stream_waits_for_all_that_block(clock: PredictedClock) -> None:
    launch(clock, ONE, 2.0)
    launch(clock, OTHER, 3.0)
    launch(clock, APART, 50.0)
    assert (clock.ready(ONE), clock.ready(OTHER), clock.ready(0)) == (2.0, 3.0, 3.0)
    launch(clock, 0, 1.0)
    # They wait for the default stream in turn, the one that does not block goes on.
    assert [clock.ready(stream) for stream in (ONE, OTHER, APART)] == [4.0, 4.0, 50.0]


def test_a_stream_that_waits_for_an_event_begins_after_it(clock: PredictedClock) -> None:
    launch(clock, ONE, 2.0)
    event = clock.ready(ONE)
    launch(clock, ONE, 7.0)
    clock.wait(OTHER, event)
    launch(clock, OTHER, 1.0)
    assert clock.ready(OTHER) == 3.0


def test_what_comes_after_the_host_has_waited_begins_later(clock: PredictedClock) -> None:
    launch(clock, ONE, 2.0)
    launch(clock, APART, 5.0)
    clock.host_waits(clock.ready(ONE))
    assert clock.ready(OTHER) == 2.0
    clock.host_waits()
    assert clock.ready(OTHER) == 5.0


def test_a_copy_holds_up_its_stream_and_the_host_only_where_it_waits(clock: PredictedClock) -> None:
    clock.copied(ONE, "bus", 4, waits=False)
    assert (clock.ready(ONE), clock.ready(APART)) == (4.0, 0.0)
    clock.copied(0, "device", 4, waits=True)
    assert clock.ready(APART) == 6.0


def test_what_has_no_predicted_time_is_left_out_and_said_once(clock: PredictedClock, capsys) -> None:
    for _ in range(2):
        launch(clock, ONE, "unknown")
    assert clock.ready(ONE) == 0.0
    assert capsys.readouterr().err == ""
    clock.tell()
    said = "advisor: no time is predicted for unknown; elapsed times of events leave it out.\n"
    assert capsys.readouterr().err.startswith(said)
    clock.left_out("a sort")
    launch(clock, ONE, "unknown")
    assert capsys.readouterr().err == said.replace("unknown", "a sort")


def test_nothing_is_predicted_before_an_event_is_recorded(given: Given) -> None:
    clock = PredictedClock(given)
    launch(clock, 0, 2.0)
    clock.copied(0, "bus", 4, waits=True)
    assert (clock.ready(0), given.registers, given.seen_launches) == (0.0, [], 1)
    clock.start()
    launch(clock, 0, 2.0)
    assert (clock.ready(0), given.registers, given.seen_launches) == (2.0, [40], 2)


def test_whose_times_they_are_is_said_once(clock: PredictedClock, capsys) -> None:
    clock.tell()
    clock.tell()
    words = "advisor: elapsed times of events are predicted for NVIDIA A100 40GB.\n"
    assert capsys.readouterr().err == words


def test_without_a_predictor_it_is_the_hosts_clock(capsys) -> None:
    clock = PredictedClock(None)
    clock.start()
    before = time.perf_counter() * 1e3
    launch(clock, 0, 1e9)
    found = clock.ready(0)
    assert before <= found <= time.perf_counter() * 1e3
    clock.tell()
    assert capsys.readouterr().err == ""
    assert named_predictor("", Given.device) is None
