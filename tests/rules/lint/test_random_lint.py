"""What lint says of rules that never or always fire, or contain others, holds on rows of known values."""

from __future__ import annotations

from dataclasses import replace

from effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_verdicts import Plain, World, worlds
from random_rules import LITERALS, METRICS, ORDER, TEXTS, Named, Node, RandomRule, rules
from random_texts import definitions_text, rule_text
from writing import CONDITION, RULE, VOCABULARY, load

from advisor.rules import rulebook_from_texts
from advisor.rules.lint import lint


@st.composite
def bounds(draw: st.DrawFn, depth: int = 3, named: bool = True) -> Node:
    """Conditions of few metrics and bounds, which contradict and imply each other often."""
    form = draw(st.sampled_from(("and", "or", "not", "bound", "bound", "truth", "text", "between", "sum")))
    if depth and form in ("and", "or"):
        return (form, draw(bounds(depth - 1, named)), draw(bounds(depth - 1, named)))
    if depth and form == "not":
        return ("not", draw(bounds(depth - 1, named)))
    if form == "truth":
        return ("metric", "k", (), "debug")
    if form == "text":
        return (
            draw(st.sampled_from(("=", "!="))),
            ("metric", "k", (), "limiter"),
            ("text", draw(st.sampled_from(TEXTS))),
        )
    kind = draw(st.sampled_from(("count", "ratio")))
    left: Node = ("metric", "k", (), METRICS[kind][0][1])
    right: Node = ("literal", kind, draw(st.sampled_from(list(LITERALS[kind]))))
    other: Node = ("literal", kind, draw(st.sampled_from(list(LITERALS[kind]))))
    if form == "between":
        return ("between", left, right, other)
    if form == "sum":
        left = ("/", left, left)
        names = (("param", "p0"), ("let", "l0")) if named else ()
        right = draw(st.sampled_from((("literal", "count", "2"), *names)))
    return (draw(st.sampled_from(ORDER)), left, right)


@st.composite
def bounded_rules(draw: st.DrawFn) -> RandomRule:
    rule = RandomRule([("k", "kernel")])
    rule.params.append(Named("p0", "ratio", ("literal", "ratio", draw(st.sampled_from(("25%", "50%"))))))
    let = draw(st.sampled_from((("metric", "k", (), "share"), ("literal", "ratio", "50%"))))
    rule.lets.append(Named("l0", "ratio", let))
    rule.when = draw(bounds())
    rule.unless = draw(st.lists(bounds(2), max_size=1))
    return rule


def holds(named: dict[str, RandomRule], world: World, text: str) -> None:
    """Assert of each remark of lint that no row of the world speaks against it."""
    book = rulebook_from_texts(
        [
            ("metrics/words.rules", VOCABULARY),
            ("pack/definitions.rules", text),
            *((f"pack/{name}.rules", rule_text(rule, name)) for name, rule in named.items()),
        ]
    )
    for remark in lint(book):
        rule = named.get(remark.path.removeprefix("pack/").removesuffix(".rules"))
        if rule is None:
            continue
        for row in world.of(rule.variables[0][1]):
            verdict = Plain(rule, world).verdict(row)
            if remark.code == "L101":
                assert verdict != "fires", remark.sentence
            elif remark.code == "L102":
                assert verdict != "silent", remark.sentence
            elif remark.code == "L103" and verdict == "fires":
                (other,) = (one for name, one in named.items() if f"`{name}` fires too" in remark.sentence)
                assert Plain(other, world).verdict(row) != "silent", remark.sentence


@settings(max_examples=examples(150), deadline=None)
@given(bounded_rules(), bounded_rules(), st.lists(worlds(known=True), min_size=3, max_size=6))
def test_remarks_on_narrow_rules(one: RandomRule, other: RandomRule, many: list[World]) -> None:
    for world in many:
        holds({"one-rule": one, "other-rule": other}, world, "")


@settings(max_examples=examples(60), deadline=None)
@given(rules(), bounds(named=False), worlds(known=True))
def test_remarks_on_wide_rules(rule: RandomRule, more: Node, world: World) -> None:
    entity = rule.variables[0][1]
    narrower = replace(rule, when=("and", rule.when, more)) if entity == "kernel" else rule
    holds({"one-rule": rule, "other-rule": narrower}, world, definitions_text(rule))


def sentences(one: str, other: str, lets: tuple[str, str] = ("", "")) -> list[str]:
    first, second = (
        RULE.replace("  when", f"  {let}\n  when").replace(CONDITION, f"{text} and {CONDITION}")
        for let, text in zip(lets, (one, other), strict=True)
    )
    more = second.replace("many-registers", "more-registers")
    return [remark.sentence for remark in lint(load(rule=first, more=more)) if remark.code == "L103"]


def test_a_name_that_two_rules_give_to_different_things() -> None:
    same = ("let x = k.share", "let x = k.share")
    assert len(sentences("x * x > 50%", "x * x > 50%", same)) == 2
    other = ("let x = k.share", "let x = 1 - k.share")
    assert sentences("x * x > 50%", "x * x > 50%", other) == []


def test_an_exception_that_may_be_unknown_lets_a_rule_fire() -> None:
    unless = f'{CONDITION} unless (k.debug or not k.debug) because "x"'
    assert "L101" not in [one.code for one in lint(load((CONDITION, unless)))]
    unless = f'{CONDITION} unless k.registers > 100 because "x"'
    assert "L101" in [one.code for one in lint(load((CONDITION, unless)))]
