"""`without count -> value`: which counts of a launch a rule's remedy changes, and to what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writing import codes, errors, tables

from advisor.evidence.metrics.tables import Tables
from advisor.model.remedies import CountChange
from advisor.rules import Rulebook, RuleErrors, rulebook_from_texts
from advisor.rules.evaluation.judgement import judge
from advisor.rules.formatting import format_text
from advisor.rules.language.written_form import written

WORDS = """edition 1
entity run "One run." { total : ms range 0 .. "time" }
entity kernel of run "One kernel." {
  registers         : count range 0 .. 255 "registers"
  registers_to_step : count range 0 .. 255 "registers to save"
  fp64_instructions : count range 0 .. "float64"
  issue_slots       : count range 0 .. "all"
  name              : text "its name"
}
entity access of kernel "One access." {
  array : text "its array"
  kind : text "load, store or update"
  sectors_per_request : sectors/request range 1 .. 32 "sectors"
  ideal_sectors_per_request : sectors/request range 1 .. 32 "ideal sectors"
  requests : count range 0 .. "requests"
  sector_share : ratio range 0 .. 1 "its part"
  request_share : ratio range 0 .. 1 "its part"
}
"""
RULE = """/// What it is about.
rule many-sectors "Many sectors" {{
  for each access a of kernel k
  when a.sectors_per_request > 4 sectors/request

  severity warning  confidence high  effort low
  say "It takes {{a.sectors_per_request}}."
  why "They are apart."
  try "Put them together."
{without}
  source "A guide" at "Sectors" url "https://example.org/guide"

  example fires "many" {{ a.sectors_per_request = 32 sectors/request }}
  example silent "few" {{ a.sectors_per_request = 4 sectors/request }}
}}
"""
IDEAL = "  without a.sectors_per_request -> a.ideal_sectors_per_request"
ACCESS = {
    "array": "image", "kind": "load", "sectors_per_request": 32.0, "ideal_sectors_per_request": 4.0,
    "sector_share": 0.8, "request_share": 0.5,
}  # fmt: skip


def book(*without: str) -> Rulebook:
    text = RULE.format(without="\n".join(without))
    return rulebook_from_texts([("metrics/words.rules", WORDS), ("memory/many-sectors.rules", text)])


def of_access(rules: Rulebook, kernel=None, **values) -> Tables:
    access = {name: value for name, value in {**ACCESS, **values}.items() if value is not None}
    return tables(rules, ("kernel", "k", None, kernel or {}), ("access", "a", "k", access))


def changes(*without, kernel=None, **values):
    rules = book(*without)
    (match,) = judge(rules, of_access(rules, kernel, **values)).matches
    return match.changes


def test_a_stream_of_32_sectors_to_4_keeps_an_eighth_of_its_part_of_the_sectors():
    (one,) = changes(IDEAL)
    assert one == CountChange("sectors", 4 / 32, (0.8, 0.8), "load", "a.py:2:image:load")


def test_where_a_number_is_missing_nothing_is_said():
    assert changes(IDEAL, ideal_sectors_per_request=None) is None
    assert changes(IDEAL, sector_share=None) is None
    assert changes(IDEAL, "  without k.fp64_instructions -> 3") is None


def test_a_rule_without_the_clause_changes_nothing():
    assert changes() == ()
    assert changes('  without nothing because "no count has it"') == ()


def test_the_part_may_lie_within_bounds():
    rules = book(IDEAL)
    built = of_access(rules)
    built["access"].columns["sector_share"].most[0] = 0.9
    (match,) = judge(rules, built).matches
    assert match.changes[0].share == (0.8, 0.9)


def test_an_access_that_is_no_more_is_of_no_request_and_no_sector():
    requests, sectors = changes("  without a.requests -> 0")
    assert (requests.count, requests.after, requests.share) == ("requests", 0.0, (0.5, 0.5))
    assert (sectors.count, sectors.after, sectors.share) == ("sectors", 0.0, (0.8, 0.8))


def test_a_part_of_a_count_need_not_know_the_count():
    for text in ("90% of k.issue_slots", "k.issue_slots * 0.9", "(0.9 * k.issue_slots)"):
        (one,) = changes(f"  without k.issue_slots -> {text}")
        assert (one.count, one.after, one.share) == ("instructions", pytest.approx(0.9), (1.0, 1.0))
    assert changes("  without k.issue_slots -> k.issue_slots - 3") is None
    (one,) = changes("  without k.issue_slots -> k.issue_slots - 3", kernel={"issue_slots": 30.0})
    assert one.after == 0.9


def test_what_a_block_is_made_of_is_given_by_its_value():
    clause = "  without k.registers -> k.registers - k.registers_to_step"
    (one,) = changes(clause, kernel={"registers": 70.0, "registers_to_step": 6.0})
    assert (one.count, one.after) == ("registers", 64.0)
    assert changes(clause) is None


def test_nothing_becomes_less_than_nothing():
    assert changes("  without k.registers -> k.registers - 71", kernel={"registers": 70.0}) is None


def test_only_counts_that_the_time_is_made_of_can_change():
    with pytest.raises(RuleErrors) as found:
        book("  without a.sector_share -> 10%")
    assert codes(found.value.errors) == ["E334"]


def test_several_clauses_hold_together():
    several = changes(IDEAL, "  without k.fp64_instructions -> 0", kernel={"fp64_instructions": 9.0})
    assert [(one.count, one.after) for one in several] == [("sectors", 0.125), ("fp64", 0.0)]


def test_a_clause_that_cannot_be_read_is_one_error():
    for text in ("k.registers", "k.registers -> ", "-> 3", "k.registers = 3", "nothing", "registers -> 3"):
        found = codes(errors(("  source", f"  without {text}\n  source")))
        assert len(found) == 1, text


def test_the_formatter_knows_it():
    text = (
        '/// a\nrule a "A" { for each kernel k when k.debug\n'
        'try "b" without k.registers->k.registers-  3 without nothing because"x" }\n'
    )
    lines = format_text("a.rules", text).splitlines()
    assert "  without k.registers -> k.registers - 3" in lines
    assert '  without nothing because "x"' in lines


SUMS = st.recursive(
    st.sampled_from(["k.registers", "3", "k.registers_to_step", "2.5"]),
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda one: f"({' '.join(one)})"),
    max_leaves=6,
)


@given(SUMS)
def test_any_number_is_read_and_formatted_to_the_same(value):
    rules = book(f"  without k.registers -> {value}")
    (rule,) = rules.rules
    (after,) = rule.without
    assert written(after.count) == "k.registers"
    again = format_text("a.rules", RULE.format(without=f"  without k.registers -> {written(after.value)}"))
    (same,) = rulebook_from_texts(
        [("metrics/words.rules", WORDS), ("memory/many-sectors.rules", again)]
    ).rules
    assert written(same.without[0].value) == written(after.value)
