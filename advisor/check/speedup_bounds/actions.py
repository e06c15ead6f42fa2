"""What to do first: findings by severity, by what they gain for the run, then by confidence and effort."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.model.findings import FASTER, SEVERITIES, Finding, Fix, Report

Headroom = Callable[[Finding], float | None]
_CONFIDENCES = ("high", "medium", "low")
_EFFORTS = ("low", "medium", "high")


@dataclass(frozen=True)
class Action:
    """A finding with what it could gain: of its kernel and of the whole run, at most; None where not known.

    `fix` is the one to take, `tried` says that its gain was found by running it. `others` are findings of
    the same kernel that have the same remedy. `reward` is the speed-up of the run that the order goes by, or
    of the kernel where its share is not known; `expected` that of the kernel.
    """

    finding: Finding
    fix: Fix | None
    speedup: float | None
    gain_of_run: float | None
    tried: bool
    others: tuple[Finding, ...] = ()
    reward: float = 1.0
    expected: float = 1.0

    @property
    def is_estimated(self) -> bool:
        """Whether a rule, the time model or a run says what it gains; else `speedup` is what is left."""
        return self.tried or self.finding.gain is not None

    @property
    def other_lines(self) -> tuple[int, ...]:
        """The lines of all further places that the action concerns, in order."""
        places = [one.span.line for each in (self.finding, *self.others) for one in each.at_each_place()]
        return tuple(sorted(set(places) - {self.finding.span.line}))


def ranked_actions(
    findings: Iterable[Finding], shares: Mapping[str | None, float], headroom: Headroom = lambda _: None
) -> list[Action]:
    """The actions for findings: what is wrong (errors), what is slow (warnings), the rest, of each the most
    rewarding first.

    `shares` are those of kernels in the time of the run, by name; that of a kernel which is not there is
    unknown. `headroom` gives the speed-up that is left at most for a finding's remedy.
    """
    actions = sorted((action_for(one, shares, headroom(one)) for one in findings), key=_rank)
    by_remedy: dict[tuple[object, ...], Action] = {}
    for one in actions:
        remedy = one.fix.id if one.fix is not None and one.fix.id else f"rule {one.finding.rule}"
        key = (remedy, one.finding.path, one.finding.kernel_concerned())
        known = by_remedy.get(key)
        by_remedy[key] = one if known is None else replace(known, others=(*known.others, one.finding))
    return list(by_remedy.values())


def actions_of(report: Report) -> list[Action]:
    """The actions for all findings of a report, in the order in which to take them."""
    headroom = report.headroom
    return ranked_actions(
        report.findings, report.shares, lambda one: headroom.get((one.rule, one.kernel_concerned()))
    )


def gain_of_run(share: float, speedup: float) -> float:
    """The speed-up of a run when `share` of its time becomes `speedup` times as fast (G. Amdahl, "Validity of
    the single processor approach", 1967).
    """
    return 1.0 / (1.0 - share + share / speedup)


def action_for(finding: Finding, shares: Mapping[str | None, float], headroom: float | None) -> Action:
    """The action for one finding, by the shares of kernels and the speed-up that is left for its remedy."""
    speedup, fix, tried = _estimate(finding, headroom)
    share = shares.get(finding.kernel_concerned())
    if share is not None and finding.launches is not None:
        # Launches that do not show what the finding says stay as they are.
        share *= 1.0 if finding.launches.share_of_time is None else finding.launches.share_of_time
    gain = gain_of_run(share, speedup) if speedup is not None and share is not None else None
    expected = speedup or 1.0
    if finding.gain is None and not tried:
        expected = min(expected, diagnosis_tree().assumed)
    reward = expected if share is None else gain_of_run(share, expected)
    return Action(finding, fix, speedup, gain, tried, reward=reward, expected=expected)


def _estimate(finding: Finding, headroom: float | None) -> tuple[float | None, Fix | None, bool]:
    """The speed-up of the kernel, None where it is not known, with its fix, and whether it was run."""
    proofs = [(one.proof, one) for one in finding.fixes if one.proof is not None]
    helping = [
        (proof.speedup, fix) for proof, fix in proofs if proof.verdict in FASTER and proof.speedup is not None
    ]
    if helping:
        speedup, fix = max(helping, key=lambda one: one[0])
        return speedup, fix, True
    able = next((one for one in finding.fixes if one.edits and one.proof is None), None)
    if able is None and any(proof.verdict != "cannot tell" for proof, _ in proofs):
        # All that could be tried was tried, and helped nothing.
        return 1.0, None, True
    if finding.gain is not None and finding.gain.is_predicted:
        return finding.gain.speedup, able, False
    known = [one for one in (finding.gain.speedup if finding.gain else None, headroom) if one is not None]
    return min(known, default=None), able, False


def _rank(one: Action) -> tuple[object, ...]:
    finding = one.finding
    return (
        -SEVERITIES.index(finding.severity),
        -round(one.reward, 2),
        -round(one.expected, 2),
        not one.tried,
        _CONFIDENCES.index(finding.confidence),
        _EFFORTS.index(finding.effort) if finding.effort in _EFFORTS else len(_EFFORTS),
        finding.path,
        finding.span.line,
        finding.rule,
    )
