from dataclasses import replace

import pytest

from advisor.check.suppressions import Suppressions, apply_suppressions, parse_suppressions
from advisor.model.findings import Finding
from advisor.model.suppression_rules import load_suppression_rules
from advisor.model.text.source_text import SourceText, Span

KNOWN = ("spills", "slow-pow", "bank-conflict")


def parsed(text: str) -> Suppressions:
    return parse_suppressions(SourceText("k.py", text), KNOWN)


def finding(line: int, rule: str = "spills", end_line: int = 0) -> Finding:
    return Finding(rule, "k.py", Span(line, 1, end_line, 5), "k", "warning", "high", "message")


def silenced_lines(text: str, rule: str = "spills") -> list[int]:
    """The lines on which `rule` is silenced by the comments of `text`."""
    lines = range(1, text.count("\n") + 1)
    applied = apply_suppressions([finding(line, rule) for line in lines], {"k.py": parsed(text)}, KNOWN)
    return [item.span.line for item in applied.suppressed]


def remarks(text: str, *findings: Finding, evaluated: tuple[str, ...] = KNOWN) -> list[tuple[int, str, str]]:
    applied = apply_suppressions(findings, {"k.py": parsed(text)}, evaluated)
    return [(item.span.line, item.rule, item.message) for item in applied.remarks]


def test_behind_code_it_silences_that_line_only() -> None:
    assert silenced_lines("a = 1\nb = 2  # advisor: ignore[spills] twelve rows\nc = 3\n") == [2]


def test_other_rules_stay() -> None:
    text = "a = 1  # advisor: ignore[spills, slow-pow] small\n"
    assert silenced_lines(text, "slow-pow") == [1]
    assert silenced_lines(text, "bank-conflict") == []


def test_at_the_end_of_a_long_statement_it_silences_all_of_it_and_inside_one_line() -> None:
    assert silenced_lines("a = f(1,\n  2,\n  3)  # advisor: ignore[spills] small\nb = 1\n") == [1, 2, 3]
    assert silenced_lines("a = f(1,\n  2,  # advisor: ignore[spills] small\n  3)\n") == [2]


def test_alone_on_its_line_it_silences_the_next_statement() -> None:
    text = "a = 1\n# advisor: ignore[spills] small\n\n# a remark\nb = f(1,\n  2)\nc = 3\n"
    assert silenced_lines(text) == [5, 6]


def test_before_a_decorated_kernel_it_silences_decorators_and_head_but_not_the_body() -> None:
    text = "# advisor: ignore[spills] small\n@cuda.jit\n@other\ndef k(a,\n      b):\n    a[0] = 1\n"
    assert silenced_lines(text) == [2, 3, 4, 5]


def test_alone_inside_brackets_it_silences_the_next_line() -> None:
    assert silenced_lines("a = [\n  1,\n  # advisor: ignore[spills] small\n  2,\n  3,\n]\n") == [4]


def test_a_block_reaches_to_its_last_indented_line_with_else_branches() -> None:
    text = (
        "# advisor: ignore-block[spills] small\n"  # 1
        "if a:\n"  # 2
        "    b = 1\n"  # 3
        "\n"
        "    c = 1\n"  # 5
        "else:\n"  # 6
        "    b = 2\n"  # 7
        "d = 3\n"
    )
    assert silenced_lines(text) == [2, 3, 4, 5, 6, 7]


def test_a_block_of_a_nested_function_ends_with_it() -> None:
    text = (
        "def outer():\n"
        "    # advisor: ignore-block[spills] small\n"
        "    @cuda.jit\n"
        "    def k(a):\n"
        "        a[0] = 1\n"
        "    return k\n"
    )
    assert silenced_lines(text) == [3, 4, 5]


def test_a_file_is_silenced_from_its_top_before_or_after_the_docstring() -> None:
    assert silenced_lines("# advisor: ignore-file[spills] old\na = 1\nb = 2\n") == [1, 2, 3]
    assert silenced_lines('"""Doc."""\n# advisor: ignore-file[spills] old\na = 1\n') == [1, 2, 3]


@pytest.mark.parametrize(
    "text",
    [
        's = "# advisor: ignore[spills] in a string"\n',
        '"""\n# advisor: ignore[spills] in a docstring\n"""\n',
        "a = 1  # adviser: ignore[spills] another word\n",
        "# advisor: Prof. Smith\na = 1\n",
        "# see advisor: it is good\na = 1\n",
    ],
)
def test_what_is_no_suppression_silences_nothing_and_is_not_remarked(text: str) -> None:
    assert silenced_lines(text) == []
    assert remarks(text) == []


def test_it_may_stand_behind_another_comment_and_before_one() -> None:
    text = "a = 1  # noqa: E501 # advisor: ignore[spills] small # type: ignore\n"
    assert silenced_lines(text) == [1]
    assert parsed(text).items[0].reason == "small"


