"""A long report begins with the few findings that matter most."""

from __future__ import annotations

from advisor.model.findings import Finding, Gain, Report
from advisor.model.text.source_text import Span
from advisor.reports.outputs import RenderOptions, render_report


def finding(line: int, gain: float | None = None, kernel: str = "k", message: str = "Slow.") -> Finding:
    estimate = Gain(gain, "at most") if gain else None
    advice = (f"Do {message}",)
    return Finding(
        f"rule-{line}", "a.py", Span(line), kernel, "warning", "high", message, gain=estimate, advice=advice,
        effort="low",
    )  # fmt: skip


def page(*findings: Finding, shares: dict[str | None, float] | None = None) -> str:
    report = Report("NVIDIA T4", list(findings), texts={"a.py": "x\n" * 40}, shares=shares or {})
    return render_report("text", report, {}, RenderOptions(width=100))


def test_the_three_with_the_largest_gain_come_first():
    found = page(*(finding(line, gain=1.0 + line / 10) for line in range(1, 13)))
    head, _, rest = found.partition("\n\n")
    assert head.splitlines()[0] == "Start with these of 12 findings:"
    places = [word for word in head.split() if word.startswith("a.py")]
    assert places == ["a.py:12:1", "a.py:11:1", "a.py:10:1"]
    assert "predicted at most 2.2 times as fast, high confidence, low effort." in head.replace("\n     ", " ")
    assert rest.startswith("warning[rule-1]")


def test_the_share_of_the_kernel_counts():
    few = [finding(line) for line in range(1, 11)]
    found = page(*few, finding(20, 9.0, "rare"), finding(21, 2.0, "hot"), shares={"rare": 0.1, "hot": 0.9})
    assert found.splitlines()[1].startswith("  1. a.py:21:1")
    # 1 / (0.1 + 0.9 / 2)
    assert "all kernels together 1.82" in found.partition("\n\n")[0].replace("\n     ", " ")


def test_a_short_page_and_one_without_any_gain_begin_with_their_findings():
    assert page(finding(1, 2.0)).startswith("warning[rule-1]")
    assert page(*(finding(line) for line in range(1, 13))).startswith("warning[rule-1]")


def test_control_characters_of_a_rule_do_not_reach_the_terminal():
    found = page(*(finding(line, 2.0, message="red \x1b[31m bell \x07") for line in range(1, 13)))
    assert "\x1b" not in found and "\x07" not in found
