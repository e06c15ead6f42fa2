"""The search for a kernel's best configuration, from the question to the edit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.model.devices import Device, find_device
from advisor.model.settings.check_options import CheckOptions
from advisor.model.storage.cache import Cache
from advisor.runs.tuning.descent import Descent
from advisor.runs.tuning.kept_results import KeptSearch, KeptSearches
from advisor.runs.tuning.numbers import tuning_numbers
from advisor.runs.tuning.slots.numbers_in_source import Configuration, configured_texts, present_configuration
from advisor.runs.tuning.space import coordinates
from advisor.runs.tuning.target import Target, find_target
from advisor.runs.tuning.trials.trial_runner import TrialRunner
from advisor.runs.tuning.trials.trials import Trial

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class TuningRequest:
    """What is asked for: a kernel of a file, the time limit in seconds, the tolerance of results.

    `fresh` searches again although a search is kept.
    """

    path: Path
    kernel: str
    options: CheckOptions
    seconds: float
    tolerance: float
    fresh: bool = False


@dataclass(frozen=True)
class TuningResult:
    """What was found: all trials, the present one first, and the best; `edited` are the files it changes.

    `edited` is empty where nothing is better by a share that is worth an edit. `complete` says that the time
    limit did not end the search, `kept` that it was made before.
    """

    target: Target
    device: Device
    trials: list[Trial]
    best: Trial
    edited: dict[str, str]
    arguments: list[list[Any]]
    notes: tuple[str, ...]
    complete: bool
    seconds: float
    kept: bool

    @property
    def present(self) -> Trial:
        """The trial of the files as they are."""
        return self.trials[0]


def tune(request: TuningRequest, progress: Progress | None = None) -> TuningResult:
    """The result of a search, made now or kept from before.

    Raises UsageError for a kernel that does not exist, SourceProblem for a file that cannot be parsed, and
    AdvisorError where the workload is missing or fails, or launches contradict each other.
    """
    device = find_device(request.options.device)
    target = find_target(request.path, request.kernel, request.options)
    kept = _kept_searches(request, target, device)
    search = kept.load() if kept is not None and not request.fresh else None
    start = present_configuration(target.slots)
    from_cache = search is not None and search.serves(request.seconds) and _fits(search, start)
    if search is None or not from_cache:
        search = _searched(request, target, device, start, kept, progress)
    return _result(target, device, search, from_cache)


def _kept_searches(request: TuningRequest, target: Target, device: Device) -> KeptSearches | None:
    folder = request.options.cache_folder
    if folder is None:
        return None
    question = {
        "kernel": f"{target.path}::{target.kernel}",
        "texts": target.texts,
        "device": device.id,
        "tolerance": request.tolerance,
    }
    return KeptSearches(Cache(folder), request.options.settings.root, question)


def _fits(search: KeptSearch, start: Configuration) -> bool:
    """Whether a kept search has the numbers that the files have."""
    names = [name for name, _ in start.values]
    return search.trials[0].configuration == start and all(
        [name for name, _ in trial.configuration.values] == names for trial in search.trials
    )


def _searched(
    request: TuningRequest,
    target: Target,
    device: Device,
    start: Configuration,
    kept: KeptSearches | None,
    progress: Progress | None,
) -> KeptSearch:
    numbers, settings = tuning_numbers(), request.options.settings
    with TrialRunner(
        target, device, request.options.root, settings.root, request.tolerance, request.options.executor
    ) as runner:
        present = runner.run_present(start, settings.workload_seconds, numbers.kept_output_bytes)
        descent = Descent(
            runner.run,
            request.seconds,
            settings.workload_seconds,
            numbers.step_gain,
            (lambda done, total: progress("trying configurations", done, total)) if progress else None,
            runner.run_ahead,
        )
        descent.search(present, coordinates(target, device, numbers))
        search = KeptSearch(descent.trials, descent.complete, request.seconds, runner.arguments)
        if kept is not None:
            kept.store(runner.inputs, search)
    return search


def _result(target: Target, device: Device, search: KeptSearch, kept: bool) -> TuningResult:
    present = search.trials[0]
    able = [trial for trial in search.trials if trial.may_be_offered]
    best = min(able, key=lambda trial: trial.predicted_ms or 0.0)
    best = _fewest_changes(able, best, present)
    speedup = (present.predicted_ms or 0.0) / (best.predicted_ms or 1.0)
    worth = speedup >= tuning_numbers().edit_gain
    return TuningResult(
        target=target,
        device=device,
        trials=search.trials,
        best=best if worth else present,
        edited=configured_texts(target.texts, target.slots, best.configuration) if worth else {},
        arguments=search.arguments,
        notes=target.notes,
        complete=search.complete,
        seconds=search.seconds,
        kept=kept,
    )


def _fewest_changes(able: list[Trial], best: Trial, present: Trial) -> Trial:
    """Of the trials that are as good as the best but for less than a step's gain, the one closest to now."""
    gain = tuning_numbers().step_gain

    def changes(trial: Trial) -> int:
        pairs = zip(trial.configuration.values, present.configuration.values, strict=True)
        return sum(one != other for one, other in pairs)

    close = [one for one in able if (one.predicted_ms or 0.0) <= (best.predicted_ms or 0.0) * gain]
    return min(close, key=lambda trial: (changes(trial), trial.predicted_ms or 0.0))
