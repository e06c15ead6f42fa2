"""How good a rule's fixes and estimates were: the ledger of verified fixes, summed up by rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from advisor.fixes.proofs import LedgerEntry
from advisor.model.findings import FASTER


@dataclass(frozen=True)
class RuleCalibration:
    """The fixes of a rule that were verified: how many, how many made their kernel faster, the median of the
    gains achieved, and by what factor the median estimate was off (2.0: twice or half of what was achieved);
    None where there is nothing to take a median of.
    """

    tried: int
    faster: int
    achieved: float | None
    estimates: int
    estimate_off_by: float | None


def calibrated(entries: Iterable[LedgerEntry]) -> dict[str, RuleCalibration]:
    """The calibration of each rule with entries; of several for one kernel and fix the last counts."""
    latest = {(one.rule, one.fix, one.kernel, one.device): one for one in entries}
    rules: dict[str, list[LedgerEntry]] = {}
    for one in latest.values():
        rules.setdefault(one.rule, []).append(one)
    return {rule: _of(group) for rule, group in sorted(rules.items())}


def _of(entries: list[LedgerEntry]) -> RuleCalibration:
    gains = [one.achieved for one in entries if one.achieved is not None and one.verdict != "results differ"]
    off = [
        max(one.estimated / one.achieved, one.achieved / one.estimated)
        for one in entries
        if one.estimated and one.achieved and one.verdict != "results differ"
    ]
    return RuleCalibration(
        tried=len(entries),
        faster=sum(one.verdict in FASTER for one in entries),
        achieved=median(gains) if gains else None,
        estimates=len(off),
        estimate_off_by=median(off) if off else None,
    )
