"""Findings with their fixes and what running them showed, and those that the source alone gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from advisor.check.pipeline import Checked, check_with_tables
from advisor.fixes import with_fixes
from advisor.fixes.proofs import with_proofs
from advisor.model.findings import Finding
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.model.settings.config import prepare_cache_folder
from advisor.runs.comparison.ranking.order import steps_of
from advisor.runs.comparison.ranking.ranking import RankedKernel, Ranking, advised, headroom_of

_Key = tuple[str, str, str | int]


def with_remedies(
    rankings: Sequence[Ranking],
    options: CheckOptions,
    simulate: bool = False,
    progress: Progress | None = None,
    latest: bool = True,
) -> list[Ranking]:
    """The rankings with fixes and proofs at their findings, and with what the files alone tell.

    With `simulate` kernels that are as they were have the findings of a check, which runs on the simulated
    GPU what was not kept; measured ones where the runs are the `latest`, for those are what a check of all
    evidence knows. What files alone tell stays in the first of several rankings. Files that are gone or do
    not parse add nothing.
    """
    if simulate:
        rankings = [_as_checked(one, options, progress, latest) for one in rankings]
    kernels = [kernel for ranking in rankings for kernel in ranking.kernels]
    paths = sorted({one.place.path for one in kernels if one.place.state in ("same", "changed")})
    files = [options.root / path for path in paths if (options.root / path).is_file()]
    if not files:
        return list(rankings)
    device = _device(rankings[0], options)
    wanted = replace(
        options, device=device, evidence="source", no_run=True, cache_folder=None, fixes=False, proofs=False
    )
    checked = check_with_tables(files, wanted)
    return _with_fixes(_with_source(rankings, checked), checked, options)


def _device(ranking: Ranking, options: CheckOptions) -> str:
    return ranking.device.id if ranking.device else options.device


def _as_checked(ranking: Ranking, options: CheckOptions, progress: Progress | None) -> Ranking:
    """A predicted ranking of kernels that are all as they were, with what a check finds in their files."""
    settings = options.settings
    paths = sorted({kernel.place.path for kernel in ranking.kernels})
    files = [options.root / path for path in paths]
    present = all(kernel.place.state == "same" for kernel in ranking.kernels)
    if ranking.is_measured or ranking.device is None or not files or not present:
        return ranking
    wanted = replace(
        options,
        device=ranking.device.id,
        any_device=not settings.device_named,
        evidence=settings.evidence,
        synthesis=settings.synthesis,
        no_run=False,
        cache_folder=prepare_cache_folder(settings),
        fixes=False,
        proofs=False,
    )
    checked = check_with_tables(files, wanted, progress)
    found = _by_kernel(checked)
    hosts = tuple(one for path in paths for one in found.get((path, None), ()))
    return replace(
        ranking,
        kernels=tuple(
            replace(kernel, findings=tuple(found.get((kernel.place.path, kernel.name), ())))
            for kernel in ranking.kernels
        ),
        findings=(*(one for one in ranking.findings if one.path not in paths), *hosts),
        shares=checked.report.shares,
        headroom=checked.report.headroom,
        is_checked=True,
    )


def _by_kernel(checked: Checked) -> dict[tuple[str, str | None], list[Finding]]:
    found: dict[tuple[str, str | None], list[Finding]] = {}
    for finding in checked.report.findings:
        found.setdefault((finding.path, finding.kernel_concerned()), []).append(finding)
    return found


def _with_source(rankings: Sequence[Ranking], checked: Checked) -> list[Ranking]:
    """The rankings with the findings of a check at the first kernel that they concern, none of them twice."""
    told = {_key(one) for ranking in rankings for one in _findings(ranking)}
    alone = _by_kernel(checked)

    def found(kernel: RankedKernel) -> RankedKernel:
        more = _new(alone.get((kernel.place.path, kernel.name), ()), told)
        return replace(kernel, findings=(*_new(kernel.findings, set()), *more))

    return [
        one if one.is_checked else replace(one, kernels=tuple(found(kernel) for kernel in one.kernels))
        for one in rankings
    ]


def _key(finding: Finding) -> _Key:
    return finding.rule, finding.path, finding.kernel_concerned() or finding.span.line


def _new(findings: Sequence[Finding], told: set[_Key]) -> tuple[Finding, ...]:
    """The findings that were not told yet; they are from now on."""
    found = []
    for one in findings:
        key = _key(one)
        if key not in told:
            told.add(key)
            found.append(one)
    return tuple(found)


def _with_fixes(rankings: Sequence[Ranking], checked: Checked, options: CheckOptions) -> list[Ranking]:
    """The rankings with fixes and proofs: all fixes are written at once, as each file is parsed for them."""
    every = [list(_findings(ranking)) for ranking in rankings]
    together = [one for those in every for one in those]
    if checked.tables is not None:
        together = with_fixes(together, checked.texts, checked.tables, checked.report.unread)
    waiting = iter(together)
    found = []
    for ranking, those in zip(rankings, every, strict=True):
        own = [next(waiting) for _ in those]
        device = _device(ranking, options)
        tried = iter(with_proofs(own, checked.texts, options.settings.root, device))
        kernels = [
            replace(kernel, findings=tuple(next(tried) for _ in kernel.findings))
            for kernel in ranking.kernels
        ]
        steps = steps_of(
            [advised(one) for one in kernels],
            ranking.findings,
            ranking.shares,
            headroom_of(ranking.headroom),
        )
        found.append(replace(ranking, kernels=tuple(kernels), steps=steps))
    return found


def _findings(ranking: Ranking) -> Iterator[Finding]:
    for kernel in ranking.kernels:
        yield from kernel.findings
