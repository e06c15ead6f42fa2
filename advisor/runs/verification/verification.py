"""Verification of fixes: each applied alone to a copy, run beside the original, judged, and kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.check.pipeline import check
from advisor.fixes.application import chosen
from advisor.fixes.proofs import LedgerEntry, ProofStore, place_digest
from advisor.model.devices import find_device
from advisor.model.findings import Finding, Report
from advisor.model.settings.check_options import CheckOptions
from advisor.runs.verification.runs import Candidate, Runs, Verified, from_root, workloads_of

Progress = Callable[[str, int, int], None]


@dataclass
class Verification:
    """What was verified, and the report that the fixes come from."""

    report: Report
    verified: list[Verified]
    runs: Runs


def verify(
    files: Sequence[Path],
    options: CheckOptions,
    progress: Progress | None = None,
    gpu: str = "",
    no_programs: bool = False,
) -> Verification:
    """The verification of every fix of every finding in `files`; nothing of the project is changed.

    Verdicts and the ledger are kept in the project (`.advisor/proofs.sqlite`). `gpu` is what a GPU is called
    on which times are measured; without it they are predicted. With `no_programs` only workloads are run, no
    programs that `advisor run` recorded.
    """
    report = check(files, replace(options, proofs=False))
    candidates = list(_candidates(report.findings))
    paths = sorted(
        {from_root(path, options) for path in report.texts} | {from_root(str(f), options) for f in files}
    )
    runs = Runs(options, workloads_of(paths, options), gpu, no_programs)
    elsewhere = options.executor.at_once if options.executor is not None else 0
    jobs = elsewhere or options.jobs or min(os.cpu_count() or 1, 4)
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
    return Verification(report, verified, runs)


def _candidates(findings: Iterable[Finding]) -> Iterable[Candidate]:
    groups: dict[tuple[str, str | None, str], list[Finding]] = {}
    for finding in findings:
        for fix in finding.fixes:
            if fix.edits:
                only = replace(finding, fixes=(fix,))
                groups.setdefault((finding.path, finding.kernel_concerned(), fix.id), []).append(only)
    for (_, kernel, name), group in groups.items():
        pairs = tuple(chosen(group, ("safe", "needs review")))
        if pairs:
            yield Candidate(name, pairs[0][1].title, kernel, pairs)


def _keep(verified: Iterable[Verified], report: Report, options: CheckOptions) -> None:
    store = ProofStore(options.settings.root)
    device = find_device(options.device).id
    for one in verified:
        proof, candidate = one.judgement.proof(), one.candidate
        digests = [place_digest(finding, fix, report.texts) for finding, fix in candidate.pairs]
        told = [
            LedgerEntry(
                rule, candidate.fix, device, candidate.kernel or "", gain, proof.speedup, proof.verdict
            )
            for rule, gain in candidate.estimates().items()
            if proof.verdict != "cannot tell"
        ]
        store.add(device, digests, candidate.fix, proof, told)
