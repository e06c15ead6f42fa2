"""`except`: an exception that several rules share is each rule's own."""

from __future__ import annotations

import pytest
from writing import RULE, errors, load, tables

from advisor.rules import rulebook_from_texts
from advisor.rules.evaluation.judgement import judge
from advisor.rules.formatting import format_text
from advisor.rules.testing.examples import run_examples
from advisor.rules.testing.mutants import mutants

SHARED = 'except many-registers for kernel one when one.debug because "it is a debug build"\n'
UNNAMED = 'except many-registers for one when one.debug because "it is a debug build"\n'
DEBUG = (
    "  example silent",
    '  example silent "debug" { k.registers = 200, k.debug = true }\n  example silent',
)


def fires(book, **values):
    return len(judge(book, tables(book, ("kernel", "k", None, {"registers": 200.0, **values}))).matches)


@pytest.mark.parametrize("more", [SHARED, UNNAMED])
def test_the_rule_is_silent_where_the_exception_holds(more):
    book = load(more=more)
    assert fires(book, debug=True) == 0
    assert fires(book, debug=False) == 1


def test_it_is_like_a_clause_of_the_rule():
    shared = load(DEBUG, more=SHARED)
    own = load(DEBUG, ("\n  severity", '  unless k.debug because "it is a debug build"\n\n  severity'))
    assert run_examples(shared) == run_examples(own) == []
    (ours,), (theirs,) = shared.rules, own.rules
    assert [one.reason for one in ours.unless] == [one.reason for one in theirs.unless]
    assert ours.metrics_used == theirs.metrics_used
    assert {one.sentence for one in mutants(ours)} == {one.sentence for one in mutants(theirs)}


def test_an_exception_that_cannot_be_checked_is_said_with_the_finding():
    book = load(more=SHARED)
    (match,) = judge(book, tables(book, ("kernel", "k", None, {"registers": 200.0}))).matches
    assert "it is a debug build" in " ".join(match.assumptions)


def test_each_of_the_rules_has_it_in_its_own_variable():
    other = RULE.replace("many-registers", "other").replace("kernel k", "kernel x").replace("k.", "x.")
    other = other.replace("{x.registers}", "{x.registers}")
    both = SHARED.replace("many-registers", "many-registers, other")
    book = load(more=other + both)
    assert fires(book, debug=True) == 0
    assert fires(book, debug=False) == 2


def test_an_owner_is_found_through_the_entity():
    on_access = """rule close "Close" {
  for each access a of kernel k
  when a.sectors > 4 sectors/request
  severity info  confidence low  effort low
  say "{a.sectors}" why "It is." try "Do." source "A guide"
  example fires "many" { a.sectors = 8 sectors/request }
  example silent "few" { a.sectors = 4 sectors/request }
  example silent "debug" { a.sectors = 8 sectors/request, k.debug = true }
}
"""
    shared = 'except close for kernel k when k.debug because "debug"\n'
    assert run_examples(load(more=on_access + shared)) == []


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (SHARED.replace("many-registers", "many-register"), "E314"),
        (SHARED.replace("for kernel", "for kernle"), "E204"),
        (SHARED.replace("for kernel", "for access"), "E332"),
        (SHARED.replace("one.debug", "one.debugging"), "E201"),
        (UNNAMED.replace("one.debug", "other.debug"), "E205"),
        (SHARED.replace("one.debug", "one.registers"), "E208"),
        (SHARED.replace("many-registers", "many-registers, many-registers"), "E333"),
        (SHARED.replace(' because "it is a debug build"', ""), "E109"),
    ],
)
def test_errors_stand_at_the_item(more, code):
    found = errors(more=more)
    assert [(one.code, one.path, one.span.line) for one in found] == [(code, "pack/more.rules", 1)]


def test_a_wrong_condition_is_one_error_however_many_rules_share_it():
    other = RULE.replace("many-registers", "other")
    both = SHARED.replace("many-registers", "many-registers, other").replace("one.debug", "one.debugging")
    assert [one.code for one in errors(more=other + both)] == ["E201"]


def test_the_exception_of_a_rule_with_errors_is_no_further_error():
    assert [one.code for one in errors(("k.registers > most", "k.register > most"), more=SHARED)] == ["E201"]


def test_several_rules_stand_on_lines_of_their_own():
    written = 'except b-rule,a-rule for kernel k when k.in_test because "tests"\n'
    formatted = 'except\n  b-rule,\n  a-rule\n  for kernel k when k.in_test because "tests"\n'
    assert format_text("x.rules", written) == formatted
    assert format_text("x.rules", formatted) == formatted


def test_packs_give_exceptions_to_rules_of_others():
    files = [("rules/registers/many-registers.rules", RULE), ("house/exceptions.rules", SHARED)]
    from writing import VOCABULARY

    book = rulebook_from_texts([("v.rules", VOCABULARY), *files])
    assert fires(book, debug=True) == 0
