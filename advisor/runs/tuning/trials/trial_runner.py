"""Runs configurations: writes changed copies of the files and asks the trial process what comes of them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from advisor.model.devices import Device
from advisor.model.errors import AdvisorError
from advisor.model.processes.units_of_work import Executor
from advisor.runs.tuning.slots.numbers_in_source import Configuration, configured_texts
from advisor.runs.tuning.target import Target
from advisor.runs.tuning.trials.asked_trials import (
    Asking,
    AskingElsewhere,
    AskingHere,
    Question,
    from_project,
)
from advisor.runs.tuning.trials.trials import Trial


class TimedOut(Exception):
    """A trial that did not end in the time it was given."""


class TrialRunner:
    """Runs the workloads of a target on the SIMT machine, each configuration in a process of its own, here or
    by an `executor` elsewhere.

    `root` is the folder that paths of the target are relative to, `project` that of the user's project. The
    copies lie in a temporary folder; nothing is written beside the user's files.
    """

    def __init__(
        self,
        target: Target,
        device: Device,
        root: Path,
        project: Path,
        tolerance: float,
        executor: Executor | None = None,
    ) -> None:
        self._target, self._device = target, device
        self._root, self._project, self._tolerance = root, project, tolerance
        elsewhere = executor is not None and executor.elsewhere
        self._asking: Asking = AskingHere(device, project)
        if executor is not None and elsewhere:
            self._asking = AskingElsewhere(executor, project)
        self._present: Trial | None = None
        self._launch_seconds = 0.0
        self._present_defects: set[tuple[str, str, int]] = set()
        self.inputs: dict[str, str] = {}
        self.arguments: list[list[Any]] = []

    def __enter__(self) -> TrialRunner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._asking.close()

    def run_present(self, configuration: Configuration, seconds: float, kept_bytes: int) -> Trial:
        """The trial of the files as they are; its outputs are kept, others are compared with them.

        Raises AdvisorError where the workload fails, does not launch the kernel, or tells no predicted time.
        """
        names = ", ".join(f"{one.path}::{one.name}()" for one in self._target.workloads)
        self._launch_seconds = seconds
        answer = self._asking.ask(self._question({}, seconds, kept_bytes))
        if answer["problem"]:
            raise AdvisorError(f"{names} failed: {answer['problem']}")
        trial = self._trial(configuration, answer)
        if not trial.block:
            raise AdvisorError(f"{names} does not launch {self._target.kernel}.")
        if trial.predicted_ms is None:
            raise AdvisorError(f"No time can be predicted for {self._target.kernel}: {trial.reason}.")
        self._present, self.inputs = trial, answer["inputs"]
        self._present_defects = {tuple(one) for one in answer["defects"]}
        self.arguments = self._own(answer)["arguments"]
        return trial

    def run_ahead(self, configurations: Sequence[Configuration], seconds: float) -> None:
        """Have configurations tried at once that will be run next, where that is to be had; all within some
        seconds.
        """
        asked = []
        for one in configurations:
            with suppress(SyntaxError):
                texts = configured_texts(self._target.texts, self._target.slots, one)
                asked.append(self._question(texts, min(seconds, self._launch_seconds), 0))
        self._asking.ahead(asked, time.monotonic() + seconds)

    def run(self, configuration: Configuration, seconds: float) -> Trial:
        """The trial of a configuration; raises TimedOut where it was cut short."""
        target = self._target
        try:
            texts = configured_texts(target.texts, target.slots, configuration)
        except SyntaxError as error:
            return Trial(configuration, "failed", reason=f"the edit does not parse (line {error.lineno})")
        answer = self._asking.ask(self._question(texts, seconds, 0))
        if answer.get("timed_out"):
            raise TimedOut
        if answer["problem"]:
            return Trial(configuration, "failed", reason=answer["problem"])
        return self._judged(self._trial(configuration, answer), answer)

    def _judged(self, trial: Trial, answer: Mapping[str, Any]) -> Trial:
        """The trial with its outcome: only one that did what it should, with the same results, is equal."""
        fresh = {tuple(one) for one in answer["defects"]} - self._present_defects
        values = dict(vars(trial))
        if not trial.block or trial.predicted_ms is None:
            values |= {"outcome": "failed", "reason": trial.reason or "the kernel was not launched"}
        elif fresh:
            kind, path, line = min(fresh)
            place = path + (f":{line}" if line else "")
            words = f"{kind.replace('_', ' ')} at {place}"
            values |= {"outcome": "failed", "reason": words}
        elif answer["difference"]:
            values |= {"outcome": "results differ", "reason": answer["difference"]}
            values["deviation"] = answer["deviation"]
        elif self._present is not None and trial.spilled_bytes > self._present.spilled_bytes:
            words = f"registers spill {trial.spilled_bytes} bytes a thread, whose time is not predicted"
            values |= {"outcome": "failed", "reason": words}
        elif not self._has_its_block(trial):
            values |= {"outcome": "failed", "reason": "the launch did not follow the edit"}
        return Trial(**values)

    def _has_its_block(self, trial: Trial) -> bool:
        """Whether the launch had the block that the configuration says."""
        wanted = [trial.configuration[slot.name] for slot in self._target.block.axes]
        return not wanted or wanted == list(trial.block[: len(wanted)])

    def _trial(self, configuration: Configuration, answer: Mapping[str, Any]) -> Trial:
        own = self._own(answer)
        if own is None:
            return Trial(configuration, "equal")
        readings = own["readings"]
        others = {
            one["name"]: float(one["readings"]["predicted_ms"])
            for one in answer["kernels"]
            if one is not own and "predicted_ms" in one["readings"]
        }
        registers, predicted = readings.get("registers"), readings.get("predicted_ms")
        reason = own["problem"] or f"the file of {self._device.name} lacks numbers for it"
        return Trial(
            configuration=configuration,
            outcome="equal",
            block=tuple(own["block"]),
            grid=tuple(own["grid"]),
            registers=int(registers) if registers is not None else None,
            occupancy=readings.get("theoretical_occupancy"),
            limiter=readings.get("occupancy_limiter", ""),
            predicted_ms=predicted,
            spilled_bytes=int(readings.get("spill_store_bytes", 0)),
            shared_bytes=int(readings.get("shared_bytes", 0)),
            reason=reason if predicted is None else "",
            others=others,
        )

    def _own(self, answer: Mapping[str, Any]) -> Any:
        """What the answer says of the target's kernel, None where it was not launched."""
        for one in answer["kernels"]:
            # Joining leaves a path as it is that is none of a copy and so begins at the file system's root.
            file = self._root / one["file"]
            same = file.resolve() == (self._root / self._target.path).resolve()
            if same and one["name"] == self._target.kernel:
                return one
        return None

    def _question(self, texts: Mapping[str, str], seconds: float, keep: int) -> Question:
        """What is asked of the trial process with some files changed."""
        target = self._target
        return Question(
            {path: texts.get(path, text) for path, text in target.texts.items()},
            {path: from_project(self._root / path, self._project) for path in target.texts},
            tuple((from_project(self._root / one.path, self._project), one.name) for one in target.workloads),
            self._device.id,
            self._tolerance,
            keep,
            seconds,
            self._launch_seconds,
        )
