"""Why and why not: the parts of a condition with their values, and the least change to another verdict."""

from __future__ import annotations

import pytest
from writing import CONDITION, load, tables

from advisor.rules import RuleSettings
from advisor.rules.evaluation.trace import traces

WIDE = (CONDITION, "k.registers > most and (k.share < 30% or k.debug)")
EXCEPT = ("  severity", '  unless k.spilled > 2 KiB because "x"\n\n  severity')


def trace(*changes, **values):
    book = load(*changes)
    built = tables(book, ("kernel", "k", None, values))
    (found,) = traces(book, book.rules[0], built, "k", RuleSettings())
    return found


def answers(found):
    return [(step.answer, step.text) for step in found.steps]


def test_a_rule_that_fires():
    found = trace(WIDE, EXCEPT, registers=200.0, share=0.1, debug=False, spilled=0.0)
    assert found.verdict == "fires"
    assert answers(found) == [
        ("yes", "k.registers > most"),
        ("yes", "k.share < 30% or k.debug"),
        ("no", "k.spilled > 2 KiB"),
    ]
    first, second, third = found.steps
    assert [(value.name, value.shown, value.source) for value in first.values] == [
        ("k.registers", "200", "source"),
        ("most", "128", "parameter"),
    ]
    assert [(part.answer, part.text) for part in second.parts] == [
        ("yes", "k.share < 30%"),
        ("no", "k.debug"),
    ]
    assert third.exception
    assert found.changes == (
        ("`k.registers` were at most 128 (it is 200)",),
        ("`k.share` were at least 30% (it is 10%)",),
        ("`k.spilled` were above 2 KiB (it is 0 B)",),
    )


def test_what_may_be_more_is_shown_as_an_interval():
    book = load()
    built = tables(book, ("kernel", "k", None, {"registers": 200.0, "spilled": 0.0}))
    built["kernel"].columns["registers"].most[0] = 220.0
    (found,) = traces(book, book.rules[0], built, "k", RuleSettings())
    shown = {value.name: value.shown for step in found.steps for value in step.values}
    assert (shown["k.registers"], shown["most"]) == ("200 to 220", "128")


CHANGES = [
    ({"registers": 100.0, "share": 0.1}, [("`k.registers` were above 128 (it is 100)",)]),
    (
        {"registers": 200.0, "share": 0.5, "debug": False},
        [("`k.share` were below 30% (it is 50%)",), ("`k.debug` were true",)],
    ),
    (
        {"registers": 100.0, "share": 0.5, "debug": False},
        [
            ("`k.registers` were above 128 (it is 100)", "`k.share` were below 30% (it is 50%)"),
            ("`k.registers` were above 128 (it is 100)", "`k.debug` were true"),
        ],
    ),
]


@pytest.mark.parametrize(("values", "changes"), CHANGES)
def test_the_least_changes_that_would_make_it_fire(values, changes):
    found = trace(WIDE, **values)
    assert found.verdict == "silent"
    assert list(found.changes) == changes


def test_what_is_unknown_is_named():
    found = trace(WIDE, registers=200.0)
    assert found.verdict == "unknown"
    assert answers(found)[1][0] == "unknown"
    assert found.changes[0] == ("`k.share` were below 30% (it is unknown)",)


def test_an_exception_that_holds():
    found = trace(EXCEPT, registers=200.0, spilled=4096.0)
    assert found.verdict == "silent"
    assert found.changes == (("`k.spilled` were at most 2 KiB (it is 4 KiB)",),)


def test_no_change_beyond_the_range_of_a_metric():
    # Registers end at 255, so only the share can change.
    found = trace((CONDITION, "(k.registers > 2 * most or k.share > 50%)"), registers=1.0, share=0.1)
    assert found.changes == (("`k.share` were above 50% (it is 10%)",),)


def test_lets_and_texts():
    change = (
        "\n  when k.registers > most",
        '\n  let high = k.registers > most\n\n  when high and k.limiter = "warps"',
    )
    found = trace(change, registers=100.0, limiter="blocks")
    assert answers(found) == [("no", "k.registers > most"), ("no", 'k.limiter = "warps"')]
    assert found.changes[0] == (
        "`k.registers` were above 128 (it is 100)",
        '`k.limiter` were "warps" (it is "blocks")',
    )


def test_other_kernels_are_left_out():
    book = load()
    built = tables(
        book, ("kernel", "k", None, {"registers": 200.0}), ("kernel", "other", None, {"registers": 3.0})
    )
    assert [found.label for found in traces(book, book.rules[0], built, "other", RuleSettings())] == ["other"]
    assert traces(book, book.rules[0], built, "none", RuleSettings()) == []
