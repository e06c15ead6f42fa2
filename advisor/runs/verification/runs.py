"""Candidates for proof, and the trials that decide on them."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from statistics import median
from threading import Lock
from typing import Any
from uuid import uuid4

from advisor.evidence.simulated.launches.workloads import WorkloadFunction, find_workloads
from advisor.fixes.application import chosen, edited, edits_by_path
from advisor.model.devices import find_device
from advisor.model.findings import Edit, Finding, Fix
from advisor.model.processes.units_of_work import Executor, Task, ThisMachine, content_key
from advisor.model.settings.check_options import CheckOptions
from advisor.model.text.syntax_trees import syntax_tree
from advisor.runs.verification.comparison import compare
from advisor.runs.verification.measurement import MeasurementFailed, measured_at
from advisor.runs.verification.numbers import verification_numbers
from advisor.runs.verification.recorded_programs import RecordedPrograms
from advisor.runs.verification.trial import Runnable, Trial, had_trial
from advisor.runs.verification.verdicts import Judgement, by_measurement, judged

Key = tuple[str, str]


@dataclass(frozen=True)
class Candidate:
    """One fix at all places of one kernel where it can be applied at once."""

    fix: str
    title: str
    kernel: str | None
    pairs: tuple[tuple[Finding, Fix], ...]

    @property
    def rule(self) -> str:
        """The rule whose findings the fix is for."""
        return self.pairs[0][0].rule

    @property
    def path(self) -> str:
        """The file of the findings."""
        return self.pairs[0][0].path

    @property
    def line(self) -> int:
        """The first of its lines."""
        return self.lines[0]

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the places that it fixes, in order."""
        found = {line for finding, fix in self.pairs for line in fix.lines or (finding.span.line,)}
        return tuple(sorted(found))

    def estimates(self) -> dict[str, float | None]:
        """The largest gain that each rule estimated for its findings here, None without an estimate."""
        found: dict[str, float | None] = {}
        for finding, _ in self.pairs:
            gain = finding.gain.speedup if finding.gain else None
            found[finding.rule] = max(filter(None, (gain, found.get(finding.rule))), default=None)
        return found


@dataclass(frozen=True)
class Verified:
    """A candidate, the judgement on it, and what ran it (the file of workloads, or the command of a recorded
    program) with the kernel (path, name).
    """

    candidate: Candidate
    judgement: Judgement
    place: tuple[str, Key | None] | None = None


