"""`doubt condition`: the rule fires, but is not sure: what it tells is a remark."""

from __future__ import annotations

from writing import load, tables

from advisor.model.findings import Finding, without_repetitions
from advisor.model.text.source_text import Span
from advisor.rules import RuleSettings
from advisor.rules.evaluation.judgement import judge
from advisor.rules.evaluation.trace import traces
from advisor.rules.formatting import format_text
from advisor.rules.testing.coverage import cover, share_killed
from advisor.rules.testing.examples import run_examples
from advisor.rules.testing.mutants import mutants

DOUBT = ("  severity", '  doubt k.share < 10% because "others take the time"\n\n  severity')
RARE = ("  example silent", '  example info "rare" { k.registers = 200, k.share = 9% }\n  example silent')
OFTEN = (
    "  example silent",
    '  example fires "often" { k.registers = 200, k.share = 10% }\n'
    '  example fires "just above the double" { k.registers = 200, k.share = 19% }\n  example silent',
)


def severities(*changes, **values):
    book = load(*changes)
    found = judge(book, tables(book, ("kernel", "k", None, {"registers": 200.0, **values})))
    return [match.severity for match in found.matches]


def test_where_it_holds_the_finding_is_a_remark():
    assert severities(DOUBT, share=0.05) == ["info"]
    assert severities(DOUBT, share=0.1) == ["warning"]


def test_the_finding_says_why():
    book = load(DOUBT)
    rare = tables(book, ("kernel", "k", None, {"registers": 200.0, "share": 0.05}))
    (match,) = judge(book, rare).matches
    assert match.assumptions == ("Info only: others take the time.",)
    quiet = load(DOUBT, ("severity warning", "severity info"))
    (match,) = judge(quiet, rare).matches
    assert match.assumptions == ()


def test_what_is_not_known_lowers_nothing():
    assert severities(DOUBT) == ["warning"]


def test_where_the_rule_is_silent_nothing_is_told():
    assert severities(DOUBT, registers=30.0, share=0.05) == []


def test_an_error_becomes_a_remark_too():
    assert severities(DOUBT, ("severity warning", "severity error"), share=0.05) == ["info"]


def test_examples_tell_a_remark_from_a_finding():
    assert run_examples(load(DOUBT, RARE)) == []
    loud = RARE[1].replace("example info", "example fires")
    (failure,) = run_examples(load(DOUBT, (RARE[0], loud)))
    assert str(failure) == 'many-registers: the example "rare" should be fires, but the rule is info.'


def test_mutants_of_the_condition_are_killed_by_examples_on_both_sides():
    (rule,) = load(DOUBT, RARE).rules
    sentences = [one.sentence for one in mutants(rule)]
    assert "without `doubt k.share < 10%`" in sentences
    assert "with the opposite of `k.share < 10%`" in sentences
    book = load(DOUBT, RARE, OFTEN)
    (covered,) = cover(book, book.rules)
    assert [one.sentence for one in covered.surviving if "share" in one.sentence] == []
    unguarded = load(DOUBT)
    assert share_killed([covered]) > share_killed(cover(unguarded, unguarded.rules))


def test_the_metric_counts_as_used_and_the_reason_is_kept():
    (rule,) = load(DOUBT).rules
    assert rule.metrics_used == ("kernel.registers", "kernel.share")
    assert rule.doubts[0].reason == "others take the time"


def test_why_shows_it_beside_the_exceptions():
    book = load(DOUBT)
    built = tables(book, ("kernel", "k", None, {"registers": 200.0, "share": 0.05}))
    (found,) = traces(book, book.rules[0], built, "k", RuleSettings())
    assert found.verdict == "info"
    assert [(step.text, step.answer, step.doubt) for step in found.steps] == [
        ("k.registers > most", "yes", False),
        ("k.share < 10%", "yes", True),
    ]
    assert found.changes == (("`k.registers` were at most 128 (it is 200)",),)


def test_the_formatter_puts_it_below_the_exceptions():
    clauses = 'when k.debug unless k.share>1 doubt k.share<10% because "x"'
    text = f'/// a\nrule a "A" {{ for each kernel k {clauses}\n}}\n'
    lines = format_text("a.rules", text).splitlines()
    assert '  doubt k.share < 10% because "x"' in lines
    assert lines.index('  doubt k.share < 10% because "x"') == lines.index("  unless k.share > 1") + 1


def test_a_condition_behind_a_long_description_has_its_own_line():
    begin = f'metric odd : truth of kernel k "{"long " * 20}" = k.registers > 3'
    short = f"{begin} and k.debug\n"
    head, tail = short.split(" = ")
    assert format_text("a.rules", short) == f"{head} =\n    {tail}"
    assert format_text("a.rules", f"{head} =\n    {tail}") == f"{head} =\n    {tail}"
    many = " or ".join(f"k.registers = {number}" for number in range(8))
    lines = format_text("a.rules", f"{head} = {many}\n").splitlines()
    assert lines[1:] == ["    k.registers = 0", *(f" or k.registers = {number}" for number in range(1, 8))]


def test_of_several_in_one_line_the_weightiest_is_told():
    kinds = ["info", "warning", "info", "warning"]
    every = [
        Finding("a", "a.py", Span(3, column), "k", kind, "high", str(column))
        for column, kind in enumerate(kinds, 1)
    ]
    other = Finding("b", "a.py", Span(3, 9), "k", "info", "high", "other")
    assert [one.message for one in without_repetitions([*every, other])] == ["2", "other"]
