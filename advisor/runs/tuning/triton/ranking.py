"""Each configuration of a Triton kernel executed on the simulated GPU, and ranked by its predicted time."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.model.devices import Device, find_device
from advisor.model.errors import AdvisorError, UsageError
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.selectors import suggestion
from advisor.runs.tuning.numbers import tuning_numbers
from advisor.runs.tuning.trials.trial_worker import TrialWorker
from advisor.runs.tuning.trials.trials import Outcome
from advisor.runs.tuning.triton.forced import OPTIONS
from advisor.runs.tuning.triton.target import TritonTarget
from advisor.runs.verification.numbers import verification_numbers
from advisor.runs.verification.shadow_tree import ShadowTree

Progress = Callable[[str, int, int], None]
Values = Mapping[str, Any]


@dataclass(frozen=True)
class RankingRequest:
    """What is asked for: a kernel, the values to try for its constants, or the name of a list beside it.

    `tolerance` is None for what counts as rounding by type. `seconds` end the whole.
    """

    target: TritonTarget
    options: CheckOptions
    seconds: float
    tolerance: float | None = None
    values: Mapping[str, Sequence[Any]] | None = None
    listed: str = ""


@dataclass(frozen=True)
class Ranked:
    """One configuration: what it gives, and what its launch was.

    The time is that of the kernel's heaviest launch, `limiter` what most of it comes from. `reason` says why
    results differ from those of the first configuration, or why it failed.
    """

    values: Values
    outcome: Outcome
    reason: str = ""
    deviation: float | None = None
    grid: tuple[int, ...] = ()
    warps: int | None = None
    registers: int | None = None
    spilled_bytes: int = 0
    shared_bytes: int = 0
    occupancy: float | None = None
    predicted_ms: float | None = None
    limiter: str = ""
    tensor_share: float | None = None

    @property
    def may_be_chosen(self) -> bool:
        """Whether it ran, with the same results."""
        return self.outcome == "equal" and self.predicted_ms is not None


@dataclass(frozen=True)
class Ranking:
    """What was tried, by predicted time; `first` is the one that the others are compared with.

    `complete` says that the time limit left none out.
    """

    target: TritonTarget
    device: Device
    ranked: tuple[Ranked, ...]
    first: Ranked
    arguments: tuple[tuple[str, str, tuple[int, ...] | None], ...]
    complete: bool
    seconds: float

    @property
    def best(self) -> Ranked:
        """The fastest of those with the first one's results."""
        return next((one for one in self.ranked if one.may_be_chosen), self.first)


def rank(request: RankingRequest, progress: Progress | None = None) -> Ranking:
    """The configurations of a kernel, each executed once.

    Raises UsageError for values of what is no constant of the kernel, AdvisorError where there is nothing to
    choose from, or where the first configuration does not run.
    """
    _check(request)
    with ExitStack() as stack:
        return _Trials(request, stack).ranking(progress)


def _check(request: RankingRequest) -> None:
    target = request.target
    known = [*target.constants, *OPTIONS]
    for name in request.values or ():
        if name not in known:
            hint = suggestion(name, known)
            raise UsageError(f"{target.kernel} has no constant `{name}`.{hint} It has {', '.join(known)}.")
    if not target.tuned and not request.values and not request.listed:
        raise UsageError(
            f"{target.kernel} does not stand below @triton.autotune. Say what to try: --set NAME=VALUE,VALUE "
            f"({', '.join(known)}), or --configs with the name of a list of triton.Config beside it."
        )


