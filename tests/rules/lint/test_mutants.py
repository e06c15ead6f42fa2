"""Mutants: one change each, named in words, killed where an example stands at the place."""

from __future__ import annotations

from writing import CONDITION, load

from advisor.rules.testing.coverage import cover, share_killed
from advisor.rules.testing.mutants import mutants

WIDER = (CONDITION, "k.registers > most and not k.debug")


def sentences(*changes):
    return [mutant.sentence for mutant in mutants(load(*changes).rules[0])]


def test_a_single_comparison():
    assert sentences() == [
        "with the opposite of `k.registers > most`",
        "with `most` half as large, 64",
        "with `most` twice as large, 256",
    ]


def test_parts_exceptions_and_truth_values():
    exception = ("  severity", '  unless k.share > 50% because "x"\n\n  severity')
    assert sentences(WIDER, exception) == [
        "without `k.registers > most`",
        "without `not k.debug`",
        "with the opposite of `k.registers > most`",
        "with `k.debug` for its opposite",
        "without `unless k.share > 50%`",
        "with the opposite of `k.share > 50%`",
        "with `most` half as large, 64",
        "with `most` twice as large, 256",
    ]


def test_quantifiers_and_brackets():
    change = (CONDITION, 'k.registers > most and some access a of k has (a.guarded and a.space = "global")')
    inner = 'some access a of k has (a.guarded and a.space = "global")'
    found = sentences(change)
    assert f"with the opposite of `{inner}`" in found
    assert "without `a.guarded`" in found
    assert 'with the opposite of `a.space = "global"`' in found


def test_half_of_one_loop_is_none():
    change = ("most = 128 range 32 .. 255", "most = 1 range 0 .. 255")
    assert sentences(change)[1:] == ["with `most` half as large, 0", "with `most` twice as large, 2"]


def covered(*changes):
    book = load(*changes)
    (found,) = cover(book, book.rules)
    return found


def test_examples_far_from_the_threshold_notice_little():
    found = covered()
    # 200 and 32 registers do not notice that 64 stands for 128; 256 lies above both.
    assert [mutant.sentence for mutant in found.surviving] == ["with `most` half as large, 64"]
    assert (found.mutants, found.killed) == (3, 2)
    assert share_killed([found]) == 2 / 3


def test_examples_at_the_threshold_notice_all():
    near = (
        "{ k.registers = 32 }",
        '{ k.registers = 128 }\n  example fires "just above" { k.registers = 129 }',
    )
    assert covered(near).surviving == []


def test_a_rule_whose_examples_fail_has_no_mutants():
    found = covered(("{ k.registers = 200 }", "{ k.registers = 20 }"))
    assert [str(failure) for failure in found.failures] == [
        'many-registers: the example "many" should be fires, but the rule is silent.'
    ]
    assert (found.mutants, found.surviving) == (0, [])
