"""Each construct of the language, read into the model."""

from __future__ import annotations

import pytest
from writing import CONDITION, RULE, codes, errors, load

from advisor.rules import RuleErrors, rulebook_from_texts
from advisor.rules.language.expressions import Number, Operation, Quantified, Reference
from advisor.rules.language.syntax import Reader
from advisor.rules.language.written_form import written


def condition(text: str):
    return load((CONDITION, f"{text} and k.registers > most")).rules[0].when.operands[0]


def test_the_clauses_of_a_rule():
    (rule,) = load().rules
    assert (rule.id, rule.title, rule.category) == ("many-registers", "Many registers", "occupancy")
    assert rule.doc == "What it is about."
    assert dict(rule.variables) == {"k": "kernel"}
    (param,) = rule.params
    assert (param.name, param.value, param.low, param.high) == ("most", 128, 32, 255)
    assert (rule.severity, rule.confidence, rule.effort) == ("warning", "high", "low")
    assert rule.severity_when_assumed is None
    assert rule.advice == ("Split the kernel.",)
    (source,) = rule.sources
    assert (source.text, source.at, source.url) == ("A guide", "Registers", "https://example.org/guide")
    assert [example.verdict for example in rule.examples] == ["fires", "silent"]
    assert isinstance(rule.when, Operation)
    assert rule.when.operator == ">"


def test_clauses_that_a_rule_may_have():
    (rule,) = load(
        ("severity warning", "severity warning, info when assumed"),
        ("effort low", "effort low\n  covers pow_slow, divergence\n  see other-rule"),
        (
            "  say",
            '  let double = 2 * k.registers\n  unless double < 300 and k.debug because "slow anyway"\n  say',
        ),
        ("  try", '  gain at most k.share\n  fix "Split it" needs review\n  try'),
    ).rules
    assert rule.severity_when_assumed == "info"
    assert rule.patterns == ("pow_slow", "divergence")
    assert rule.see == ("other-rule",)
    assert rule.unless[0].reason == "slow anyway"
    assert rule.lets[0][0] == "double"
    assert rule.gain is not None
    assert rule.gain_at_most
    assert (rule.fixes[0].title, rule.fixes[0].safety) == ("Split it", "needs review")


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("k.registers >= 3", ">="), ("k.limiter = \"registers\"", "="), ("k.limiter != \"warps\"", "!="),
        ("k.registers between 3 and 9", "between"), ("k.limiter in (\"a\", \"b\")", "one_of"),
        ("k.limiter like \"reg*\"", "like"), ("k.share is known", "known"), ("k.share is missing", "missing"),
        ("not k.debug", "not"), ("(k.debug or k.share > 20%)", "group"),
    ],
)  # fmt: skip
def test_the_operators(text: str, operator: str):
    found = condition(text)
    assert isinstance(found, Operation)
    assert found.operator == operator


def test_numbers_take_the_unit_they_are_written_with():
    assert condition("k.share > 35%").operands[1].value == 0.35
    assert condition("k.time > 2 s").operands[1].value == 2000
    assert condition("k.time > 0.5 ms").operands[1].value == 0.5
    assert condition("k.spilled > 2 KiB").operands[1].value == 2048


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e-3", 0.001), ("1e3", 1000), ("2.5e+2", 250), ("1e-3 ms", 0.001), ("1e-3 s", 1), ("2e1ms", 20),
     ("5e1%", 0.5)],
)  # fmt: skip
def test_numbers_may_have_exponents(text: str, value: float):
    metric = "k.time" if text.endswith("s") else "k.share" if text.endswith("%") else "k.registers"
    found = condition(f"{metric} * 2 > {text}")
    assert found.operands[1].value == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("text", ["1 e", "1e", "3 ex"])
def test_an_exponent_without_digits_is_a_unit(text: str):
    assert codes(errors((CONDITION, f"k.registers > {text} and k.registers > most"))) == ["E206"]


def test_an_exponent_may_stand_wherever_a_number_may():
    change = ("most = 128 range 32 .. 255", "most = 1.28e2 range 1e-1 .. 2e2")
    (param,) = load(change, ("{ k.registers = 200 }", "{ k.registers = 2e2 }")).rules[0].params
    assert (param.value, param.low, param.high) == (128, 0.1, 200)


def test_an_endless_number_is_an_error():
    assert codes(errors((CONDITION, "k.registers > 1e999 and k.registers > most"))) == ["E325"]
    assert codes(errors((CONDITION, f"k.registers > {'9' * 400} and k.registers > most"))) == ["E325"]


def test_products_bind_before_sums_and_sums_before_comparisons():
    found = condition("k.registers > 1 + 2 * 3")
    right = found.operands[1]
    assert right.operator == "+"
    assert right.operands[1].operator == "*"
    assert isinstance(condition("k.time > 20% of k.time").operands[1], Operation)
    otherwise = condition("k.registers > (k.registers otherwise 7)").operands[1].operands[0]
    assert otherwise.operator == "otherwise"
    assert isinstance(otherwise.operands[1], Number)


