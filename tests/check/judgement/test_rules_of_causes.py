"""Which rules report which cause of the judged kernels: every cause and every rule has its entry."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path

from scoring import causes_of_rules

from advisor.check.rulebook import rulebook_for
from advisor.model.settings.config import Config

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DATA = Path(__file__).parents[2] / "data" / "judged_kernels"
CAUSES = tomllib.loads((DATA / "causes.toml").read_text("utf-8"))
FILE = DATA / "rules_of_causes.toml"
ENTRIES = tomllib.loads(FILE.read_text("utf-8"))
RULES = {rule.id: rule for rule in rulebook_for(Config(), cache=False).rules}
OTHER = list(chain(*ENTRIES["other"].values()))


def test_each_cause_has_rules_or_says_why_none_reports_it() -> None:
    assert set(ENTRIES["causes"]) == set(CAUSES)
    for cause, entry in ENTRIES["causes"].items():
        if isinstance(entry, list):
            assert entry == sorted(set(entry)) and entry, cause
        else:
            assert set(entry) == {"none"} and entry["none"].endswith("."), cause


def test_each_rule_reports_causes_or_is_listed_as_one_that_reports_none() -> None:
    reporting = set(causes_of_rules(FILE))
    assert sorted(reporting | set(OTHER)) == sorted(RULES)
    assert not reporting & set(OTHER)
    assert len(OTHER) == len(set(OTHER))


def test_the_other_rules_are_listed_by_category() -> None:
    for category, rules in ENTRIES["other"].items():
        assert {RULES[one].category for one in rules} == {category}


def test_what_a_rule_covers_by_its_own_words_is_a_cause_that_it_reports() -> None:
    causes = causes_of_rules(FILE)
    for rule in RULES.values():
        assert set(rule.patterns) & set(CAUSES) <= causes.get(rule.id, frozenset()), rule.id
