"""Changes of rules: which holds where, until when, and what is told of those that have ended."""

from __future__ import annotations

from datetime import date

import pytest
from writing import codes, errors, load

from advisor.evidence.metrics.tables import build_tables
from advisor.model.records import Reading, Record
from advisor.model.settings.config import RuleSetting
from advisor.model.text.source_text import Span
from advisor.rules import RuleSettings, judge
from advisor.rules.overrides import ended

TODAY = date(2027, 1, 31)
KERNELS = [
    ("blur", "src/blur.py", 100.0),
    ("debug_blur", "src/blur.py", 200.0),
    ("sort", "old/sort.py", 150.0),
]


def tables(rulebook):
    records = []
    for name, path, registers in KERNELS:
        record = Record("kernel", name, path, Span(1), name)
        record.readings.update(registers=Reading(registers), spilled=Reading(0.0), share=Reading(0.5))
        records.append(record)
    return build_tables(records, rulebook.owner_entity(), ("access",))


def found(more="", device="a100-80gb", config=None):
    """The kernels of the matches with their severity."""
    rulebook = load(more=more)
    settings = RuleSettings(device=device, config=config or {}, today=TODAY)
    judgement = judge(rulebook, tables(rulebook), settings=settings)
    return {KERNELS[match.row][0]: match.severity for match in judgement.matches}


def setting(value, scope="", until=""):
    end = f" until {until}" if until else ""
    return f'override many-registers {scope} {{ set most = {value} because "x"{end} }}\n'


def test_without_changes():
    # More than 128 registers.
    assert found() == {"debug_blur": "warning", "sort": "warning"}


@pytest.mark.parametrize(
    ("scope", "kernels"),
    [
        ("", {"blur", "debug_blur", "sort"}),
        ('for device "a100-80gb"', {"blur", "debug_blur", "sort"}),
        ('for device "a100*"', {"blur", "debug_blur", "sort"}),
        ('for device "h100-sxm"', {"debug_blur", "sort"}),
        ('for path "src/*"', {"blur", "debug_blur", "sort"}),
        ('for path "old/*"', {"debug_blur", "sort"}),
        ('for kernel "blur"', {"blur", "debug_blur", "sort"}),
        ('for path "src/*" for kernel "sort"', {"debug_blur", "sort"}),
    ],
)
def test_a_threshold_for_a_device_a_path_and_a_kernel(scope, kernels):
    assert found(setting(90, scope)).keys() == kernels


def test_levels_and_disabling_by_kernel():
    more = 'override many-registers for kernel "debug_*" { disable because "debugging only" }\n'
    assert found(more) == {"sort": "warning"}
    more += 'override many-registers for path "old/*" { level info because "to be replaced" }\n'
    assert found(more) == {"sort": "info"}


SPECIFIC = [
    # the more specific one holds, in whichever order they are written
    (setting(250), setting(90, 'for device "a100-80gb"'), {"blur", "debug_blur", "sort"}),
    (
        setting(90, 'for path "src/*"'),
        setting(250, 'for path "src/*" for kernel "debug_*"'),
        {"blur", "sort"},
    ),
    (setting(90, 'for path "*"'), setting(250, 'for path "old/*"'), {"blur", "debug_blur"}),
]


@pytest.mark.parametrize(("one", "other", "kernels"), SPECIFIC)
def test_the_more_specific_change_holds_whatever_the_order(one, other, kernels):
    assert found(one + other).keys() == found(other + one).keys() == kernels


def test_the_projects_own_setting_stands_above_a_packs_and_below_one_for_the_device():
    config = {"many-registers": RuleSetting(params={"most": "90"})}
    assert found(setting(250), config=config).keys() == {"blur", "debug_blur", "sort"}
    assert found(setting(250, 'for device "a100*"'), config=config).keys() == set()
    off = {"many-registers": RuleSetting(level="off")}
    assert found('override many-registers { level error because "x" }\n', config=off) == {}


@pytest.mark.parametrize(
    ("until", "kernels"),
    [("2027-01-31", {"blur", "debug_blur", "sort"}), ("2027-01-30", {"debug_blur", "sort"})],
)
def test_a_change_holds_to_the_end_of_its_last_day(until, kernels):
    assert found(setting(90, until=until)).keys() == kernels


def test_what_has_ended_is_known():
    more = setting(90, until="2027-01-30") + setting(91, 'for path "a"', until="2027-01-31")
    more += 'suppress many-registers where k.debug because "later" until 2020-01-01\n'
    gone = ended(load(more=more), TODAY)
    assert [one.until for one in gone] == ["2027-01-30", "2020-01-01"]


