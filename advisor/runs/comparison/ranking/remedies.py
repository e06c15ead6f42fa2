"""Findings with their fixes and what running them showed, and those that the source alone gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from advisor.check.pipeline import Checked, check_with_tables
from advisor.fixes import with_fixes
from advisor.fixes.proofs import with_proofs
from advisor.model.findings import Finding
from advisor.model.records import SOURCES, Source
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.model.settings.config import prepare_cache_folder
from advisor.runs.comparison.ranking.order import steps_of
from advisor.runs.comparison.ranking.ranking import RankedKernel, Ranking, advised, headroom_of

_Key = tuple[str, str, str | int]
# The path and the kernel that findings belong to.
_Owner = tuple[str, str | None]


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


def _as_checked(ranking: Ranking, options: CheckOptions, progress: Progress | None, latest: bool) -> Ranking:
    """A ranking whose kernels that are as they were have what a check finds in their files: of predicted ones
    all are, or none is asked for. Of a measured kernel what only another shape of its launches shows stays.
    """
    kernels = [kernel for kernel in ranking.kernels if kernel.place.state == "same"]
    evidence = _evidence(ranking, options, latest)
    alone = not ranking.is_measured and len(kernels) < len(ranking.kernels)
    if evidence is None or ranking.device is None or not kernels or alone:
        return ranking
    paths = sorted({kernel.place.path for kernel in kernels})
    settings = options.settings
    wanted = replace(
        options,
        device=ranking.device.id,
        # What was measured ran on one GPU; a prediction holds for whichever is used.
        any_device=not ranking.is_measured and not settings.device_named,
        evidence=evidence,
        synthesis=settings.synthesis,
        no_run=False,
        cache_folder=prepare_cache_folder(settings),
        fixes=False,
        proofs=False,
    )
    checked = check_with_tables([options.root / path for path in paths], wanted, progress)
    found = _by_kernel(checked)
    hosts = tuple(one for path in paths for one in found.get((path, None), ()))
    return replace(
        ranking,
        kernels=tuple(
            replace(kernel, findings=tuple(found.get((kernel.place.path, kernel.name), ())))
            if kernel in kernels
            else kernel
            for kernel in ranking.kernels
        ),
        findings=(*(one for one in ranking.findings if one.path not in paths), *hosts),
        shares={**ranking.shares, **checked.report.shares},
        headroom={**ranking.headroom, **checked.report.headroom},
        is_checked=True,
    )


def _evidence(ranking: Ranking, options: CheckOptions, latest: bool) -> Source | None:
    """The evidence of a check that knows what a ranking knows; None where it would know something else, or
    where the project wants nothing to be simulated.
    """
    if not ranking.is_measured:
        return options.settings.evidence
    simulates = SOURCES.index(options.settings.evidence) >= SOURCES.index("simulated")
    return "measured" if latest and simulates else None


def _by_kernel(checked: Checked) -> dict[_Owner, list[Finding]]:
    found: dict[_Owner, list[Finding]] = {}
    for finding in checked.report.findings:
        found.setdefault((finding.path, finding.kernel_concerned()), []).append(finding)
    return found


def _with_source(rankings: Sequence[Ranking], checked: Checked) -> list[Ranking]:
    """The rankings with the findings of a check at the first kernel that they concern, none of them twice."""
    told = {_key(one) for ranking in rankings for one in _findings(ranking)}
    alone = _by_kernel(checked)

    def found(kernel: RankedKernel, is_checked: bool) -> RankedKernel:
        if is_checked and kernel.place.state == "same":
            return kernel
        more = _new(alone.get((kernel.place.path, kernel.name), ()), told)
        return replace(kernel, findings=(*_new(kernel.findings, set()), *more))

    return [
        replace(one, kernels=tuple(found(kernel, one.is_checked) for kernel in one.kernels))
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