@pytest.mark.parametrize("quantifier", ["some", "every", "no"])
def test_quantifiers(quantifier: str):
    found = condition(f'{quantifier} access a of k has (a.space = "global")')
    assert isinstance(found, Quantified)
    assert (found.quantifier, found.entity, found.variable, found.owner) == (quantifier, "access", "a", "k")


def test_counts_of_rows_are_numbers():
    found = condition("number of access a of k with (a.guarded) > 3").operands[0]
    assert isinstance(found, Quantified)
    assert found.quantifier == "number"


def test_a_definition_is_put_in_where_it_is_called():
    more = "define crowded(x) = x.registers > 100 and x.share < 50%\n"
    (rule,) = load((CONDITION, "crowded(k) and k.registers > most"), more=more).rules
    inside = rule.when.operands[0]
    assert isinstance(inside, Operation)
    assert inside.operands[0].operands[0] == Reference(
        ("k", "registers"), inside.operands[0].operands[0].span
    )


def test_owners_are_reached_by_name_and_by_path():
    change = ("for each kernel k", "for each access a of kernel k")
    other = (CONDITION, "k.registers > most and a.kernel.registers > 3 and a.kernel.run.total > 1 ms")
    assert errors(change, other) == []


def test_overrides_are_kept_with_their_reasons():
    more = (
        'override many-registers for device "A100" { set most = 200 because "measured" until 2027-01-31 }\n'
        'override many-registers { level info because "known" }\n'
    )
    first, second = load(more=more).overrides
    assert (first.scope.device, dict(first.params), first.until) == ("A100", {"most": 200}, "2027-01-31")
    assert (second.level, second.reason) == ("info", "known")


@pytest.mark.parametrize("second", ["override many-registers { ", "rule many-registers", "edition 1"])
def test_an_item_on_the_line_of_a_brace_is_told(second: str):
    found = errors(rule=f"{RULE.rstrip()} {second}")[0]
    assert (found.code, found.span.line, found.span.column) == ("E101", 16, 3)
    assert "on a line of its own" in found.help


def test_an_item_on_the_line_of_a_brace_is_read_too():
    found = errors(rule=f'{RULE.rstrip()} override no-such-rule {{ disable because "x" }}\n')
    assert codes(found) == ["E101", "E314"]


@pytest.mark.parametrize("stray", [" }", " stray", "stray", '"text"', " 3"])
def test_what_stands_behind_a_brace_is_told(stray: str):
    found = errors(rule=f"{RULE.rstrip()}{stray}\n")
    assert codes(found) == ["E101"]
    assert found[0].span.line == 16


@pytest.mark.parametrize("behind", [" // a remark", " /// a remark", "  ", "\t\n\n"])
def test_remarks_and_space_behind_a_brace_say_nothing(behind: str):
    assert errors(rule=f"{RULE.rstrip()}{behind}\n") == []


def test_a_misspelt_item_is_told_below_its_documentation_too():
    found = errors(more="/// What it is about.\nrulle other {\n  when x\n}\n")
    assert codes(found) == ["E101"]
    assert (found[0].span.line, found[0].help) == (2, "did you mean `rule`?")


def test_the_documentation_of_a_misspelt_item_is_not_that_of_the_next():
    reader = Reader("a.rules", "/// Of nothing.\nrulle other {}\nedition 1\n/// Of this.\nedition 1\n")
    assert [chunk.doc for chunk in reader.chunks()] == ["", "Of this."]


def test_comments_and_blank_lines_say_nothing():
    assert errors(("  when", "  // a remark\n\n  when")) == []


@pytest.mark.parametrize(
    "text",
    [
        'k.limiter in ("a", "b")', "not k.debug", "(k.debug or k.share > 20%)", "k.share is known",
        "k.registers between 3 and 9", "some access a of k has (a.guarded)", 'k.limiter like "reg*"',
        "number of access a of k with (a.guarded) > 3", "k.registers > max(1, 2) + 3 * 4 / 5 - 1",
        "k.registers > (k.registers otherwise 7)", "k.time > 2 ms",
    ],
)  # fmt: skip
def test_a_condition_is_written_as_it_was_read(text: str):
    assert written(condition(text)) == text


def test_which_evidence_tells_a_metric():
    vocabulary = """edition 1
entity run "One process."
  from measured {
  wait : ms "how long"
  from : count "a metric may be called like the word" from simulated // here
  depth : count "jobs" from measured, source
}
entity queue of run "One queue." { length : count }
metric late : ms of queue "too late" from compiled
metric later : ms of queue q = q.late * 2
"""
    metrics = rulebook_from_texts([("metrics.rules", vocabulary)]).metrics
    assert {name: one.provided_by for (_, name), one in metrics.items()} == {
        "wait": ("measured",),
        "from": ("simulated",),
        "depth": ("source", "measured"),
        "length": (),
        "late": ("compiled",),
        "later": (),
    }


@pytest.mark.parametrize("written", ["from", "from nowhere", "from measured measured", "from measured,"])
def test_evidence_that_does_not_exist_is_not_understood(written):
    with pytest.raises(RuleErrors, match="E101"):
        rulebook_from_texts([("m.rules", f'entity run "One." {{ wait : ms "how long" {written} }}')])