class Runs:
    """The trials of one verification; those of the unchanged project are made once.

    `workloads` are by file. What no workload launches is run by a program of the record, where there is one;
    `programs_run` says how often each was.
    """

    def __init__(
        self,
        options: CheckOptions,
        workloads: Mapping[str, list[WorkloadFunction]],
        gpu: str = "",
        no_programs: bool = False,
    ) -> None:
        self.workloads = workloads
        self.programs_run: Counter[str] = Counter()
        self._programs = RecordedPrograms(options.settings.root, no_programs)
        self._runnables: dict[str, Sequence[Runnable]] = dict(workloads)
        self._options = options
        self._before: dict[str, Trial] = {}
        self._repeats: dict[str, bool] = {}
        self._making: defaultdict[str, Lock] = defaultdict(Lock)
        # What the times of a real GPU are called; empty without one.
        self._gpu = gpu
        self._executor: Executor = options.executor or ThisMachine(1)
        # Elsewhere each worker with a GPU does one thing at a time.
        self._gpu_for_itself: AbstractContextManager[Any] = (
            nullcontext() if self._executor.elsewhere else Lock()
        )
        self._counting = Lock()
        self._evidence = f"simulated on {find_device(options.device).name}"

    def before(self, runner: str) -> Trial:
        """The trial of a file's workloads, or of a recorded program, as they are."""
        with self._making[runner]:
            if runner not in self._before:
                self._before[runner] = self._trial(runner, {})
            return self._before[runner]

    def file_of(self, runner: str) -> str:
        """The file of workloads or of a recorded program."""
        return self._runnables[runner][0].path

    def _trial(self, runner: str, changed: Mapping[str, str], attempt: int = 0) -> Trial:
        if runner not in self.workloads:
            with self._counting:
                self.programs_run[runner] += 1
        texts = {**self._own_texts(runner), **changed}
        return had_trial(self._runnables[runner], texts, self._options, attempt)

    def _own_texts(self, runner: str) -> dict[str, str]:
        return {path: self._text(path) for one in self._runnables[runner] for path in one.files}

    def judge(self, candidate: Candidate, texts: Mapping[str, str]) -> Verified:
        """The judgement on one candidate."""
        changed = {}
        for path, edits in edits_by_path(candidate.pairs).items():
            text = _edited(texts[path], edits)
            if text is None:
                return Verified(candidate, self._cannot("the file with the change is no Python"))
            changed[from_root(path, self._options)] = text
        if any(path.startswith("../") for path in changed):
            return Verified(candidate, self._cannot("the file lies outside of the project"))
        place, reason = self._place(candidate, changed)
        if place is None:
            return Verified(candidate, self._cannot(reason))
        runner, kernel = place
        judgement = self._judged(runner, changed, None if kernel is None else [kernel])
        measurable = self._gpu and runner in self.workloads
        if measurable and judgement.outputs_agree:
            judgement = self._measured(judgement, runner, changed, None if kernel is None else [kernel[1]])
        return Verified(candidate, judgement, place)

    def _judged(self, runner: str, changed: Mapping[str, str], kernels: list[Key] | None) -> Judgement:
        """The judgement by outputs and predicted times; none where outputs differ without a change, too."""
        before = self.before(runner)
        if before.problem:
            return judged(before, before, kernels, self._evidence)
        judgement = judged(before, self._trial(runner, changed), kernels, self._evidence)
        compared = judgement.comparison
        if compared is not None and compared.agreement == "different" and not self._repeated(runner):
            return self._cannot("its outputs differ from run to run without a change, too")
        return judgement

    def _repeated(self, runner: str) -> bool:
        """Whether a second run without a change writes what the first wrote."""
        before = self.before(runner)
        with self._making[runner]:
            if runner not in self._repeats:
                again = self._trial(runner, {}, attempt=1)
                found = compare(before.outputs, again.outputs, verification_numbers().tolerance)
                self._repeats[runner] = not again.problem and found.agreement != "different"
            return self._repeats[runner]

    def _measured(
        self, judgement: Judgement, path: str, changed: Mapping[str, str], kernels: list[str] | None
    ) -> Judgement:
        """The judgement by times on the GPU; as it was where a version does not run there."""
        options = self._options
        versions = ({path: self._text(path)}, {path: self._text(path), **changed})
        seconds = options.settings.workload_seconds
        try:
            with self._gpu_for_itself:
                found = self._executor.result(
                    Task(
                        # A time is nobody else's.
                        content_key("measure", uuid4().hex),
                        measured_at,
                        (
                            self._executor.place(options.settings.root),
                            versions,
                            self.workloads[path][0],
                            kernels,
                            options.device,
                            seconds,
                        ),
                        on_gpu=True,
                    )
                )
        except (MeasurementFailed, OSError) as error:
            detail = f"{judgement.detail}; it could not be timed on the GPU: {error}"
            return replace(judgement, detail=detail)
        before_ms, after_ms = (median(times) * 1e3 for times in (found.before, found.after))
        return by_measurement(judgement, found.ratio, before_ms, after_ms, self._gpu)

    def judge_together(self, parts: Sequence[Verified], texts: Mapping[str, str]) -> Judgement:
        """The judgement on several candidates of kernels that one file's workloads run, applied at once."""
        changed = {}
        for path, edits in edits_by_path(chosen_pairs(parts)).items():
            text = _edited(texts[path], edits)
            if text is None:
                return self._cannot("the file with the changes is no Python")
            changed[from_root(path, self._options)] = text
        runner = next(one.place[0] for one in parts if one.place is not None)
        kernels = sorted(
            {one.place[1] for one in parts if one.place is not None and one.place[1] is not None}
        )
        return self._judged(runner, changed, kernels)

    def _place(
        self, candidate: Candidate, changed: Mapping[str, str]
    ) -> tuple[tuple[str, Key | None] | None, str]:
        """What runs the candidate's kernel, and the kernel; or None and why nothing does."""
        own = from_root(candidate.path, self._options)
        files = (own, *changed)
        for path in sorted(self.workloads, key=lambda one: one != own):
            place = self._ran(path, path == own, candidate, files)
            if place is not None:
                return place, ""
        program = self._programs.launching(candidate.kernel, files)
        if isinstance(program, str):
            return None, self._reason(candidate, program)
        self._runnables.setdefault(program.name, [program])
        place = self._ran(program.name, True, candidate, files)
        return place, f"`{program.name}` ran again and did not launch {candidate.kernel}"

    def _ran(
        self, runner: str, whole: bool, candidate: Candidate, files: Sequence[str]
    ) -> tuple[str, Key | None] | None:
        """A runner with the candidate's kernel where it launches that; with none, where `whole` says that the
        time of all its kernels counts for what is no kernel, and where it fails.
        """
        before = self.before(runner)
        ran = [
            key
            for key, one in before.kernels.items()
            if "launches" in one.metrics and key[1] == candidate.kernel
        ]
        here = [key for key in ran if key[0] in files] or ran
        if len(here) == 1:
            return runner, here[0]
        # A device function, or host code, counts by the time of all kernels of its own file's workloads.
        if whole and (before.problem or not _is_kernel(candidate.kernel, before.kernels)):
            return runner, None
        return None

    def _reason(self, candidate: Candidate, program: str) -> str:
        said = f"no workload launches {candidate.kernel}"
        if not self.workloads:
            said = "there is no workload: a function `workload()` beside the kernel, which launches it"
        return f"{said}; {program}" if program else said

    def _cannot(self, reason: str) -> Judgement:
        return Judgement("cannot tell", None, None, None, reason, self._evidence)

    def _text(self, path: str) -> str:
        return (self._options.settings.root / path).read_bytes().decode("utf-8", errors="replace")


def _is_kernel(name: str | None, kernels: Mapping[Key, object]) -> bool:
    return any(name == known for _, known in kernels)


def from_root(path: str, options: CheckOptions) -> str:
    """A path of a report, or of the system, relative to the project's root."""
    absolute = os.path.normpath(options.root / path)
    return os.path.relpath(absolute, options.settings.root).replace(os.sep, "/")


def workloads_of(paths: Iterable[str], options: CheckOptions) -> dict[str, list[WorkloadFunction]]:
    """The workloads of the files of a project, by path."""
    found = {}
    for path in paths:
        file = options.settings.root / path
        try:
            workloads = find_workloads(path, file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            continue
        if workloads and not path.startswith("../"):
            found[path] = workloads
    return found


def chosen_pairs(parts: Iterable[Verified]) -> list[tuple[Finding, Fix]]:
    """The fixes of candidates that do not touch each other."""
    findings = [replace(finding, fixes=(fix,)) for one in parts for finding, fix in one.candidate.pairs]
    return chosen(findings, ("safe", "needs review"), mixed=True)


def _edited(text: str, edits: Iterable[Edit]) -> str | None:
    """The text with edits, None where that is no Python."""
    after = edited(text, edits)
    try:
        syntax_tree(after)
    except SyntaxError:
        return None
    return after
