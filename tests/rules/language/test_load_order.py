"""Nothing depends on the order in which files are read: not what is loaded, not the errors, no verdict."""

from __future__ import annotations

import random
import re

from effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_verdicts import World, tables_of, worlds
from random_rules import RandomRule, rules
from random_texts import files
from spanless import without_spans
from writing import RULE, VOCABULARY, load, tables

from advisor.rules import Rulebook, RuleErrors, RuleSettings, judge, rulebook_from_texts

Files = list[tuple[str, str]]
_OVERRIDES = (
    'override {} {{ level info because "x" }}\n',
    'override {} for kernel "r*" {{ level error because "x" }}\n',
    'override {} for path "r*" {{ disable because "x" }}\n',
    'override {} for path "a*" {{ level error because "x" }}\n',
    'override {} for device "a*" {{ level warning because "x" }}\n',
    'override {} for kernel "a*" {{ disable because "x" }}\n',
    'suppress {} where true because "x"\n',
)
# Mistakes beside the rules, some of them of two files together.
_MISTAKES: Files = [
    ("pack/a.rules", 'metric one : count of kernel k "x" = k.two + 1\n'),
    ("pack/b.rules", 'metric two : count of kernel k "x" = k.one + 1\n'),
    ("pack/c.rules", 'override one-rule { level info because "y" }\n'),
    ("pack/d.rules", 'override one-rule { level warning because "y" }\n'),
    ("pack/e.rules", 'override no-rule { level warning because "y" }\n'),
    ("pack/f.rules", 'metric three : count of kernle k "x" = 1\n'),
    ("pack/g.rules", "define d9(x) = x.debgu\n"),
]


def content(book: Rulebook) -> tuple[object, ...]:
    """What is in a rulebook, in an order of its own."""
    parts = (
        book.rules, book.metrics.items(), book.entities.items(), book.overrides, book.suppressions,
        book.renamed.items(), book.retired.items(), book.definitions,
    )  # fmt: skip
    return tuple(sorted(repr(one) for one in part) for part in parts)


def outcome(given_files: Files) -> object:
    try:
        return content(rulebook_from_texts(given_files))
    except RuleErrors as found:
        return {(one.code, one.path, one.span, one.sentence, one.help) for one in found.errors}


def verdicts(book: Rulebook, world: World) -> object:
    found = judge(book, tables_of(world, book), settings=RuleSettings(device="a100"))
    matches = sorted((match.rule.id, match.row, match.severity, match.say) for match in found.matches)
    return matches, sorted((one.rule, one.places) for one in found.undecided), found.suppressed


@settings(max_examples=examples(60), deadline=None)
@given(
    rules(), rules(named=False), worlds(), st.sets(st.sampled_from(_OVERRIDES)),
    st.lists(st.sampled_from(_MISTAKES), unique=True), st.integers(0, 1 << 32),
)  # fmt: skip
def test_any_order_of_files(
    one: RandomRule,
    other: RandomRule,
    world: World,
    changes: set[str],
    mistakes: set[tuple[str, str]],
    seed: int,
) -> None:
    chance = random.Random(seed)
    written = [*files(one, "one-rule"), files(other, "other-rule")[2]]
    for at, change in enumerate(sorted(changes)):
        written.append((f"pack/change{at}.rules", change.format(chance.choice(("one-rule", "other-rule")))))
    mixed = chance.sample(written, len(written))
    assert outcome(mixed) == outcome(written)
    assert verdicts(rulebook_from_texts(mixed), world) == verdicts(rulebook_from_texts(written), world)
    wrong = [*written, *sorted(mistakes)]
    assert outcome(chance.sample(wrong, len(wrong))) == outcome(wrong)


def test_changes_that_are_as_specific_hold_in_one_order() -> None:
    parts = [
        'override many-registers for path "a.py" { level info because "x" }\n',
        'override many-registers for kernel "a.py" { level error because "x" }\n',
    ]
    found = set()
    for texts in (parts, parts[::-1]):
        book = load(more="".join(texts))
        (match,) = judge(book, tables(book, ("kernel", "a.py", None, {"registers": 200.0}))).matches
        found.add(match.severity)
    assert len(found) == 1


def test_a_cycle_is_told_once_at_its_first_place() -> None:
    written = [("metrics/words.rules", VOCABULARY), *_MISTAKES[:2]]
    for given_files in (written, written[::-1]):
        try:
            rulebook_from_texts(given_files)
        except RuleErrors as found:
            assert [(one.code, one.path) for one in found.errors] == [("E320", "pack/a.rules")]
        else:
            raise AssertionError("the cycle was not told of")


def test_two_renamings_of_one_rule_are_told_of_in_any_order() -> None:
    more = RULE.replace("many-registers", "more-registers")
    written = [
        ("metrics/words.rules", VOCABULARY), ("pack/many-registers.rules", RULE),
        ("pack/more-registers.rules", more), ("pack/x.rules", "renamed old-rule to many-registers\n"),
        ("pack/y.rules", "renamed old-rule to more-registers\n"),
    ]  # fmt: skip
    for given_files in (written, written[::-1]):
        try:
            rulebook_from_texts(given_files)
        except RuleErrors as found:
            assert [one.code for one in found.errors] == ["E303"]
        else:
            raise AssertionError("the second renaming was not told of")


def test_a_suppression_follows_a_renaming() -> None:
    more = 'renamed old-rule to many-registers\nsuppress old-rule where k.debug because "x"\n'
    book = load(more=more)
    row = ("kernel", "k", None, {"registers": 200.0, "debug": True})
    assert judge(book, tables(book, row)).suppressed == 1
    assert not re.search("old-rule", without_spans(book.suppressions))
