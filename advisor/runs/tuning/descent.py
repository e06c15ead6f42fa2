"""Coordinate descent: each coordinate in turn to its best value, until a whole round gains nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from advisor.runs.tuning.slots.numbers_in_source import Configuration
from advisor.runs.tuning.space import Coordinate
from advisor.runs.tuning.trials.trial_runner import TimedOut
from advisor.runs.tuning.trials.trials import Trial

Run = Callable[[Configuration, float], Trial]
Step = Callable[[int, int], None]
Ahead = Callable[[Sequence[Configuration], float], None]


class Descent:
    """A search from the present configuration; `trials` are all that were tried, in order.

    `run` tries a configuration within some seconds and raises TimedOut; a trial may take `trial_seconds`, all
    together `seconds`. `step` is told how many trials are done and how many there are to do as far as known.
    `ahead` is told which configurations come next, and how many seconds are left for them together.
    """

    def __init__(
        self,
        run: Run,
        seconds: float,
        trial_seconds: float,
        step_gain: float,
        step: Step | None = None,
        ahead: Ahead | None = None,
    ) -> None:
        self._ahead = ahead
        self._run, self._trial_seconds, self._gain, self._step = run, trial_seconds, step_gain, step
        self._deadline = time.monotonic() + seconds
        self.trials: list[Trial] = []
        self._out_of_time = False

    @property
    def complete(self) -> bool:
        """Whether the search came to its end within the time limit."""
        return not self._out_of_time

    def search(self, present: Trial, coordinates: Sequence[Coordinate]) -> Trial:
        """The best configuration found, the present one where nothing is better."""
        self.trials.append(present)
        best, improved = present, True
        while improved:
            improved = False
            for number, coordinate in enumerate(coordinates):
                found = self._best_of(coordinate.moves(best), coordinates[number + 1 :], best)
                if found is not best:
                    best, improved = found, True
                if self._out_of_time:
                    return best
        return best

    def _best_of(self, moves: Sequence[Configuration], later: Sequence[Coordinate], best: Trial) -> Trial:
        """The best of some configurations where it gains enough, else the best so far."""
        found = best
        waiting = [one for one in moves if self._known(one) is None]
        ahead = sum(len(coordinate.moves(best)) for coordinate in later)
        left = self._deadline - time.monotonic()
        if self._ahead is not None and waiting and left > 0.0:
            self._ahead(waiting, left)
        for configuration in moves:
            trial = self._known(configuration)
            if trial is None:
                if self._step is not None:
                    done = len(self.trials)
                    self._step(done, done + len(waiting) + ahead)
                trial = self._tried(configuration)
                waiting.pop()
            if trial is None:
                break
            if _faster(trial, found, self._gain if found is best else 1.0):
                found = trial
        return found

    def _known(self, configuration: Configuration) -> Trial | None:
        return next((one for one in self.trials if one.configuration == configuration), None)

    def _tried(self, configuration: Configuration) -> Trial | None:
        """A new trial, None where the time is over."""
        left = self._deadline - time.monotonic()
        if left <= 0.0:
            self._out_of_time = True
            return None
        try:
            trial = self._run(configuration, min(left, self._trial_seconds))
        except TimedOut:
            if self._deadline - time.monotonic() <= 0.0:
                self._out_of_time = True
                return None
            reason = f"it did not end within {self._trial_seconds:g} s"
            trial = Trial(configuration, "failed", reason=reason)
        self.trials.append(trial)
        return trial


def _faster(one: Trial, other: Trial, gain: float) -> bool:
    """Whether a trial may be offered and is faster by a factor of more than `gain`."""
    if not one.may_be_offered or one.predicted_ms is None or other.predicted_ms is None:
        return False
    return one.predicted_ms * gain < other.predicted_ms
