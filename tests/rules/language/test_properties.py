"""What must hold of every rule: columns say what plain logic says, and text is the same as what it means."""

from __future__ import annotations

import pickle
import re
from random import Random

from effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_verdicts import Plain, World, tables_of, worlds
from random_rules import RandomRule, rules
from random_texts import book_of, files, rule_text
from spanless import without_spans

from advisor.rules import RuleSettings, judge, rulebook_from_texts
from advisor.rules.evaluation.columns import View
from advisor.rules.evaluation.judgement import RuleJudge
from advisor.rules.formatting import format_text
from advisor.rules.language.written_form import written
from advisor.rules.model import Rule, Rulebook
from advisor.rules.testing.mutants import mutants


def verdicts(book: Rulebook, rule: Rule, world: World) -> list[str]:
    """The verdict on each row of the rule's entity."""
    tables = tables_of(world, book)
    if rule.entity not in tables:
        return []
    view = View(tables, dict(rule.variables), book.owner_entity())
    if not len(view):
        return []
    true, possible = RuleJudge(book, rule, RuleSettings()).masks(view)
    return ["fires" if t else "unknown" if p else "silent" for t, p in zip(true, possible, strict=True)]


def expected(rule: RandomRule, world: World) -> list[str]:
    return [Plain(rule, world).verdict(row) for row in world.of(rule.variables[0][1])]


@settings(max_examples=examples(400), deadline=None)
@given(rules(), worlds())
def test_columns_say_what_plain_logic_says(rule: RandomRule, world: World) -> None:
    book = book_of(rule)
    plain = expected(rule, world)
    assert verdicts(book, book.rules[0], world) == plain
    found = judge(book, tables_of(world, book))
    assert [match.row for match in found.matches] == [
        row for row, verdict in enumerate(plain) if verdict == "fires"
    ]
    if rule.variables[0][1] not in world.unseen:
        assert sum(one.places for one in found.undecided) == plain.count("unknown")


@settings(max_examples=examples(150), deadline=None)
@given(rules())
def test_what_is_written_is_read_as_the_same(rule: RandomRule) -> None:
    (read,) = book_of(rule).rules
    text = f"when {written(read.when)}\n" + "".join(
        f'unless {written(one.condition)} because "of chance"\n' for one in read.unless
    )
    before = rule_text(rule)
    start, end = before.index("  when"), before.index("  severity")
    lets = "".join(f"  let {name} = {written(value)}\n" for name, value in read.lets)
    start = before.index("  let") if rule.lets else start
    again = before[:start] + lets + text + before[end:]
    (other,) = rulebook_from_texts([*files(rule)[:2], (read.path, again)]).rules
    assert without_spans(other) == without_spans(read)


@settings(max_examples=examples(100), deadline=None)
@given(rules())
def test_the_form_is_settled_and_keeps_the_meaning(rule: RandomRule) -> None:
    given_files = files(rule)
    formatted = [(path, format_text(path, text)) for path, text in given_files]
    assert [(path, format_text(path, text)) for path, text in formatted] == formatted
    assert without_spans(rulebook_from_texts(formatted)) == without_spans(rulebook_from_texts(given_files))


@settings(max_examples=examples(60), deadline=None)
@given(rules(), st.randoms(use_true_random=False))
def test_line_breaks_in_conditions_do_not_change_the_form(rule: RandomRule, chance: Random) -> None:
    def broken(match: re.Match[str]) -> str:
        before, behind = (chance.choice((" ", "\n", "\n\t ")) for _ in range(2))
        return f"{before}{match[1]}{behind}"

    for path, text in files(rule)[1:]:
        otherwise = re.sub(r" (and|or|=|<|>|\+|of) ", broken, text)
        assert format_text(path, otherwise) == format_text(path, text)


@settings(max_examples=examples(60), deadline=None)
@given(rules())
def test_a_kept_rulebook_is_the_same(rule: RandomRule) -> None:
    book = book_of(rule)
    assert pickle.loads(pickle.dumps(book, pickle.HIGHEST_PROTOCOL)) == book


@settings(max_examples=examples(60), deadline=None)
@given(rules(), worlds())
def test_mutants_can_be_judged(rule: RandomRule, world: World) -> None:
    book = book_of(rule)
    for mutant in mutants(book.rules[0]):
        assert mutant.sentence
        assert len(verdicts(book, mutant.rule, world)) == len(world.of(rule.variables[0][1]))
