"""The order of actions: the gain of the whole run, then what is proven, confidence, effort."""

from __future__ import annotations

import pytest

from advisor.check.speedup_bounds.actions import ranked_actions
from advisor.model.findings import Confidence, Edit, Finding, Fix, Gain, Proof, Severity, Verdict
from advisor.model.text.source_text import Span


def finding(
    rule: str,
    kernel: str = "k",
    line: int = 1,
    gain: float | None = None,
    confidence: Confidence = "high",
    effort: str = "low",
    severity: Severity = "warning",
    fixes: tuple[Fix, ...] = (),
) -> Finding:
    estimate = Gain(gain, "at most") if gain else None
    return Finding(
        rule,
        "a.py",
        Span(line),
        kernel,
        severity,
        confidence,
        rule,
        gain=estimate,
        effort=effort,
        fixes=fixes,
    )


def fix(verdict: Verdict | None = None, speedup: float | None = None, name: str = "f") -> Fix:
    proof = Proof(verdict, speedup, "simulated", "") if verdict else None
    return Fix(f"fix {verdict}", "safe", name, edits=(Edit(0, 1, ""),), proof=proof)


def order(*findings: Finding, **shares: float) -> list[str]:
    return [one.finding.rule for one in ranked_actions(findings, dict(shares))]


def test_the_gain_of_the_run_counts_not_that_of_the_kernel():
    small, large = finding("small", "rare", gain=10.0), finding("large", "hot", gain=2.0)
    # 1 / (0.95 + 0.05 / 10) = 1.05 and 1 / (0.05 + 0.95 / 2) = 1.90.
    found = ranked_actions([small, large], {"rare": 0.05, "hot": 0.95})
    assert [one.finding.rule for one in found] == ["large", "small"]
    assert [one.gain_of_run for one in found] == [
        pytest.approx(1.9048, abs=1e-4),
        pytest.approx(1.0471, abs=1e-4),
    ]


def test_errors_come_first():
    assert order(finding("slow", gain=100.0), finding("wrong", severity="error")) == ["wrong", "slow"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (finding("a", gain=2.0, confidence="high"), finding("b", gain=2.0, confidence="low")),
        (finding("a", gain=2.0, effort="low"), finding("b", gain=2.0, effort="high")),
        (finding("a", gain=2.0), finding("b", severity="info")),
        (finding("a", gain=2.0), finding("b")),
        (finding("a"), finding("b", severity="info")),
        (finding("a"), finding("b", severity="info", gain=9.0)),
        (finding("a", severity="error"), finding("b", gain=9.0)),
        (finding("a", fixes=(fix("predicted faster", 2.0),)), finding("b", gain=2.0)),
    ],
)
def test_one_before_the_other(first, second):
    assert order(first, second) == order(second, first) == ["a", "b"]


def test_what_was_proven_stands_for_the_estimate():
    (action,) = ranked_actions([finding("a", gain=9.0, fixes=(fix("predicted faster", 1.5),))], {})
    assert (action.speedup, action.tried) == (1.5, True)
    assert action.fix is not None and action.fix.title == "fix predicted faster"


@pytest.mark.parametrize("verdict", ["no difference", "predicted slower", "results differ"])
def test_what_was_tried_in_vain_gains_nothing(verdict):
    (action,) = ranked_actions([finding("a", gain=9.0, fixes=(fix(verdict, 0.9),))], {})
    assert (action.speedup, action.fix, action.tried) == (1.0, None, True)


@pytest.mark.parametrize("other", [fix(None), fix("cannot tell")])
def test_what_was_not_tried_keeps_its_estimate(other):
    (action,) = ranked_actions([finding("a", gain=9.0, fixes=(other,))], {})
    assert (action.speedup, action.tried) == (9.0, False)


def test_room_caps_an_estimate_and_stands_for_a_missing_one():
    found = ranked_actions(
        [finding("a", gain=9.0), finding("b")], {}, lambda one: 3.0 if one.rule == "a" else 2.0
    )
    assert [(one.finding.rule, one.speedup) for one in found] == [("a", 3.0), ("b", 2.0)]


def test_one_rule_at_several_lines_of_a_kernel_is_one_action():
    found = ranked_actions([finding("a", line=3), finding("a", line=5), finding("a", "other", line=9)], {})
    assert [(one.finding.span.line, [more.span.line for more in one.others]) for one in found] == [
        (3, [5]),
        (9, []),
    ]


def test_without_a_share_the_gain_of_the_run_is_not_known():
    (action,) = ranked_actions([finding("a", gain=2.0)], {"other": 1.0})
    assert action.gain_of_run is None


def test_one_fix_for_two_rules_is_one_action():
    found = ranked_actions(
        [finding("a", gain=2.0, fixes=(fix(),)), finding("b", gain=3.0, fixes=(fix(),))], {}
    )
    assert [(one.finding.rule, [more.rule for more in one.others]) for one in found] == [("b", ["a"])]
    apart = [finding("a", gain=2.0, fixes=(fix(),)), finding("b", gain=3.0, fixes=(fix(name="g"),))]
    assert len(ranked_actions(apart, {})) == 2


def test_what_a_rule_estimates_comes_before_what_is_only_left():
    left = ranked_actions([finding("a"), finding("b", gain=2.0)], {}, lambda one: 50.0)
    assert [(one.finding.rule, one.speedup) for one in left] == [("b", 2.0), ("a", 50.0)]


def test_a_cause_is_as_severe_as_its_worst_place():
    remark = finding("a", line=3, gain=9.0, severity="info")
    (action,) = ranked_actions([remark, finding("a", line=5, gain=2.0)], {})
    assert (action.finding.span.line, action.speedup, action.others) == (5, 2.0, (remark,))


def test_where_the_run_gains_nothing_the_gain_of_the_kernel_decides():
    # 1 / (0.999 + 0.001 / 2) and 1 / (0.999 + 0.001 / 4) are both 1.00.
    few, much = finding("few", gain=2.0), finding("much", gain=4.0, effort="high")
    assert order(few, much, k=0.001) == ["much", "few"]
