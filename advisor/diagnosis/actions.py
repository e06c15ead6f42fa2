"""What to do first: findings by what they gain for the whole run, then by confidence and effort."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from advisor.comparing.order import gain_of_run
from advisor.findings import SEVERITIES, Finding, Fix

Room = Callable[[Finding], float | None]
_CONFIDENCES = ("high", "medium", "low")
_EFFORTS = ("low", "medium", "high")


@dataclass(frozen=True)
class Action:
    """A finding with what it could gain: of its kernel and of the whole run, at most; None where not known.

    `fix` is the one to take, `proven` says that its gain was found by running it. `others` are findings of
    the same rule in the same kernel: one cause at several places.
    """

    finding: Finding
    fix: Fix | None
    speedup: float | None
    gain_of_run: float | None
    proven: bool
    others: tuple[Finding, ...] = ()


def ranked_actions(
    findings: Iterable[Finding], shares: Mapping[str | None, float], room: Room = lambda _: None
) -> list[Action]:
    """The actions for findings, the most rewarding first.

    `shares` are those of kernels in the time of the run, by name; that of a kernel which is not there is
    unknown. `room` gives the speed-up that is left at most for a finding's remedy. What is wrong (an error)
    comes before what is slow.
    """
    groups: dict[tuple[str, str, str | None], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.rule, finding.path, finding.kernel_concerned()), []).append(finding)
    return sorted((_action(group, shares, room) for group in groups.values()), key=_rank)


def _action(group: list[Finding], shares: Mapping[str | None, float], room: Room) -> Action:
    estimates = [(_estimate(one, room(one)), one) for one in group]
    (speedup, fix, proven), finding = max(estimates, key=lambda one: one[0][0] or 1.0)
    share = shares.get(finding.kernel_concerned())
    gain = gain_of_run(share, speedup) if speedup is not None and share is not None else None
    others = tuple(one for one in group if one is not finding)
    return Action(finding, fix, speedup, gain, proven, others)


def _estimate(finding: Finding, room: float | None) -> tuple[float | None, Fix | None, bool]:
    """The speed-up of the kernel, None where it is not known, with its fix, and whether it is proven."""
    tried = [(one.proof, one) for one in finding.fixes if one.proof is not None]
    helping = [
        (proof.speedup, fix)
        for proof, fix in tried
        if proof.verdict == "proven faster" and proof.speedup is not None
    ]
    if helping:
        speedup, fix = max(helping, key=lambda one: one[0])
        return speedup, fix, True
    able = next((one for one in finding.fixes if one.edits and one.proof is None), None)
    if able is None and any(proof.verdict != "cannot tell" for proof, _ in tried):
        # All that could be tried was tried, and helped nothing.
        return 1.0, None, True
    known = [one for one in (finding.gain.speedup if finding.gain else None, room) if one is not None]
    return min(known, default=None), able, False


def _rank(one: Action) -> tuple[object, ...]:
    finding = one.finding
    return (
        finding.severity != "error",
        -round(one.gain_of_run or one.speedup or 1.0, 2),
        not one.proven,
        -SEVERITIES.index(finding.severity),
        _CONFIDENCES.index(finding.confidence),
        _EFFORTS.index(finding.effort) if finding.effort in _EFFORTS else len(_EFFORTS),
        finding.path,
        finding.span.line,
        finding.rule,
    )
