"""A gain makes a warning a remark, a remark a warning, or nothing of either."""

from __future__ import annotations

import pytest

from advisor.model.errors import UsageError
from advisor.model.findings import Finding, Gain
from advisor.model.remedies import Remedy
from advisor.model.text.source_text import Span
from advisor.rules.policy import policy_for


def found(severity="warning", gain=None, *, category="memory", confidence="high", **remedy):
    own = Remedy("a", (), **remedy)
    return Finding(
        "some-rule", "a.py", Span(3), "k", severity, confidence, "m", gain=gain, category=category, remedy=own
    )


def predicted(least, most):
    return Gain(
        (least * most) ** 0.5, "predicted", least, most, least / 1.38, most * 1.38, "NVIDIA A100 80GB"
    )


def level(*args, policy=None, **kwargs):
    told = policy_for(policy or {}).gain.level_of(found(*args, **kwargs))
    return None if told is None else told[0]


NOTHING, MUCH, PERHAPS = predicted(1.0, 1.03), predicted(1.3, 2.0), predicted(1.0, 8.0)


def test_what_certainly_gains_nothing_is_a_remark():
    assert level("warning", NOTHING) == "info"
    said = policy_for({}).gain.level_of(found("warning", NOTHING))
    assert said == ("info", "removing it is predicted to save at most 3% of the kernel's time")


def test_what_may_gain_something_stays():
    assert level("warning", PERHAPS) is None
    assert level("warning", predicted(0.95, 1.25)) is None  # probably 1.09, and at most considerable
    assert level("warning", predicted(1.06, 1.15)) is None  # probably 1.104


def test_what_probably_gains_nothing_and_at_most_little_is_a_remark():
    assert level("warning", predicted(1.0, 1.2)) == "info"
    said = policy_for({}).gain.level_of(found("warning", predicted(1.0, 1.2)))
    # The square root of 1.2 is 1.095: 1 - 1 / 1.095 is 9%, 1 - 1 / 1.2 is 17%.
    words = "removing it is predicted to save about 9% of the kernel's time, at most 17%"
    assert said == ("info", words)


def test_what_certainly_gains_much_is_a_warning():
    assert level("info", MUCH) == "warning"
    _, reason = policy_for({}).gain.level_of(found("info", MUCH))
    assert reason == (
        "removing it is predicted to make the kernel at least 1.3 times as fast on NVIDIA A100 80GB"
    )


def test_what_may_gain_nothing_stays_a_remark():
    assert level("info", PERHAPS) is None
    assert level("info", predicted(1.24, 9.0)) is None


def test_where_nothing_is_known_nothing_changes():
    assert level("warning") is None
    assert level("info") is None


def test_what_is_wrong_is_wrong_whatever_it_gains():
    assert level("error", NOTHING) is None
    assert level("warning", NOTHING, category="correctness") is None
    assert level("info", MUCH, category="correctness") is None


def test_a_rule_in_doubt_is_not_raised():
    assert level("info", MUCH, confidence="low") is None
    assert level("info", MUCH, confidence="medium") == "warning"


def test_what_a_circumstance_or_the_project_has_decided_stays():
    assert level("info", MUCH, keeps_level=True) is None
    assert level("warning", NOTHING, keeps_level=True) is None


def test_places_of_which_nothing_is_known_may_gain_more():
    assert level("warning", NOTHING, known_everywhere=False) is None
    assert level("info", MUCH, known_everywhere=False) == "warning"


def test_the_most_that_a_rule_states_counts_and_its_guess_does_not():
    assert level("warning", Gain(1.05, "at most")) == "info"
    assert level("warning", Gain(1.2, "at most")) is None
    assert level("warning", Gain(1.05, "about")) is None
    assert level("info", Gain(8.0, "at most")) is None


def test_a_project_has_its_own_limits():
    assert level("warning", NOTHING, policy={"negligible-gain": 1.0}) is None
    assert level("warning", predicted(1.0, 1.4), policy={"negligible-gain": 1.5}) == "info"
    assert level("info", MUCH, policy={"considerable-gain": 1.5}) is None
    with pytest.raises(UsageError, match="unknown circumstance `negligible`"):
        policy_for({"negligible": 1.0})
