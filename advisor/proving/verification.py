"""Verification of fixes: each applied alone to a copy, run beside the original, judged, and kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.check_options import CheckOptions
from advisor.devices import find_device
from advisor.findings import Edit, Finding, Fix, Report
from advisor.fixes.application import chosen, edited, edits_by_path
from advisor.fixes.proofs import LedgerEntry, ProofStore, place_digest
from advisor.launches.workloads import WorkloadFunction, find_workloads
from advisor.pipeline import check
from advisor.proving.trial import Trial, trial
from advisor.proving.verdicts import Judgement, judged

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Candidate:
    """One fix at all places of one kernel where it can be applied at once."""

    fix: str
    title: str
    kernel: str | None
    pairs: tuple[tuple[Finding, Fix], ...]

    @property
    def rule(self) -> str:
        """The rule whose findings the fix mends."""
        return self.pairs[0][0].rule

    @property
    def path(self) -> str:
        """The file of the findings."""
        return self.pairs[0][0].path

    @property
    def line(self) -> int:
        """The first line that a finding is about."""
        return min(finding.span.line for finding, _ in self.pairs)

    @property
    def estimated(self) -> float | None:
        """The largest gain that the rule estimated, None without an estimate."""
        gains = [finding.gain.speedup for finding, _ in self.pairs if finding.gain is not None]
        return max(gains) if gains else None


@dataclass(frozen=True)
class Verified:
    """A candidate and the judgement on it."""

    candidate: Candidate
    judgement: Judgement


@dataclass
class Verification:
    """What was verified, and the report that the fixes come from."""

    report: Report
    verified: list[Verified]


def verify(files: Sequence[Path], options: CheckOptions, progress: Progress | None = None) -> Verification:
    """The verification of every fix of every finding in `files`; nothing of the project is changed.

    Verdicts and the ledger are kept in the project (`.advisor/proofs.sqlite`).
    """
    report = check(files, replace(options, proofs=False))
    candidates = list(_candidates(report.findings))
    paths = sorted(
        {_from_root(path, options) for path in report.texts} | {_from_root(str(f), options) for f in files}
    )
    runs = _Runs(options, _workloads(paths, options))
    jobs = options.jobs or min(os.cpu_count() or 1, 4)
    done = 0
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        list(pool.map(runs.before, sorted(runs.workloads)))
        verified = []
        for one in pool.map(lambda each: runs.judge(each, report.texts), candidates):
            verified.append(one)
            done += 1
            if progress:
                progress("verifying fixes", done, len(candidates))
    _keep(verified, report, options)
    return Verification(report, verified)


def _candidates(findings: Iterable[Finding]) -> Iterable[Candidate]:
    groups: dict[tuple[str, str | None, str], list[Finding]] = {}
    for finding in findings:
        for fix in finding.fixes:
            if fix.edits:
                only = replace(finding, fixes=(fix,))
                groups.setdefault((finding.path, finding.kernel, fix.id), []).append(only)
    for (_, kernel, name), group in groups.items():
        pairs = tuple(chosen(group, ("safe", "needs review")))
        if pairs:
            yield Candidate(name, pairs[0][1].title, kernel, pairs)


def _from_root(path: str, options: CheckOptions) -> str:
    """A path of a report, or of the system, relative to the project's root."""
    absolute = os.path.normpath(options.root / path)
    return os.path.relpath(absolute, options.settings.root).replace(os.sep, "/")


def _workloads(paths: Iterable[str], options: CheckOptions) -> dict[str, list[WorkloadFunction]]:
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


class _Runs:
    """The trials of one verification; those of the unchanged project are made once."""

    def __init__(self, options: CheckOptions, workloads: Mapping[str, list[WorkloadFunction]]) -> None:
        self.workloads = workloads
        self._options = options
        self._before: dict[str, Trial] = {}
        self._evidence = f"simulated on {find_device(options.device).name}"

    def before(self, path: str) -> Trial:
        """The trial of a file's workloads as they are."""
        if path not in self._before:
            self._before[path] = trial(self.workloads[path], {path: self._text(path)}, self._options)
        return self._before[path]

    def judge(self, candidate: Candidate, texts: Mapping[str, str]) -> Verified:
        """The judgement on one candidate."""
        changed = {}
        for path, edits in edits_by_path(candidate.pairs).items():
            text = _edited(texts[path], edits)
            if text is None:
                return Verified(candidate, self._cannot("the file with the change is no Python"))
            changed[_from_root(path, self._options)] = text
        if any(path.startswith("../") for path in changed):
            return Verified(candidate, self._cannot("the file lies outside of the project"))
        place = self._place(candidate, changed)
        if place is None:
            return Verified(candidate, self._cannot(self._reason(candidate)))
        path, kernel = place
        after = trial(self.workloads[path], {path: self._text(path)} | changed, self._options)
        return Verified(candidate, judged(self.before(path), after, kernel, self._evidence))

    def _place(
        self, candidate: Candidate, changed: Mapping[str, str]
    ) -> tuple[str, tuple[str, str] | None] | None:
        """The file whose workloads run the candidate's kernel, and the kernel."""
        own = _from_root(candidate.path, self._options)
        for path in sorted(self.workloads, key=lambda one: one != own):
            kernels = self.before(path).kernels
            ran = [
                key
                for key, one in kernels.items()
                if "launches" in one.metrics and key[1] == candidate.kernel
            ]
            here = [key for key in ran if key[0] in (own, *changed)] or ran
            if len(here) == 1:
                return path, here[0]
            if self.before(path).problem and path == own:
                return path, None
        return None

    def _reason(self, candidate: Candidate) -> str:
        if not self.workloads:
            return "there is no workload: a function `workload()` beside the kernel, which launches it"
        return f"no workload launches {candidate.kernel}"

    def _cannot(self, reason: str) -> Judgement:
        return Judgement("cannot tell", None, None, None, reason, self._evidence)

    def _text(self, path: str) -> str:
        return (self._options.settings.root / path).read_bytes().decode("utf-8", errors="replace")


def _edited(text: str, edits: Iterable[Edit]) -> str | None:
    try:
        return edited(text, edits)
    except SyntaxError:
        return None


def _keep(verified: Iterable[Verified], report: Report, options: CheckOptions) -> None:
    store = ProofStore(options.settings.root)
    device = find_device(options.device).id
    for one in verified:
        proof, candidate = one.judgement.proof(), one.candidate
        digests = [place_digest(finding, fix, report.texts) for finding, fix in candidate.pairs]
        entry = LedgerEntry(
            candidate.rule,
            candidate.fix,
            device,
            candidate.kernel or "",
            candidate.estimated,
            proof.speedup,
            proof.verdict,
        )
        told = [entry] if proof.verdict != "cannot tell" else []
        store.add(device, digests, candidate.fix, proof, told)
