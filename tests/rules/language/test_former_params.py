"""Parameters under the names that they had before: in rules, in overrides and in suppressions."""

from __future__ import annotations

from datetime import date

import pytest
from writing import RULE, codes, errors, load

from advisor.rules.formatting import format_text
from advisor.rules.model import Override
from advisor.rules.overrides import Overrides

TODAY = date(2027, 1, 31)

REASON = '"as the guide says"'
FORMER = (REASON, f"{REASON} formerly limit, much")
SECOND = ("\n\n  when", '\n  param least = 8 range 1 .. 9 "x"\n\n  when')
USED = ("> most", "> most and k.registers > least")


def test_a_parameter_knows_the_names_that_it_had():
    (rule,) = load(FORMER).rules
    assert rule.params[0].former == ("limit", "much")
    assert rule.former_params == {"limit": "most", "much": "most"}


@pytest.mark.parametrize(
    "clause",
    [
        "param most = 128 formerly limit",
        "param most = 128 range 32 .. 255 formerly limit",
        'param most = 128 "as the guide says" formerly limit',
        'param most = 128 range 32 .. 255\n    "as the guide says"\n    formerly limit',
    ],
)
def test_range_and_reason_may_be_missing_before_it(clause):
    (rule,) = load((f"param most = 128 range 32 .. 255 {REASON}", clause)).rules
    assert rule.params[0].former == ("limit",)
    assert rule.params[0].value == 128


def test_formerly_may_still_be_a_metric():
    book = load(more='entity queue "One." {\n  depth : count range 0 .. 5\n  formerly : count\n}\n')
    assert book.metric("queue", "formerly") is not None


def test_formerly_may_still_be_a_name():
    (rule,) = load(("most = 128", "formerly = 128"), ("> most", "> formerly"), ("{most}", "{formerly}")).rules
    assert rule.params[0].name == "formerly"


CLASHES = [
    ((FORMER, ("limit, much", "most")), "most", "this is its name today"),
    ((FORMER, ("limit, much", "limit, limit")), "limit", "`most` was called so"),
    ((FORMER, SECOND, USED, ("limit, much", "least")), "least", "another param or let of the rule"),
    ((FORMER, SECOND, USED, ('"x"', '"x" formerly much')), "much", "`most` was called so"),
    (
        (FORMER, ("\n\n  when", "\n  let much = k.registers > 3\n\n  when"), ("> most", "> most and much")),
        "much",
        "another param or let of the rule",
    ),
]


@pytest.mark.parametrize(("changes", "name", "reason"), CLASHES)
def test_a_former_name_that_is_taken_is_told_at_its_place(changes, name, reason):
    (error,) = errors(*changes)
    assert error.code == "E331"
    assert error.sentence.startswith(f"`{name}` cannot be a former name of `")
    assert reason in error.sentence
    lines = RULE
    for old, new in changes:
        lines = lines.replace(old, new)
    line = lines.split("\n")[error.span.line - 1]
    assert line[error.span.column - 1 : error.span.end_column - 1] == name
    assert "formerly" in line[: error.span.column]


@pytest.mark.parametrize(
    ("clause", "code"), [("formerly", "E109"), ("formerly 3", "E104"), ("formerly a b", "E101")]
)
def test_what_is_no_name_is_told(clause, code):
    assert codes(errors((REASON, f"{REASON} {clause}"))) == [code]


def override(name: str, value: int = 90) -> str:
    return f'override many-registers {{ set {name} = {value} because "x" }}\n'


def test_an_override_may_say_a_former_name():
    book = load(FORMER, more=override("limit"))
    (found,) = book.overrides
    assert (found.params, found.subject, found.former) == ((("most", 90.0),), "most", ("limit",))
    (rule,) = book.rules
    assert Overrides(rule, book.overrides, "a100", TODAY).variant().params == {"most": 90.0}


def test_an_override_with_todays_name_has_no_former_one():
    (found,) = load(FORMER, more=override("most")).overrides
    assert found.former == Override("many-registers").former == ()


def test_two_names_of_one_parameter_are_two_overrides_of_it():
    (error,) = errors(FORMER, more=override("most") + override("limit", 91))
    assert (error.code, error.span.line, error.span.column) == ("E315", 2, 31)


@pytest.mark.parametrize(("value", "code"), [(300, "E318"), (3, "E318")])
def test_a_former_name_has_the_range_of_today(value, code):
    assert codes(errors(FORMER, more=override("limit", value))) == [code]


def test_a_name_that_it_never_had_stays_unknown():
    assert codes(errors(FORMER, more=override("limits"))) == ["E205"]


def test_a_suppression_may_say_a_former_name():
    more = 'suppress many-registers where k.registers < 2 * limit and not (k.spilled > 0 B) because "x"\n'
    (found,) = load(FORMER, more=more).suppressions
    (today,) = load(FORMER, more=more.replace("limit", "most")).suppressions
    assert (found.former, today.former) == (("limit",), ())
    assert str(found.condition).count("'most'") == str(today.condition).count("'most'") == 1
    assert "limit" not in str(found.condition)


def test_the_rule_itself_cannot_speak_of_a_former_name():
    assert codes(errors(FORMER, ("> most", "> limit"))) == ["E205"]


def test_the_formatter_sets_it_on_the_line_of_its_parameter():
    text = RULE.replace(*FORMER)
    spread = text.replace(" formerly limit, much", "\n    formerly limit ,much")
    assert spread != text
    assert format_text("many-registers.rules", spread) == format_text("many-registers.rules", text) == text