class _Trials:
    """The trials of one ranking. A recorded program runs in a copy of the project."""

    def __init__(self, request: RankingRequest, stack: ExitStack) -> None:
        self._request, self._target = request, request.target
        self._device = find_device(request.options.device)
        self._worker = TrialWorker(self._device, triton=True)
        stack.callback(self._worker.close)
        self._own = [request.options.root / self._target.path]
        self._program = self._copied_program(stack)

    def _copied_program(self, stack: ExitStack) -> dict[str, Any] | None:
        """How the recorded program is called in a copy of the project, whose kernel is another file."""
        program, root = self._target.program, self._request.options.settings.root
        if program is None:
            return None
        texts = {path: (root / path).read_bytes().decode("utf-8", "replace") for path in program.files}
        copy = stack.enter_context(ShadowTree(root, texts))
        own = os.path.relpath(self._own[0].resolve(), root.resolve())
        self._own.append(copy / own)
        target = program.call.target
        whole = not program.call.module and Path(target).is_absolute()
        return {
            "original": str(root),
            "copy": str(copy),
            "target": str(copy / program.path) if whole else target,
            "arguments": list(program.call.arguments),
            "module": program.call.module,
            "folder": str(copy / program.call.folder),
        }

    def ranking(self, progress: Progress | None) -> Ranking:
        """All trials in order, then sorted."""
        deadline = time.monotonic() + self._request.seconds
        answer = self._ask({}, None, tuning_numbers().kept_output_bytes)
        if answer["problem"]:
            raise AdvisorError(f"{self._launcher()} failed: {answer['problem']}")
        first = self._first(answer)
        waiting = list(self._others(first, answer))
        found, complete = [first], True
        for number, (values, chosen) in enumerate(waiting, start=1):
            if progress is not None:
                progress("trying configurations", number, len(waiting) + 1)
            left = deadline - time.monotonic()
            if left <= 0.0:
                complete = False
                break
            shown = chosen if chosen is not None else {**first.values, **values}
            found.append(self._tried(shown, self._ask(values, chosen, 0, left)))
        known = self._known(answer)
        arguments = [
            (name, kind, tuple(shape) if shape else None) for name, kind, shape in known["arguments"]
        ]
        order = sorted(found, key=lambda one: (one.predicted_ms is None, one.predicted_ms or 0.0))
        return Ranking(
            self._target, self._device, tuple(order), first, tuple(arguments), complete, self._request.seconds
        )

    def _first(self, answer: Mapping[str, Any]) -> Ranked:
        """The first configuration of the list, or what the launch gives by itself."""
        if self._known(answer) is None:
            raise AdvisorError(f"{self._launcher()} does not launch {self._target.kernel}.")
        configurations = answer["configurations"]
        values = configurations[0] if configurations else {}
        if self._request.values:
            values = {**values, **answer["launched"]}
        first = self._tried(values, answer)
        if first.predicted_ms is None:
            raise AdvisorError(f"No time can be predicted for {self._target.kernel}: {first.reason}.")
        return first

    def _others(self, first: Ranked, answer: Mapping[str, Any]) -> Iterator[tuple[Values, Values | None]]:
        """Forced values and the choice among the configurations of what is still to be tried."""
        asked = self._request.values or {}
        if not asked:
            yield from (({}, one) for one in answer["configurations"][1:])
            return
        for combination in itertools.product(*asked.values()):
            values = dict(zip(asked, combination, strict=True))
            if any(first.values.get(name) != value for name, value in values.items()):
                yield values, None

    def _tried(self, values: Values, answer: Mapping[str, Any]) -> Ranked:
        if answer["problem"]:
            return Ranked(values, "failed", str(answer["problem"]))
        known = self._known(answer)
        if known is None:
            return Ranked(values, "failed", "the kernel was not launched")
        readings = known["readings"]
        predicted = readings.get("predicted_ms")
        outcome: Outcome = "results differ" if answer["difference"] else "equal"
        reason = answer["difference"]
        if predicted is None:
            outcome = "failed"
            reason = known["problem"] or f"the file of {self._device.name} lacks numbers for it"
        registers = readings.get("registers")
        return Ranked(
            values,
            outcome,
            reason,
            answer["deviation"] if outcome == "results differ" else None,
            tuple(known["grid"]),
            int(known["block"][0]) // 32,
            None if registers is None else int(registers),
            int(readings.get("spill_store_bytes", 0)),
            int(readings.get("shared_bytes", 0)),
            readings.get("theoretical_occupancy"),
            predicted,
            str(readings.get("time_limiter", "")),
            readings.get("tensor_share"),
        )

    def _known(self, answer: Mapping[str, Any]) -> Any:
        """What the answer says of the kernel, None where it was not launched."""
        files = {one.resolve() for one in self._own}
        for one in answer["kernels"]:
            if one["name"] == self._target.kernel and Path(one["file"]).resolve() in files:
                return one
        return None

    def _ask(
        self, values: Values, chosen: Values | None, keep: int, left: float | None = None
    ) -> dict[str, Any]:
        request, target = self._request, self._target
        most = request.options.settings.workload_seconds
        tolerance = request.tolerance
        return self._worker.ask(
            {
                "copies": [],
                "workloads": [[str(request.options.root / one.path), one.name] for one in target.workloads],
                "program": self._program,
                "root": str(request.options.settings.root),
                "keep": keep,
                "tolerance": dict(verification_numbers().tolerance) if tolerance is None else tolerance,
                "seconds": most if left is None else min(most, left),
                "forced": {
                    "files": [str(one) for one in self._own],
                    "kernel": target.kernel,
                    "listed": request.listed,
                    "chosen": chosen,
                    "values": values,
                    "asked": list(request.values or ()),
                },
            },
            most,
        )

    def _launcher(self) -> str:
        if self._target.program is not None:
            return f"`{self._target.program.name}`"
        return ", ".join(f"{one.path}::{one.name}()" for one in self._target.workloads)
