"""Findings with their fixes and what was proven of them, and those that the source alone gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from advisor.check_options import CheckOptions
from advisor.comparing.order import Advised, steps_of
from advisor.comparing.ranking import RankedKernel, Ranking
from advisor.findings import Finding
from advisor.fixes import with_fixes
from advisor.fixes.proofs import with_proofs
from advisor.pipeline import Checked, check_with_tables

_Key = tuple[str, str, str | None, int]


def with_remedies(rankings: Sequence[Ranking], options: CheckOptions) -> list[Ranking]:
    """The rankings with fixes and proofs at their findings, and with what the files alone tell.

    A finding that several rankings have stays in the first of them. Files that are gone or do not parse add
    nothing.
    """
    paths = sorted(
        {
            kernel.place.path
            for ranking in rankings
            for kernel in ranking.kernels
            if kernel.place.state in ("same", "changed") and (options.root / kernel.place.path).is_file()
        }
    )
    if not paths:
        return list(rankings)
    first = rankings[0].device
    wanted = replace(
        options,
        device=first.id if first else options.device,
        evidence="source",
        no_run=True,
        cache_folder=None,
        fixes=True,
        proofs=True,
    )
    checked = check_with_tables([options.root / path for path in paths], wanted)
    told: set[_Key] = set()
    return [_with_remedies(ranking, checked, options, told) for ranking in rankings]


def _with_remedies(ranking: Ranking, checked: Checked, options: CheckOptions, told: set[_Key]) -> Ranking:
    here: dict[tuple[str, str | None], list[Finding]] = {}
    for finding in checked.report.findings:
        here.setdefault((finding.path, finding.kernel_concerned()), []).append(finding)
    kernels = tuple(_kernel(one, ranking, checked, options, here, told) for one in ranking.kernels)
    of_none = tuple(one for one in ranking.findings if _is_new(one, told))
    advised = [Advised(one.name, one.path, one.share_of_run, one.room, one.findings) for one in kernels]
    return replace(ranking, kernels=kernels, findings=of_none, steps=steps_of(advised, of_none))


def _kernel(
    kernel: RankedKernel,
    ranking: Ranking,
    checked: Checked,
    options: CheckOptions,
    here: Mapping[tuple[str, str | None], Sequence[Finding]],
    told: set[_Key],
) -> RankedKernel:
    own = [one for one in kernel.findings if _is_new(one, told)]
    if checked.tables is not None:
        device = ranking.device.id if ranking.device else options.device
        own = with_fixes(own, checked.texts, checked.tables)
        own = with_proofs(own, checked.texts, options.settings.root, device)
    own += [one for one in here.get((kernel.place.path, kernel.name), ()) if _is_new(one, told)]
    return replace(kernel, findings=tuple(own))


def _is_new(finding: Finding, told: set[_Key]) -> bool:
    key = (finding.rule, finding.path, finding.kernel, finding.span.line)
    if key in told:
        return False
    told.add(key)
    return True
