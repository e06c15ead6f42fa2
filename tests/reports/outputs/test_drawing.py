"""Excerpts, wrapping, numbers and the choice of colours, piece by piece."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from advisor.model.findings import Finding, Problem, Report
from advisor.model.text.source_text import Span
from advisor.reports.outputs import RenderOptions, options_for
from advisor.reports.outputs.drawing.cells import DrawnLine, draw_line
from advisor.reports.outputs.drawing.excerpt import draw_excerpt
from advisor.reports.outputs.drawing.palette import Palette
from advisor.reports.outputs.drawing.paragraphs import one_line, paragraph
from advisor.reports.outputs.wording.counts import listed, summary_sentences
from advisor.reports.outputs.wording.quantities import quantity


@pytest.mark.parametrize(
    ("line", "start", "end", "drawn"),
    [
        ("abc", 1, 2, DrawnLine("abc", 1, 1)),
        ("\tab", 1, 2, DrawnLine("    ab", 4, 1)),
        ("a\tb", 2, 3, DrawnLine("a   b", 4, 1)),
        ("行b", 1, 2, DrawnLine("行b", 2, 1)),
        ("行b", 0, 1, DrawnLine("行b", 0, 2)),
        ("\U0001f680x", 1, 2, DrawnLine("\U0001f680x", 2, 1)),
        ("e\u0301x", 2, 3, DrawnLine("e\u0301x", 1, 1)),
        ("a\x1bb", 2, 3, DrawnLine("a\u00b7b", 2, 1)),
        ("abc", 7, 9, DrawnLine("abc", 3, 1)),
        ("", 0, 1, DrawnLine("", 0, 1)),
        ("abc", 2, 1, DrawnLine("abc", 2, 1)),
    ],
)
def test_a_line_that_fits(line: str, start: int, end: int, drawn: DrawnLine) -> None:
    assert draw_line(line, start, end, 40) == drawn


def test_a_long_line_is_cut_on_the_right() -> None:
    assert draw_line("0123456789" * 3, 2, 4, 20) == DrawnLine("01234567890123456...", 2, 2)


def test_a_long_line_is_cut_on_both_sides() -> None:
    # 50 characters, room for 20: the 4 in the middle leave 8 on either side, of which 3 are the cut.
    assert draw_line("0123456789" * 5, 25, 29, 20) == DrawnLine("...01234567890123...", 8, 4)


def test_a_long_line_is_cut_on_the_left() -> None:
    assert draw_line("0123456789" * 3, 28, 30, 20) == DrawnLine("...34567890123456789", 18, 2)


@given(
    line=st.text(alphabet=st.sampled_from("ab \t行\U0001f680\u0301\x07"), max_size=60),
    start=st.integers(0, 70),
    length=st.integers(-3, 70),
    room=st.integers(12, 50),
)
def test_what_is_drawn_stays_within_the_room(line: str, start: int, length: int, room: int) -> None:
    drawn = draw_line(line, start, start + length, room)
    assert sum(map(cell_len, drawn.text)) <= room
    assert 0 <= drawn.start <= room
    assert drawn.length >= 1
    assert drawn.start + drawn.length <= room + 1


def excerpt(text: str, span: Span, width: int = 40) -> list[str]:
    return draw_excerpt(text.splitlines(), span, width, Palette(color=False), str)


def test_an_excerpt_with_a_line_above_and_below() -> None:
    assert excerpt("a\nb = c\nd\ne\n", Span(2, 5, 2, 6)) == [
        "   |",
        " 1 | a",
        " 2 | b = c",
        "   |     ^",
        " 3 | d",
        "   |",
    ]


def test_an_excerpt_at_the_ends_of_the_file() -> None:
    assert excerpt("a\n", Span(1)) == ["   |", " 1 | a", "   | ^", "   |"]


def test_a_long_stretch_shows_its_ends() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 21))
    assert excerpt(text, Span(3, 1, 15, 5)) == [
        "   |",
        " 2 |   line 2",
        " 3 | / line 3",
        " 4 | | line 4",
        " 5 | | line 5",
        "   | ...",
        "14 | | line 14",
        "15 | | line 15",
        "   | |____^",
        "16 |   line 16",
        "   |",
    ]


def test_a_place_outside_the_file_has_no_excerpt() -> None:
    assert excerpt("a\n", Span(2)) == []
    assert excerpt("", Span(1)) == []


def test_an_end_behind_the_file_is_the_last_line() -> None:
    assert excerpt("a\nb\n", Span(1, 1, 9, 1))[1:4] == [" 1 | / a", " 2 | | b", "   | |_^"]


def test_the_gutter_widens_with_the_numbers() -> None:
    assert excerpt("x\n" * 1000, Span(1000))[2] == "1000 | x"


def test_one_line_keeps_words_and_shows_what_is_hidden() -> None:
    assert one_line("  a\n b\tc ") == "a b c"
    assert one_line("a\x1b[31mb\u202ec\x00") == "a\\x1b[31mb\\u202ec\\x00"
    assert one_line("größer 行 \U0001f680") == "größer 行 \U0001f680"


def test_a_paragraph_is_wrapped_behind_its_label() -> None:
    wrapped = ["try: one two three four", "     five six"]
    assert paragraph("one two three four five six", 26, "try: ") == wrapped
    assert paragraph("short", 80, "try: ") == ["try: short"]
    assert paragraph("https://example.org/a-very-long-address", 20, "see: ") == [
        "see: https://example.org/a-very-long-address"
    ]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.22, "ratio", "22%"),
        (1 / 3, "ratio", "33.3%"),
        (49152.0, "byte", "48 KiB"),
        (32.0, "byte", "32 B"),
        (1555e9, "byte/s", "1.55 TB/s"),
        (19.5e12, "flop/s", "19.5 TFLOP/s"),
        (12.0, "count", "12"),
        (1234567.0, "count", "1,234,567"),
        (1234.5678, "ms", "1.23 s"),
        (0.05, "ms", "50 us"),
        (7.5, "flop/byte", "7.5 FLOP/byte"),
        (-3.0, "count", "-3"),
        (True, "truth", "yes"),
        (False, "truth", "no"),
        ("shared memory", "text", "shared memory"),
        (float("nan"), "count", "unknown"),
        (float("inf"), "byte", "unbounded"),
        (0.0, "ratio", "0%"),
    ],
)
def test_quantities_read_well(value: float | str | bool, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


def test_lists_in_sentences() -> None:
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_the_summary_counts_findings_files_and_problems() -> None:
    def finding(path: str) -> Finding:
        return Finding("r", path, Span(1), None, "warning", "low", "m")

    report = Report(
        "NVIDIA T4", [finding("a.py"), finding("a.py"), finding("b.py")], [Problem("c.py", 1, "no")]
    )
    assert summary_sentences(report) == [
        "Found 3 warnings in 2 files for NVIDIA T4.",
        "1 error: not everything could be checked.",
    ]
    partly = Report("NVIDIA T4", problems=[Problem("c.py", 1, "no", checked=True)])
    assert summary_sentences(partly) == [
        "No findings for NVIDIA T4.",
        "1 problem: checked with less evidence.",
    ]
    broken = Report("NVIDIA T4", problems=[Problem("c.py", 1, "no")])
    assert summary_sentences(broken) == [
        "No findings for NVIDIA T4 in what could be checked.",
        "1 error: not everything could be checked.",
    ]
    assert summary_sentences(Report("")) == ["No findings."]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environ", "color"),
    [
        ({}, True),
        ({"TERM": "xterm-256color"}, True),
        ({"NO_COLOR": ""}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colours_on_a_terminal(environ: dict[str, str], color: bool) -> None:
    assert options_for(Terminal(), environ=environ).color is color


def test_no_colours_and_a_fixed_width_elsewhere() -> None:
    assert options_for(io.StringIO(), statistics=True) == RenderOptions(
        width=100, color=False, statistics=True
    )


def test_the_width_is_the_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    assert options_for(Terminal()).width == 72
    monkeypatch.setenv("COLUMNS", "10")
    assert options_for(Terminal()).width == 40
