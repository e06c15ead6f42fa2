"""Where a search can go, and the way it takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.model.devices import find_device
from advisor.runs.tuning.descent import Descent
from advisor.runs.tuning.numbers import tuning_numbers
from advisor.runs.tuning.slots.numbers_in_source import Configuration, Slot, Spot
from advisor.runs.tuning.space import BlockMoves, RegisterMoves, ScaledMoves
from advisor.runs.tuning.trials.trial_runner import TimedOut
from advisor.runs.tuning.trials.trials import Trial

NUMBERS = replace(
    tuning_numbers(),
    one_axis=(64, 100, 128),
    two_axes=((32, 8), (16, 16), (64, 32)),
    register_limits=(64, 40, 32),
)


def slot(name, value, start=0):
    return Slot(name, value, (Spot("k.py", start, start + 2),))


def trial(time=1.0, outcome="equal", **values):
    return Trial(Configuration(tuple(values.items())), outcome, predicted_ms=time)


def values(moves):
    return [tuple(value for _, value in one.values) for one in moves]


def test_blocks_of_one_axis():
    moves = BlockMoves((slot("t", 100),), NUMBERS, 1024).moves(trial(t=100))
    assert values(moves) == [(64,), (128,)]


def test_blocks_of_two_axes_within_the_most_threads():
    axes = (slot("x", 22), slot("y", 22, 5))
    assert values(BlockMoves(axes, NUMBERS, 1024).moves(trial(x=22, y=22))) == [(32, 8), (16, 16)]


def test_one_number_for_two_axes_gives_squares_only():
    axes = (slot("t", 8), slot("t", 8))
    assert values(BlockMoves(axes, NUMBERS, 1024).moves(trial(t=8))) == [(16,)]


def test_an_axis_of_one_thread_stays():
    axes = (slot("x", 100), slot("y", 1, 5))
    assert values(BlockMoves(axes, NUMBERS, 1024).moves(trial(x=100, y=1))) == [(64, 1), (128, 1)]


@pytest.mark.parametrize(
    ("value", "expected"), [(16, [(8,), (32,)]), (9, [(4,), (18,)]), (1, [(2,)]), (600, [(300,)])]
)
def test_constants_are_halved_and_doubled_within_a_block(value, expected):
    moves = ScaledMoves(("t",), (0.5, 2.0), (slot("t", value),), 1024).moves(trial(t=value))
    assert values(moves) == expected


def test_registers_are_limited_where_more_warps_become_resident():
    device = find_device("a100-80gb")
    # Of 65,536 registers a block of 256 threads with 90 each (96 as they are given out) takes 24,576: two
    # blocks, 16 of 64 warps. With 64 it is four, 40 six, 32 eight.
    best = replace(
        trial(max_registers=0), registers=90, occupancy=0.25, limiter="registers", block=(256, 1, 1)
    )
    moves = RegisterMoves("max_registers", NUMBERS, device)
    assert values(moves.moves(best)) == [(64,), (40,), (32,)]
    assert values(moves.moves(replace(best, registers=40, occupancy=0.75))) == [(32,)]
    assert moves.moves(replace(best, limiter="shared memory")) == []


class Measured:
    """Stands in for runs: the time of a configuration is computed from its values."""

    def __init__(self, time, outcome=lambda x, y: "equal"):
        self.time, self.outcome, self.asked = time, outcome, []

    def __call__(self, configuration, seconds):
        self.asked.append(configuration)
        x, y = configuration["x"], configuration["y"]
        return Trial(configuration, self.outcome(x, y), predicted_ms=self.time(x, y))


BOTH = [ScaledMoves((name,), (0.5, 2.0), (), 1) for name in ("x", "y")]


def descend(run, seconds=60.0, **more):
    descent = Descent(run, seconds, 60.0, 1.01, **more)
    start = Configuration((("x", 1), ("y", 16)))
    return descent, descent.search(Trial(start, "equal", predicted_ms=run.time(1, 16)), BOTH)


def test_the_descent_ends_at_the_best_of_both_coordinates():
    run = Measured(lambda x, y: abs(x - 8) + abs(y - 4) + 1.0)
    descent, best = descend(run)
    assert (best.configuration["x"], best.configuration["y"]) == (8, 4)
    assert descent.complete
    assert descent.trials[0].configuration["x"] == 1
    assert len(set(run.asked)) == len(run.asked)


def test_what_differs_or_failed_is_passed_over():
    run = Measured(lambda x, y: 100.0 - x, lambda x, y: "results differ" if x == 2 else "equal")
    _, best = descend(run)
    assert best.configuration["x"] == 1


def test_a_gain_below_the_least_moves_nothing():
    _, best = descend(Measured(lambda x, y: 1.0 if x == 1 else 0.995))
    assert best.configuration["x"] == 1


def test_without_time_only_the_present_one_is_known():
    run = Measured(lambda x, y: 1.0 / x)
    descent, best = descend(run, seconds=0.0)
    assert (len(descent.trials), run.asked, descent.complete) == (1, [], False)
    assert best is descent.trials[0]


def test_a_trial_that_does_not_end_is_one_that_failed():
    class Endless(Measured):
        def __call__(self, configuration, seconds):
            assert seconds <= 60.0
            if configuration["x"] == 2:
                raise TimedOut
            return super().__call__(configuration, seconds)

    descent, _ = descend(Endless(lambda x, y: 1.0))
    assert [one.reason for one in descent.trials if one.outcome == "failed"] == ["it did not end within 60 s"]
    assert descent.complete


def test_progress_is_told():
    steps = []
    descend(Measured(lambda x, y: 1.0), step=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 4), (2, 4), (3, 4)]