def test_matches_can_be_accepted_where_a_condition_holds():
    more = 'suppress many-registers where k.registers > 180 because "measured" until 2027-12-31\n'
    assert found(more).keys() == {"sort"}
    rulebook = load(more=more)
    assert judge(rulebook, tables(rulebook), settings=RuleSettings(today=TODAY)).suppressed == 1
    assert found(more.replace("2027-12-31", "2027-01-01")).keys() == {"debug_blur", "sort"}


def test_an_unknown_condition_accepts_nothing():
    assert found('suppress many-registers where k.time > 3 ms because "x"\n').keys() == {"debug_blur", "sort"}


WRONG = [
    (setting(90) + setting(91), ["E315"]),
    (setting(90, 'for path "a"') + setting(91, 'for path "a"'), ["E315"]),
    (setting(90, 'for path "a"') + setting(91, 'for path "b"'), []),
    (setting(300), ["E318"]),
    ('override many-registers { set mst = 3 because "x" }\n', ["E205"]),
    ('override no-rule { set most = 3 because "x" level info because "y" }\n', ["E314"]),
    ('suppress no-rule where k.debug because "x"\n', ["E314"]),
    ('suppress many-registers where k.debg because "x"\n', ["E201"]),
    ('suppress many-registers where k.registers because "x"\n', ["E208"]),
    ("renamed few-registers to no-rule\n", ["E314"]),
    ("renamed many-registers to many-registers\n", ["E303"]),
    ('retired many-registers "it is here"\n', ["E303"]),
]


@pytest.mark.parametrize(("more", "expected"), WRONG)
def test_changes_that_cannot_be_followed(more, expected):
    assert codes(errors(more=more)) == expected


def test_two_definitions_of_one_name():
    twice = "define hot(k) = k.share > 20%\n" * 2
    assert codes(errors(more=twice)) == ["E303"]


def test_rules_of_the_past_are_known():
    more = 'renamed too-many-registers to many-registers "since 1.2"\n'
    more += 'retired spills-a-lot "see register-spills."\n'
    rulebook = load(more=more)
    assert rulebook.renamed == {"too-many-registers": "many-registers"}
    assert rulebook.retired == {"spills-a-lot": "see register-spills."}
    # An override by the old name goes on working.
    assert found(more + setting(90).replace("many-", "too-many-")).keys() == {"blur", "debug_blur", "sort"}


COMPUTED = """metric waste : ratio of kernel k range 0 .. 1 "unused share" = 1 - k.share
metric twice : ratio of kernel k range 0 .. 1.5 "twice the waste" = 2 * k.waste
metric busy  : truth of kernel k "more than half" = k.share > 50%
"""


def test_computed_metrics_are_filled_in_where_they_are_known():
    from advisor.rules.checking.computed_metrics import fill_in

    rulebook = load(more=COMPUTED)
    records = []
    for name, share in (("low", 0.1), ("half", 0.5), ("high", 0.75), ("unknown", None)):
        record = Record("kernel", name, "a.py", Span(1), name)
        if share is not None:
            record.know("compiled", (f"measured of {name}",), share=share)
        records.append(record)
    built = build_tables(records, rulebook.owner_entity())
    fill_in(rulebook, built)
    columns = built["kernel"].columns
    assert columns["waste"].values.tolist()[:3] == [0.9, 0.5, 0.25]
    # 1.8 lies outside the declared range, so it is not known.
    assert [value == value for value in columns["twice"].values] == [False, True, True, False]
    assert columns["busy"].values.tolist()[:3] == [0.0, 0.0, 1.0]
    assert [value == value for value in columns["busy"].values] == [True, True, True, False]
    assert [columns["waste"].source(row) for row in range(4)] == ["compiled"] * 3 + [None]
    assert columns["waste"].assumptions[1] == ("measured of half",)


def test_rules_speak_of_computed_metrics_with_their_units():
    assert errors(("k.registers > most", "k.registers > most and k.waste > 20%"), more=COMPUTED) == []
    assert codes(errors(("k.registers > most", "k.registers > most and k.waste > 3 ms"), more=COMPUTED)) == [
        "E207"
    ]


UNITS = [("40 ms", ["E316"]), ("40", []), ("40 ns/B", ["E316"]), ("40 mz", ["E206"])]


@pytest.mark.parametrize(("value", "code"), UNITS)
def test_an_override_has_the_unit_of_its_parameter(value, code):
    assert codes(errors(more=setting(value))) == code
