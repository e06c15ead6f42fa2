"""The verdict on a change: two trials compared in outputs, defects and predicted time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.evidence.metrics.prediction_error import Interval, ratio_interval
from advisor.model.findings import Proof, Verdict
from advisor.runs.verification.comparison import Comparison, compare
from advisor.runs.verification.count_support import CountChange, count_changes, unsupported
from advisor.runs.verification.numbers import verification_numbers
from advisor.runs.verification.significance import Ratio
from advisor.runs.verification.trial import KernelMetrics, Trial


@dataclass(frozen=True)
class Judgement:
    """A verdict with what it rests on: kernel times in ms before and after (None where unknown), the
    comparison of outputs, in words what decided, whether all outputs could be compared and agree, and the
    interval of the speed-up: the confidence interval of measured times, the model's error for predicted ones.
    """

    verdict: Verdict
    before_ms: float | None
    after_ms: float | None
    comparison: Comparison | None
    detail: str
    evidence: str
    outputs_agree: bool = False
    interval: Interval | None = None

    @property
    def speedup(self) -> float | None:
        """How many times as fast the kernel became, None where it is not known."""
        return self.before_ms / self.after_ms if self.before_ms and self.after_ms else None

    @property
    def is_measured(self) -> bool:
        """Whether the times were measured on a GPU, not predicted."""
        return self.evidence.startswith("measured")

    def proof(self) -> Proof:
        """The judgement as a fix carries it."""
        return Proof(self.verdict, self.speedup, self.evidence, self.detail)


def judged(
    before: Trial, after: Trial, kernels: Sequence[tuple[str, str]] | None, evidence: str
) -> Judgement:
    """The judgement of a change by its trials; `kernels` (path, name) are those whose time counts, None for
    all together.
    """
    if before.problem:
        return _unknown(f"it does not run before the change: {before.problem}", evidence)
    if after.problem:
        return Judgement(
            "results differ", None, None, None, f"it fails after the change: {after.problem}", evidence
        )
    times = _times(before, kernels), _times(after, kernels)
    tolerance = verification_numbers().tolerance
    comparison = compare(before.outputs, after.outputs, tolerance, _launched_otherwise(before, after))
    new = after.defects - before.defects
    if new:
        kind, name = sorted(new)[0]
        said = f"the change brings a defect into {name}: {kind.replace('_', ' ')}"
        return Judgement("results differ", *times, comparison, said, evidence)
    if comparison.agreement == "different":
        return Judgement("results differ", *times, comparison, comparison.detail, evidence)
    if comparison.agreement == "not comparable" or not (before.whole and after.whole):
        detail = comparison.detail or "not all outputs could be kept and compared"
        return Judgement("cannot tell", *times, comparison, detail, evidence)
    changes = count_changes(_kernels(before, kernels), _kernels(after, kernels))
    return _by_time(times[0], times[1], changes, comparison, evidence)


def _by_time(
    before: float | None,
    after: float | None,
    changes: Sequence[CountChange],
    comparison: Comparison,
    evidence: str,
) -> Judgement:
    """The verdict by predicted times, as far as exact counts carry it (docs/decisions/0027)."""
    outputs = agreement_in_words(comparison)
    if not before or not after:
        detail = f"{outputs}; the time of the kernel is not known"
        return Judgement("cannot tell", before, after, comparison, detail, evidence, outputs_agree=True)
    doubt = unsupported(changes, before, after)
    if doubt:
        detail = f"{outputs}; {doubt}"
        return Judgement("cannot tell", before, after, comparison, detail, evidence, outputs_agree=True)
    ratio, least = before / after, verification_numbers().least_ratio
    if 1.0 / least < ratio < least:
        detail = f"{outputs}; of kernels alone: copies and launches have no time here"
        return Judgement("no difference", before, after, comparison, detail, evidence, outputs_agree=True)
    interval = ratio_interval(ratio)
    found = f"{interval.low:.2f} to {interval.high:.2f} x"
    verdict: Verdict = "predicted faster" if ratio > 1.0 else "predicted slower"
    detail = f"{outputs}; {found} within the model's error on published times"
    if interval.holds_one:
        verdict, detail = "cannot tell", f"{outputs}; the model says {ratio:.2f} x, within its error {found}"
    return Judgement(verdict, before, after, comparison, detail, evidence, True, interval)


def by_measurement(
    judgement: Judgement, ratio: Ratio, before_ms: float, after_ms: float, device: str
) -> Judgement:
    """The judgement with measured times in the place of predicted ones; the outputs have to agree already.

    Faster and slower are told only where the whole confidence interval lies on one side of 1.
    """
    least = verification_numbers().least_ratio
    verdict: Verdict = "no difference"
    if ratio.low > 1.0 and ratio.mean >= least:
        verdict = "measured faster"
    elif ratio.high < 1.0 and 1.0 / ratio.mean >= least:
        verdict = "measured slower"
    assert judgement.comparison is not None
    outputs = agreement_in_words(judgement.comparison)
    detail = f"{outputs}; {ratio.low:.3f} to {ratio.high:.3f} x in {ratio.pairs} pairs of runs"
    return Judgement(
        verdict,
        before_ms,
        after_ms,
        judgement.comparison,
        detail,
        evidence=f"measured on {device}",
        outputs_agree=True,
        interval=Interval(ratio.low, ratio.high),
    )


def agreement_in_words(comparison: Comparison) -> str:
    """How outputs agree, in a few words."""
    arrays = f"{comparison.arrays} output{'' if comparison.arrays == 1 else 's'}"
    if comparison.agreement == "equal":
        return f"{arrays} equal bit by bit"
    return f"{arrays} equal within rounding (at most {comparison.largest:.1g} of the largest value)"


def _launched_otherwise(before: Trial, after: Trial) -> set[str]:
    """The names of the kernels that one trial launched more often than the other."""
    counts = [
        {key: one.metrics.get("launches") for key, one in found.kernels.items()} for found in (before, after)
    ]
    return {key[1] for key in counts[0] if key in counts[1] and counts[0][key] != counts[1][key]}


def _unknown(detail: str, evidence: str) -> Judgement:
    return Judgement("cannot tell", None, None, None, detail, evidence)


def _times(trial: Trial, kernels: Sequence[tuple[str, str]] | None) -> float | None:
    """The predicted time of the launches of some kernels in ms, of all kernels for None."""
    known = _kernels(trial, kernels)
    times = [_time(one) for one in known]
    missing = kernels is not None and len(known) < len(kernels)
    return sum(one for one in times if one) if times and None not in times and not missing else None


def _kernels(trial: Trial, kernels: Sequence[tuple[str, str]] | None) -> list[KernelMetrics]:
    """Some kernels of a trial as far as it has them, all that were launched for None."""
    if kernels is None:
        return [one for one in trial.kernels.values() if "launches" in one.metrics]
    return [trial.kernels[key] for key in kernels if key in trial.kernels]


def _time(kernel: KernelMetrics) -> float | None:
    """The time of all launches of a kernel, taking each to be as long as the heaviest."""
    launches = kernel.metrics.get("launches", 1.0)
    once = kernel.predicted_ms
    return None if once is None else once * float(launches)
