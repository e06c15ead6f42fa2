"""`given { … }`: what examples share; each is judged as if it had all of it, but for what it says itself."""

from __future__ import annotations

from effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from spanless import without_spans
from writing import RULE, VOCABULARY, codes, errors, load

from advisor.rules import rulebook_from_texts
from advisor.rules.formatting import format_text
from advisor.rules.model import Rule
from advisor.rules.testing.coverage import cover
from advisor.rules.testing.examples import example_verdict, run_examples

GUARDED = (
    "k.registers > most",
    'k.registers > most and not k.debug and some access a of k has (a.space = "global")',
)
EXAMPLES = '  example fires "many" { k.registers = 200 }\n  example silent "few" { k.registers = 32 }\n'
SHARED = (
    EXAMPLES,
    """\
  given { k.registers = 200, k.debug = false, a1.space = "global" }
  example fires "many" {}
  example silent "few" { k.registers = 32 }
  example silent "for debugging" { k.debug = true }
  example silent "only shared memory" { a1.space = "shared" }
  example unknown "not compiled" { k.registers = missing }
""",
)
WRITTEN_OUT = (
    EXAMPLES,
    """\
  example fires "many" { k.registers = 200, k.debug = false, a1.space = "global" }
  example silent "few" { k.registers = 32, k.debug = false, a1.space = "global" }
  example silent "for debugging" { k.registers = 200, k.debug = true, a1.space = "global" }
  example silent "only shared memory" { k.registers = 200, k.debug = false, a1.space = "shared" }
  example unknown "not compiled" { k.registers = missing, k.debug = false, a1.space = "global" }
""",
)
PLACE = "  example fires"


def with_given(text: str, *more: tuple[str, str]) -> list[str]:
    """The codes of the errors of the rule with a `given` and other changes."""
    return codes(errors((PLACE, f"  {text}\n{PLACE}"), *more))


def test_each_example_has_the_shared_values_but_for_its_own():
    (shared,), (written_out,) = load(GUARDED, SHARED).rules, load(GUARDED, WRITTEN_OUT).rules
    assert without_spans(shared) == without_spans(written_out)
    assert shared.examples[0].values == (
        (("k", "registers"), 200), (("k", "debug"), False), (("a1", "space"), "global"),
    )  # fmt: skip
    assert shared.examples[4].values[0] == (("k", "registers"), None)


def test_verdicts_and_mutants_are_those_of_examples_written_out():
    shared, written_out = load(GUARDED, SHARED), load(GUARDED, WRITTEN_OUT)
    assert run_examples(shared) == []
    ((one,), (other,)) = (cover(book, book.rules) for book in (shared, written_out))
    assert (one.mutants, one.killed) == (other.mutants, other.killed)
    assert [mutant.sentence for mutant in one.surviving] == [mutant.sentence for mutant in other.surviving]


def test_an_example_takes_a_value_away_under_another_name_of_it_too():
    book = load(
        ("for each kernel k", "for each access a of kernel k"),
        (
            EXAMPLES,
            "  given { k.registers = 200 }\n"
            '  example fires "many" {}\n'
            '  example silent "few" { a.kernel.registers = 32 }\n'
            '  example unknown "not compiled" { a.kernel.registers = missing }\n',
        ),
    )
    (rule,) = book.rules
    assert [example_verdict(book, rule, one) for one in rule.examples] == ["fires", "silent", "unknown"]


def test_examples_on_files_have_no_shared_values():
    on_file = (PLACE, f'  given {{ k.debug = false }}\n  example silent "whole" on "few.py" {{}}\n{PLACE}')
    (rule,) = load(on_file).rules
    assert [one.values for one in rule.examples if one.file] == [()]
    assert all((("k", "debug"), False) in one.values for one in rule.examples if not one.file)


def test_no_example_needs_what_only_files_are_there_for():
    only_files = (
        '  given { k.debug = false }\n  example fires "a" on "a.py" {}\n  example silent "b" on "b.py" {}\n'
    )
    assert codes(errors((EXAMPLES, only_files))) == ["E340"]


def test_one_example_without_a_value_of_its_own_is_enough():
    assert with_given("given { k.registers = 200 }", ('"many" { k.registers = 200 }', '"many" {}')) == []
    assert (
        with_given(
            "given { k.share = 10% }", ("{ k.registers = 200 }", "{ k.registers = 200, k.share = 9% }")
        )
        == []
    )


def test_mistakes_in_given():
    assert with_given("given { k.share = 10% } given { k.debug = true }") == ["E302"]
    assert with_given("given { k.share = 10%, k.share = 20% }") == ["E303"]
    assert with_given("given { k.shrae = 10% }") == ["E310"]
    assert with_given("given { b1.guarded = true }") == ["E310"]
    assert with_given("given {}") == ["E101"]
    assert with_given("given { k.registers = 9, k.debug = true }") == ["E341"]
    # Which values a broken example or a missing one would take is not known.
    assert with_given("given { k.registers = 9 }", ("{ k.registers = 32 }", "{ k.registers = }")) == ["E101"]
    assert with_given("given { k.registers = 9 }", ("fires", "silent")) == ["E307", "E340"]


VALUES = {
    "k.registers": ["200", "32", "missing"], "k.share": ["20%", "0", "missing"],
    "k.time": ["1.5 ms", "missing"], "k.debug": ["true", "false"],
    "k.limiter": ['"registers"', '"a \\"b\\" {c}"'], "a1.space": ['"global"', "missing"],
    "a2.sectors": ["4 sectors/request"], "k.run.total": ["3 s", "missing"],
}  # fmt: skip
ASSIGNED = st.lists(st.sampled_from(list(VALUES)), unique=True).flatmap(
    lambda names: st.fixed_dictionaries({name: st.sampled_from(VALUES[name]) for name in names})
)


def rule_with(shared: dict[str, str] | None, every: list[dict[str, str]]) -> str:
    """A rule with such examples, and their shared values as `given`, where there are any."""

    def inside(values: dict[str, str]) -> str:
        return ",".join(f"{name}={value}" for name, value in values.items())

    begun = f"  given {{ {inside(shared)} }}\n" if shared else ""
    verdicts = ["fires", "silent", *["unknown"] * len(every)]
    listed = "".join(f'  example {verdict} "{at}" {{ {inside(values)} }}\n'
                     for at, (verdict, values) in enumerate(zip(verdicts, every, strict=False)))  # fmt: skip
    condition = "some access a of k has (a.guarded) and k.registers > most"
    return RULE.replace(EXAMPLES, begun + listed).replace("k.registers > most", condition)


def read(text: str) -> Rule:
    files = [("metrics/words.rules", VOCABULARY), ("occupancy/many-registers.rules", text)]
    (rule,) = rulebook_from_texts(files).rules
    return rule


@settings(max_examples=examples(100), deadline=None)
@given(ASSIGNED, st.lists(ASSIGNED, min_size=2, max_size=4))
def test_shared_values_are_as_if_each_example_had_them(
    shared: dict[str, str], every: list[dict[str, str]]
) -> None:
    # What all of them say themselves cannot be shared.
    shared = {name: value for name, value in shared.items() if not all(name in own for own in every)}
    text = rule_with(shared, every)
    written_out = rule_with(None, [{**shared, **own} for own in every])
    assert without_spans(read(text).examples) == without_spans(read(written_out).examples)
    formatted = format_text("many-registers.rules", text)
    assert format_text("many-registers.rules", formatted) == formatted
    assert without_spans(read(formatted)) == without_spans(read(text))
