"""Verdicts by what two trials showed; the trials are made up."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from advisor.cli.verification.verification_output import judgement_object, times_in_words
from advisor.evidence.metrics.prediction_error import Interval, prediction_error
from advisor.model.findings import FASTER
from advisor.runs.verification.trial import KernelMetrics, Trial
from advisor.runs.verification.verdicts import judged

KEY = ("k.py", "rows")
OTHER = ("k.py", "columns")


def kernel(milliseconds: float | None, launches: float = 1.0, **resources: float) -> KernelMetrics:
    """A kernel whose counts cost so many milliseconds each; a count is a thousand for each millisecond."""
    known = {"launches": launches} | ({} if milliseconds is None else {"predicted_ms": milliseconds})
    counts = {METRICS[name]: 1000.0 * time for name, time in resources.items() if name in METRICS}
    return KernelMetrics(*KEY, known | counts, {name: time / 1e3 for name, time in resources.items()})


METRICS = {"issue": "issue_slots", "l1": "l1_sectors", "atomics": "hottest_element_updates"}


def trial(milliseconds: float | None = 2.0, launches: float = 1.0, **changes: object) -> Trial:
    """A trial of a kernel whose time is that of its instructions."""
    kernels = {
        KEY: kernel(milliseconds, launches, issue=milliseconds or 0.0),
        OTHER: KernelMetrics(*OTHER, {"launches": 1.0, "predicted_ms": 8.0}),
        ("k.py", "never"): KernelMetrics("k.py", "never", {}),
    }
    outputs = {"rows:1:out": np.arange(4, dtype=np.float32)}
    return replace(Trial("", True, outputs, kernels), **changes)


OUTPUTS = {"rows:1:out": np.arange(4, dtype=np.float32) + 1}
ERROR = prediction_error().ratio


def around(ratio: float) -> str:
    """The interval of a predicted ratio, in words."""
    return f"{ratio / ERROR:.2f} to {ratio * ERROR:.2f}"


CASES = [
    (trial(), trial(1.0), "predicted faster", 2.0, "1 output equal bit by bit"),
    (trial(), trial(1.98), "no difference", 2.0 / 1.98, "1 output equal bit by bit"),
    # Within the model's error: which is faster stays open.
    (trial(), trial(1.6), "cannot tell", 1.25, f"the model says 1.25 x, within its error {around(1.25)} x"),
    (trial(), trial(2.5), "cannot tell", 0.8, f"the model says 0.80 x, within its error {around(0.8)} x"),
    (trial(), trial(4.0), "predicted slower", 0.5, "1 output equal bit by bit"),
    # Three launches of 1 ms take longer than one of 2 ms.
    (trial(), trial(1.0, launches=3.0), "predicted slower", 2.0 / 3.0, "1 output equal bit by bit"),
    (trial(), trial(1.0, outputs=OUTPUTS), "results differ", 2.0, "4 of 4 elements differ"),
    (trial(), trial(1.0, outputs={}), "results differ", 2.0, "only before the change"),
    (trial(outputs={}), trial(1.0, outputs={}), "cannot tell", 2.0, "nothing that could be compared"),
    (trial(), trial(1.0, whole=False), "cannot tell", 2.0, "not all outputs could be kept"),
    (trial(), trial(None), "cannot tell", None, "the time of the kernel is not known"),
    (trial(), Trial("NameError: x"), "results differ", None, "it fails after the change: NameError: x"),
    (Trial("no data"), trial(), "cannot tell", None, "it does not run before the change: no data"),
    (
        trial(),
        trial(1.0, defects=frozenset({("shared_race", "rows")})),
        "results differ", 2.0, "the change brings a defect into rows: shared race",
    ),
    # A defect that was there before is not the change's.
    (
        trial(defects=frozenset({("shared_race", "rows")})),
        trial(1.0, defects=frozenset({("shared_race", "rows")})),
        "predicted faster", 2.0, "1 output equal bit by bit",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "verdict", "speedup", "said"), CASES)
def test_verdict(before: Trial, after: Trial, verdict: str, speedup: float | None, said: str) -> None:
    found = judged(before, after, [KEY], "simulated on X")
    assert (found.verdict, found.speedup) == (verdict, speedup if speedup is None else pytest.approx(speedup))
    assert said in found.detail


def test_a_predicted_ratio_has_the_interval_of_the_models_error() -> None:
    found = judged(trial(4.0), trial(1.0), [KEY], "simulated on X")
    assert found.interval is not None and found.interval.low > 1.0
    assert f"; {around(4.0)} x within the model's error on published times" in found.detail
    assert found.proof().in_words().startswith("predicted faster (4.00 x), simulated on X: ")


def test_times_say_whether_they_are_predicted() -> None:
    predicted = judged(trial(4.0), trial(1.0), [KEY], "simulated on X")
    assert times_in_words(predicted) == "predicted 4 ms -> 1 ms"
    assert times_in_words(replace(predicted, evidence="measured on X")) == "4 ms -> 1 ms"
    assert times_in_words(replace(predicted, after_ms=None)) == ""
    assert judgement_object(predicted)["speedup_interval"] == pytest.approx([4.0 / ERROR, 4.0 * ERROR])
    unbounded = replace(predicted, interval=Interval(0.0, math.inf))
    assert judgement_object(unbounded)["speedup_interval"] == [0.0, None]


@pytest.mark.parametrize("after", [1.6, 2.5])
def test_a_difference_within_the_models_error_withdraws_and_praises_nothing(after: float) -> None:
    proof = judged(trial(), trial(after), [KEY], "simulated on X").proof()
    assert (proof.verdict, proof.withdraws) == ("cannot tell", False)
    assert proof.verdict not in FASTER
    assert " x)," not in proof.in_words()


def changed(before: KernelMetrics, after: KernelMetrics):
    """The judgement on a kernel with equal outputs."""
    trials = [replace(trial(), kernels={KEY: one}) for one in (before, after)]
    return judged(*trials, [KEY], "simulated on X")


# A transpose of 1024 x 1024 floats through a padded tile, as the model takes it for an A100 (in us).
NAIVE = kernel(4.11, l1=2.04, issue=3.12, dram=4.11)
TILED = kernel(6.41, l1=0.45, issue=6.41, dram=4.11)


def test_a_prediction_that_a_count_speaks_against_is_not_told():
    found = changed(NAIVE, TILED)
    assert (found.verdict, found.proof().withdraws) == ("cannot tell", False)
    assert "sectors of memory fall from 2,040 to 450" in found.detail
    assert "(the model says 0.64 x)" in found.detail
    assert "0.64 x)," not in found.proof().in_words()
    assert changed(TILED, NAIVE).verdict == "cannot tell"


def test_equal_times_are_no_equality_where_a_dear_count_falls():
    # Coalescing of a matrix product: an eighth of the sectors, which the model holds for cheap.
    found = changed(kernel(4.0, l1=2.0, issue=4.0), kernel(4.0, l1=0.25, issue=4.0))
    assert found.verdict == "cannot tell"
    assert "sectors of memory fall from 2,000 to 250" in found.detail
    assert "(the model says 1.00 x)" in found.detail


def test_a_count_that_cannot_decide_speaks_against_nothing():
    # 0.01 ms of sectors, were they eight times as dear, are no 4 ms.
    assert changed(kernel(4.0, issue=4.0, l1=0.001), kernel(2.0, issue=2.0, l1=0.01)).verdict == (
        "predicted faster"
    )
    # A hundredth more instructions beside a third of the atomics.
    assert changed(kernel(9.0, atomics=9.0, issue=2.0), kernel(3.0, atomics=3.0, issue=2.02)).verdict == (
        "predicted faster"
    )
    assert changed(kernel(2.0, issue=2.0, l1=0.1), kernel(4.0, issue=4.0, l1=0.05)).verdict == (
        "predicted slower"
    )


def test_what_rests_on_hit_rates_alone_is_not_told():
    found = changed(kernel(4.0, issue=1.0, dram=4.0), kernel(2.0, issue=1.0, dram=2.0))
    assert found.verdict == "cannot tell"
    assert "no count falls: the prediction rests on hit rates and latencies" in found.detail
    assert "no count rises" in changed(kernel(2.0, issue=1.0), kernel(4.0, issue=1.0)).detail


def test_the_same_instructions_on_more_multiprocessors_are_less_for_each():
    few = KernelMetrics(*KEY, {"launches": 1.0, "predicted_ms": 8.0, "issue_slots": 1e6}, {"issue": 8e-3})
    many = KernelMetrics(*KEY, {"launches": 1.0, "predicted_ms": 2.0, "issue_slots": 1e6}, {"issue": 2e-3})
    assert changed(few, many).verdict == "predicted faster"


def test_wrong_results_withdraw_whatever_the_counts_say():
    trials = [replace(trial(), kernels={KEY: one}) for one in (NAIVE, TILED)]
    found = judged(trials[0], replace(trials[1], outputs=OUTPUTS), [KEY], "simulated on X")
    assert (found.verdict, found.proof().withdraws) == ("results differ", True)


def test_without_a_kernel_all_that_were_launched_count() -> None:
    found = judged(trial(2.0), trial(1.0), None, "simulated on X")
    assert (found.before_ms, found.after_ms) == (10.0, 9.0)
    assert judged(trial(2.0), trial(None), None, "simulated on X").verdict == "cannot tell"
    both = judged(trial(2.0), trial(1.0), [KEY, OTHER], "simulated on X")
    assert (both.before_ms, both.after_ms) == (10.0, 9.0)
