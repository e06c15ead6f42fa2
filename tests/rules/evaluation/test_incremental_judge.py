"""Verdicts on tables that change are those of a new judgement, and only what changed is judged again."""

from __future__ import annotations

import pytest
from effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_verdicts import World, tables_of, worlds
from random_rules import RandomRule, rules
from random_texts import book_of
from writing import load, tables

from advisor.model.errors import UsageError
from advisor.model.settings.config import RuleSetting
from advisor.rules import RuleSettings, judge
from advisor.rules.evaluation.incremental_judge import IncrementalJudge
from advisor.rules.evaluation.judgement import RuleJudge

RULE = """/// What it is about.
rule many-registers "Many sectors" {
  for each access a of kernel k
  when a.sectors > 4 sectors/request
  severity warning  confidence high  effort low
  say "{a.sectors} here."
  why "Sectors are moved whole."
  try "Use others."
  source "A guide" at "Sectors" url "https://example.org/guide"

  example fires "many" { a.sectors = 32 sectors/request }
  example silent "few" { a.sectors = 4 sectors/request }
}
"""


@settings(max_examples=examples(100), deadline=None)
@given(rules(), st.lists(worlds(), min_size=2, max_size=4))
def test_the_verdicts_are_those_of_a_new_judgement(rule: RandomRule, states: list[World]) -> None:
    book, kept = book_of(rule), IncrementalJudge()
    for world in states:
        expected = judge(book, tables_of(world, book))
        for _ in range(2):
            found = kept.judge(book, tables_of(world, book), RuleSettings())
            assert found.matches == expected.matches
            assert found.undecided == expected.undecided
            assert found.suppressed == expected.suppressed


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rules that are judged from now on."""
    seen: list[str] = []
    judged_now = RuleJudge.judge

    def note(self, *rest):
        seen.append(self.rule.id)
        return judged_now(self, *rest)

    monkeypatch.setattr(RuleJudge, "judge", note)
    return seen


def rows(sectors: float, guarded: bool = False):
    return ("kernel", "k", None, {}), ("access", "a", "k", {"sectors": sectors, "guarded": guarded})


@pytest.mark.parametrize(
    ("after", "count"),
    [(rows(8.0), 1), (rows(16.0), 2), (rows(8.0, guarded=True), 2), (rows(8.0)[:1], 2)],
    ids=["the same", "another number", "a number that it does not read", "no access"],
)
def test_a_rule_is_judged_again_where_a_table_that_it_names_differs(judged, after, count):
    book, kept = load(rule=RULE), IncrementalJudge()
    kept.judge(book, tables(book, *rows(8.0)), RuleSettings())
    kept.judge(book, tables(book, *after), RuleSettings())
    assert judged.count("many-registers") == count


def test_other_settings_and_another_rulebook_are_judged_again(judged):
    book, other, kept = load(rule=RULE), load(rule=RULE.replace("> 4", "> 9")), IncrementalJudge()
    state = rows(8.0)
    assert len(kept.judge(book, tables(book, *state), RuleSettings()).matches) == 1
    assert len(kept.judge(book, tables(book, *state), RuleSettings(device="a100")).matches) == 1
    assert kept.judge(other, tables(other, *state), RuleSettings(device="a100")).matches == []
    assert judged == ["many-registers"] * 3


def test_what_a_rule_finds_is_not_what_is_handed_out():
    book, kept = load(rule=RULE), IncrementalJudge()
    for _ in range(3):
        found = kept.judge(book, tables(book, *rows(8.0)), RuleSettings())
        assert len(found.matches) == 1
        found.matches.clear()


def test_settings_of_rules_that_do_not_exist_are_refused_each_time():
    book, kept = load(rule=RULE), IncrementalJudge()
    wrong = RuleSettings(config={"no-such-rule": RuleSetting()})
    for _ in range(2):
        with pytest.raises(UsageError, match="no-such-rule"):
            kept.judge(book, tables(book, *rows(8.0)), wrong)
