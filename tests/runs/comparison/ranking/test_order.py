"""Which finding comes first: gain of the whole run for the effort, step by step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.model.findings import Finding, Gain
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span
from advisor.runs.comparison.numbers import comparing_numbers
from advisor.runs.comparison.ranking.order import Advised, gain_of_run, steps_of


def finding(
    rule: str, category: str = "memory", gain: float | None = None, effort: str = "medium"
) -> Finding:
    told = None if gain is None else Gain(gain, "at most")
    return Finding(
        rule,
        "k.py",
        Span(3),
        "k",
        "warning",
        "high",
        "It is slow.",
        gain=told,
        effort=effort,
        category=category,
    )


def test_gain_of_the_run_by_amdahl() -> None:
    assert gain_of_run(0.5, 2.0) == pytest.approx(4 / 3)
    assert gain_of_run(1.0, 3.0) == pytest.approx(3.0)
    assert gain_of_run(0.0, 100.0) == 1.0


def test_steps_are_those_of_the_documents() -> None:
    titles = [step.id for step in steps_of([], [], {})]
    assert titles == ["profile", "quick-wins", "batch", "tune", "kernel", "graphs", "re-profile"]


def test_findings_come_under_their_step() -> None:
    of_kernel = Advised("k", "k.py", 1.0, (finding("uncoalesced-access"), finding("few-waves", "launch")))
    of_run = [finding("high-memcpy-share", "host"), finding("static-launch-sequence", "host")]
    steps = {step.id: [one.finding.rule for one in step.advice] for step in steps_of([of_kernel], of_run, {})}
    assert steps["kernel"] == ["uncoalesced-access"]
    assert steps["tune"] == ["few-waves"]
    assert steps["quick-wins"] == ["high-memcpy-share"]
    assert steps["graphs"] == ["static-launch-sequence"]
    assert steps["profile"] == steps["batch"] == steps["re-profile"] == []


def test_a_rule_of_a_pack_comes_under_kernels() -> None:
    of_kernel = Advised("k", "k.py", 1.0, (finding("my-rule", "my-category"),))
    assert [step.id for step in steps_of([of_kernel], [], {}) if step.advice] == ["kernel"]


def test_the_most_gain_for_the_effort_is_first() -> None:
    # Saved of the run: 50%, 33% and 33%, for 240, 60 and 15 minutes.
    kernel = Advised(
        "k", "k.py", 1.0,
        (finding("a", gain=2.0, effort="high"), finding("b", gain=1.5), finding("c", gain=1.5, effort="low")),
    )  # fmt: skip
    kernels = next(step for step in steps_of([kernel], [], {"k": 1.0}) if step.id == "kernel")
    assert [one.finding.rule for one in kernels.advice] == ["c", "b", "a"]


def test_what_is_left_for_a_remedy_caps_a_gain() -> None:
    kernel = Advised("k", "k.py", 0.5, (finding("a", gain=8.0),))
    steps = steps_of([kernel], [], {"k": 0.5}, lambda _: 1.25)
    advice = next(step for step in steps if step.id == "kernel").advice[0]
    assert advice.speedup == 1.25
    assert advice.gain_of_run == pytest.approx(1 / (0.5 + 0.5 / 1.25))


def test_without_a_gain_none_is_told_but_the_longest_kernel_is_first() -> None:
    short = Advised("short", "k.py", 0.01, (replace(finding("a", gain=4.0), kernel="short"),))
    long = Advised("long", "k.py", 0.97, (replace(finding("b"), kernel="long"),))
    steps = steps_of([short, long], [], {"short": 0.01, "long": 0.97}, lambda _: 50.0)
    advice = next(step for step in steps if step.id == "kernel").advice
    assert [(one.kernel, one.gain_of_run) for one in advice] == [
        ("long", None),
        ("short", pytest.approx(1.0075, abs=1e-4)),
    ]


def test_every_rule_and_category_that_a_step_names_exists() -> None:
    rules = {rule.id: rule.category for rule in rulebook_for(Config()).rules}
    steps = comparing_numbers().steps
    named = [rule for step in steps for rule in step.rules]
    assert [rule for rule in named if rule not in rules] == []
    assert len(named) == len(set(named))
    grouped = {category for step in steps for category in step.categories}
    assert grouped <= set(rules.values())