def test_a_finding_over_several_lines_is_silenced_from_any_of_them() -> None:
    text = "for i in x:\n    a = 1  # advisor: ignore[spills] small\n    b = 2\n"
    applied = apply_suppressions([finding(1, end_line=3)], {"k.py": parsed(text)}, KNOWN)
    assert (len(applied.kept), len(applied.suppressed), applied.remarks) == (0, 1, [])


def test_a_finding_that_ends_before_the_first_column_does_not_reach_that_line() -> None:
    text = "a = 1\nb = 2  # advisor: ignore[spills] small\n"
    before = replace(finding(1), span=Span(1, 1, 2, 1))
    assert len(apply_suppressions([before], {"k.py": parsed(text)}, KNOWN).kept) == 1


def test_a_suppression_without_effect_is_a_finding_at_its_comment() -> None:
    text = "a = 1\nb = 2  # advisor: ignore[spills, slow-pow] small\n"
    assert remarks(text, finding(2)) == [
        (2, "unused-suppression", "The suppression of `slow-pow` has no effect: the rule finds nothing here.")
    ]


def test_a_rule_that_was_not_evaluated_makes_no_suppression_unused() -> None:
    text = "b = 2  # advisor: ignore[spills, slow-pow] small\n"
    assert remarks(text, evaluated=("bank-conflict",)) == []
    assert [line[1] for line in remarks(text, evaluated=("spills",))] == ["unused-suppression"]


def test_an_unknown_rule_is_a_finding_with_a_suggestion_and_the_others_still_count() -> None:
    text = "a = 1  # advisor: ignore[spils, slow-pow] small\n"
    assert silenced_lines(text, "slow-pow") == [1]
    assert remarks(text, finding(1, "slow-pow")) == [
        (
            1,
            "unknown-suppression",
            "This suppression cannot be followed: there is no rule `spils`. Did you mean `spills`?",
        )
    ]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("a = 1  # advisor: ignore\n", "it names no rule."),
        ("a = 1  # advisor: ignore[] why\n", "it names no rule."),
        ("a = 1  # advisor: ingore[spills] why\n", "`ingore` is not known. Did you mean `ignore`?"),
        ("a = 1  # advisor: ignore-block[spills] why\n", "`ignore-block` must stand on a line of its own"),
        ("a = 1\n# advisor: ignore-file[spills] why\n", "`ignore-file` must stand on a line of its own"),
        ("a = 1  # advisor: ignore-file[spills] why\n", "`ignore-file` must stand on a line of its own"),
    ],
)
def test_what_cannot_be_followed_says_so_and_silences_nothing(text: str, cause: str) -> None:
    assert silenced_lines(text) == []
    ((_, rule, message),) = remarks(text)
    assert rule == "unknown-suppression"
    assert cause in message


def test_a_missing_reason_is_a_finding_of_its_own_and_the_suppression_works() -> None:
    text = "a = 1  # advisor: ignore[spills, slow-pow]\n"
    assert remarks(text, finding(1), finding(1, "slow-pow")) == [
        (1, "suppression-without-reason", "The suppression of `spills`, `slow-pow` gives no reason.")
    ]


def test_findings_about_suppressions_can_be_suppressed_and_that_can_be_unused() -> None:
    every = (*KNOWN, *load_suppression_rules())
    head = "# advisor: ignore-file[suppression-without-reason] imported code\n"
    assert remarks(head + "a = 1  # advisor: ignore[spills]\n", finding(2), evaluated=every) == []
    assert [line[:2] for line in remarks(head + "a = 1\n", evaluated=every)] == [(1, "unused-suppression")]


def test_another_file_is_not_touched() -> None:
    text = "a = 1  # advisor: ignore[spills] small\n"
    other = replace(finding(1), path="other.py")
    applied = apply_suppressions([other], {"k.py": parsed(text)}, KNOWN)
    assert applied.kept == [other]


def test_columns_point_at_the_comment() -> None:
    (item,) = parsed("é = 1  # advisor: ignore[spills] small\n").items
    assert item.span == Span(1, 8, 1, 39)


@pytest.mark.parametrize(
    "text", ["x = (\n# advisor: ignore[spills] a\n", "  y\n x # advisor: ignore[spills] a\n", ""]
)
def test_text_that_does_not_tokenize_is_read_as_far_as_it_goes(text: str) -> None:
    assert parsed(text).path == "k.py"


def test_windows_line_ends() -> None:
    assert silenced_lines("a = 1\r\nb = 2  # advisor: ignore[spills] small\r\n") == [2]
    assert parsed("b = 2  # advisor: ignore[spills] small\r\n").items[0].reason == "small"
