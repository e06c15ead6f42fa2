"""The short report: what matters most, on two screens, and how much is left out."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.findings import (
    HERE_TOO,
    Edit,
    Evidence,
    Finding,
    Fix,
    Gain,
    Problem,
    Related,
    Report,
    Severity,
    Undecided,
)
from advisor.model.text.source_text import Span
from advisor.reports.outputs import RenderOptions, render_report

LINE = "    total += a[k, i] * b[k, j]\n"
LONG = "Neighbouring lanes of a warp touch rows that lie far apart, and take many sectors a request. "
SCREENS = 100


def finding(
    rule: str,
    line: int = 1,
    kernel: str | None = "k",
    severity: Severity = "warning",
    gain: float = 0.0,
    **more,
) -> Finding:
    estimate = Gain(gain, "at most") if gain else None
    span = Span(line, 14, line, 21)
    return Finding(rule, "a.py", span, kernel, severity, "high", f"{rule} at {line}.", gain=estimate, **more)


def short(*findings: Finding, width: int = 100, causes: int | None = None, **more) -> str:
    report = Report("NVIDIA T4", list(findings), texts={"a.py": LINE * 400}, **more)
    return render_report("short", report, {}, RenderOptions(width=width, causes=causes))


def rules_of(text: str) -> list[str]:
    return re.findall(r" (?:error|warning|info)\[([\w-]+)\]", text)


def test_what_is_wrong_comes_first_then_what_gains_most_then_remarks():
    found = short(
        finding("remark", 1, severity="info", gain=30.0),
        finding("little", 2, "b", gain=1.5),
        finding("much", 3, "c", gain=4.0),
        finding("wrong", 4, "d", severity="error"),
    )
    assert rules_of(found) == ["wrong", "much", "little", "remark"]


def test_a_kernel_stands_where_its_best_cause_stands_with_its_share():
    found = short(
        finding("x", 1, "rare", gain=9.0),
        finding("y", 2, "hot", gain=2.0),
        finding("z", 3, "hot", gain=1.5),
        shares={"rare": 0.05, "hot": 0.95},
    )
    headings = [line for line in found.splitlines() if line.startswith("kernel ")]
    assert headings == [
        "kernel hot, a.py, 95% of the time of all kernels",
        "kernel rare, a.py, 5% of the time of all kernels",
    ]
    assert rules_of(found) == ["y", "z", "x"]


def test_three_causes_of_a_kernel_in_full_and_the_others_in_a_line():
    found = short(*(finding(f"r-{line}", line, gain=9.0 - line) for line in range(1, 6)))
    assert rules_of(found) == ["r-1", "r-2", "r-3", "r-4", "r-5"]
    assert found.count("a[k, i]") == 3
    assert "\na.py:4:14 warning[r-4] r-4 at 4.\na.py:5:14 warning[r-5] r-5 at 5.\n" in found


def test_remarks_have_a_line_each_and_only_where_nothing_worse_is_left_out():
    remarks = [finding(f"i-{line}", line, severity="info") for line in range(1, 13)]
    found = short(*remarks)
    assert len(rules_of(found)) == 10 and "a[k, i]" not in found
    assert "2 more info findings in 1 kernel: advisor check --all" in found
    slow = [finding(f"w-{line}", line, f"k{line}") for line in range(20, 31)]
    assert not [rule for rule in rules_of(short(*remarks, *slow)) if rule.startswith("i-")]


def test_an_error_is_shown_however_many_warnings_gain_more():
    slow = [finding(f"w-{line}", line, f"k{line}", gain=5.0) for line in range(1, 20)]
    assert rules_of(short(*slow, finding("wrong", 30, "last", severity="error")))[0] == "wrong"


def test_places_of_one_cause_are_named_once_whether_findings_are_joined_or_not():
    lines = (3, 7, 12)
    apart = short(*(finding("x", line, gain=2.0) for line in lines))
    places = tuple(Related("a.py", Span(line), HERE_TOO, same_cause=True) for line in lines[1:])
    joined = short(finding("x", 3, gain=2.0, related=places))
    assert "gain: predicted at most 2 times as fast; also: lines 7, 12" in apart
    assert apart.splitlines()[:5] == joined.splitlines()[:5]


def test_what_says_the_same_of_several_kernels_is_told_of_the_first():
    same = [replace(finding("x", line, f"k{line}", gain=2.0), message="Too few blocks.") for line in (1, 5)]
    found = short(*same)
    assert rules_of(found) == ["x"] and "also: in 1 other kernel, line 5" in found
    assert "more" not in found


def test_places_that_have_no_room_are_counted():
    launches = [replace(finding("x", line, f"k{line}", gain=2.0), message="Too few.") for line in range(1, 9)]

    def also(path: str) -> str:
        found = short(launches[0], *(replace(one, path=path) for one in launches[1:]))
        return " ".join(found.partition("also: ")[2].partition("\n\n")[0].split())

    some = "a/folder/with/a/long/name/kernels.py"
    assert also(some) == f"in 7 other kernels, {some}:2:14 and 6 more"
    assert also("a/folder/" * 12 + "kernels.py") == "in 7 other kernels, 7 places"


def test_a_place_that_several_kernels_call_is_one_cause():
    called = [replace(finding("x", 9, name), message=f"`{name}` is slow.") for name in ("a", "b", "c")]
    found = short(*called)
    assert rules_of(found) == ["x"] and "also: in 2 other kernels\n" in found and "more" not in found


def test_a_line_names_the_rule_however_long_the_path_is():
    remark = replace(finding("x", 9, severity="info"), path="folder/" * 20 + "a.py", message=LONG)
    first = short(remark).splitlines()[0]
    assert first.endswith("a.py:9:14 info[x] Neighbouring lanes of a ...")


def test_rules_with_the_same_fix_are_one_cause():
    fix = Fix("Swap i and j", "needs review", "swap", edits=(Edit(0, 1, "x"),))
    found = short(finding("x", 1, gain=3.0, fixes=(fix,)), finding("y", 2, gain=2.0, fixes=(fix,)))
    assert rules_of(found) == ["x"]
    assert "also: the same fix for y" in found and "fix: Swap i and j (needs review)" in found


def test_host_code_stands_under_the_kernel_that_it_launches():
    launch = finding("launch", 9, None, related=(Related("k.py", Span(2), "kernel `k`", kernel="k"),))
    assert short(launch).startswith("kernel k, k.py\na.py:9:14 warning[launch]")
    assert short(finding("copy", 9, None)).startswith("host code, a.py\na.py:9:14 warning[copy]")


def test_the_number_that_decides_is_shown_unless_the_message_has_it():
    number = Evidence("fp64_instructions", 12.0, "count", 2.0, "compiled", "12 of 96")
    assert "fp64_instructions: 12 of 96, threshold 2 (compiled)" in short(finding("x", evidence=(number,)))
    told = replace(finding("x", evidence=(number,)), message="12 of 96 instructions are float64.")
    assert "threshold" not in short(told)
    read = replace(number, source="source")
    assert "threshold" not in short(finding("x", evidence=(read,)))


def test_a_cause_has_six_lines_however_much_is_known_of_it():
    places = tuple(Related("a.py", Span(line), HERE_TOO) for line in range(100, 160))
    long = replace(
        finding("x", 99, gain=2.0, related=places), message=LONG * 5, advice=(LONG * 3,), assumptions=(LONG,)
    )
    for width in (40, 80, 100):
        lines = short(long, width=width).partition("\n\n")[0].splitlines()[1:]
        assert len(lines) == 6 and max(map(len, lines)) <= width
        assert any(line.lstrip().startswith("try: ") for line in lines)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 30),
            st.integers(1, 30),
            st.integers(0, 12),
            st.sampled_from(["info", "warning", "error"]),
        ),
        max_size=80,
    ),
    st.integers(0, 20),
)
def test_any_report_fits_on_two_screens_and_counts_what_it_leaves_out(drawn, problems):
    findings = [
        replace(
            finding(
                f"rule-{rule}",
                line + 30 * kernel,
                f"kernel_{kernel}",
                severity,
                gain=1.0 + rule / 7,
                advice=(LONG,),
            ),
            message=f"{LONG * 3} {rule} {kernel}",
            assumptions=(LONG,),
        )
        for rule, line, kernel, severity in drawn
    ]
    trouble = [Problem(f"folder/{number}.py", 1, LONG * 3) for number in range(problems)]
    undecided = [Undecided("r", 3, ("m",), ("measured",))]
    found = short(*findings, problems=trouble, notices=[LONG] * 9, undecided=undecided)
    assert len(found.splitlines()) <= SCREENS
    assert len(rules_of(found)) <= 10 + 3
    causes = {(one.rule, one.kernel) for one in findings}
    assert ("more" in found.partition("\nFound ")[2]) == (len(causes) > 10)


def test_problems_and_notices_take_few_lines():
    trouble = [Problem(f"{number}.py", 3, "is not valid Python", checked=number < 2) for number in range(6)]
    found = short(problems=trouble, notices=["No compiler.", "No GPU."])
    assert found.splitlines()[:3] == [
        f"{number}.py:3:1 error[not-checked] is not valid Python" for number in (2, 3, 4)
    ]
    assert "\n3 more problems: advisor check --all\n" in found
    assert "\nnote: No compiler. No GPU.\n" in found


def test_the_number_of_causes_is_a_setting():
    many = [finding(f"r-{line}", line, f"k{line}") for line in range(1, 15)]
    assert len(rules_of(short(*many, causes=2))) == 2
    assert len(rules_of(short(*many, causes=14))) == 14
    assert "more" not in short(*many, causes=14)


def test_quietly_there_are_no_counts_but_what_is_left_out_is_said():
    report = Report("NVIDIA T4", [finding(f"r-{line}", line, f"k{line}") for line in range(1, 13)])
    found = render_report("short", report, {}, RenderOptions(quiet=True))
    assert found.endswith("\n\n2 more warnings in 2 kernels: advisor check --all\n") and "Found" not in found
    assert render_report("short", Report("NVIDIA T4"), {}, RenderOptions(quiet=True)) == ""


def test_kernels_that_share_a_device_function_share_its_gain():
    alone = finding("own", 1, "other", gain=3.0)
    shared = [replace(finding("shared", 9, name, gain=2.0), message="Same.") for name in ("a", "b")]
    found = short(alone, *shared, shares={"a": 0.3, "b": 0.4, "other": 0.3})
    # 1 / (0.3 + 0.7 / 2) = 1.54 and 1 / (0.7 + 0.3 / 3) = 1.25.
    assert rules_of(found) == ["shared", "own"]
    assert found.startswith("kernels a, b, a.py, 70% of the time of all kernels\n")
    assert "all kernels together 1.54" in found


@pytest.mark.parametrize("text", ["red \x1b[31m bell \x07", "two\nlines"])
def test_control_characters_do_not_reach_the_terminal(text):
    found = short(replace(finding("x", kernel=text), message=text, advice=(text,), path=text))
    assert not [one for one in found if ord(one) < 32 and one != "\n"]
    assert len(found.splitlines()) <= 8


FAR = "packages/solver/backends/numba/kernels/elementwise.py"


@pytest.mark.parametrize(("terminal", "width"), [(False, 80), (True, 80), (True, 140)])
def test_a_line_that_a_terminal_has_no_room_for_goes_on_in_a_second_one(terminal: bool, width: int):
    told = replace(finding("a-rule-of-some-length", 7, severity="info"), path=FAR, message=LONG * 3)
    report = Report("NVIDIA T4", [told], texts={FAR: LINE * 9})
    options = RenderOptions(width=width, terminal=terminal)
    lines = render_report("short", report, {}, options).partition("\n\n")[0].splitlines()
    # The place has 57 columns and the rule 27: 30 of the message are told, or what two lines hold.
    whole = f"{FAR}:7:14 info[a-rule-of-some-length]"
    assert " ".join(line.strip() for line in lines).startswith(f"{whole} Neighbouring lanes")
    if terminal:
        assert len(lines) == (2 if width == 80 else 1)
        assert all(len(line) <= width for line in lines)
    else:
        assert len(lines) == 1 and len(lines[0]) > width


def test_a_place_that_is_wider_than_the_terminal_stays_whole():
    far = f"{'folder/' * 12}k.py"
    told = replace(finding("x", 7, severity="info"), path=far)
    report = Report("NVIDIA T4", [told], texts={far: LINE * 9})
    lines = render_report("short", report, {}, RenderOptions(width=80, terminal=True)).splitlines()
    assert lines[:2] == [f"{far}:7:14", "  info[x] x at 7."]
