"""Remarks: each kind fires on a rule made for it and is silent on the rule it was made from."""

from __future__ import annotations

import pytest
from writing import CONDITION, RULE, VOCABULARY, load

from advisor.rules import rulebook_from_texts
from advisor.rules.lint import explanation, lint, remark_codes

CLEAN = ('  example silent "few" { k.registers = 32 }\n', '  example silent "few" { k.registers = 32 }\n'
         '  example unknown "none" { k.registers = missing }\n')  # fmt: skip
WIDE = ("range 32 .. 255", "range 32 .. 250")
WORTH = ("  source", '  without nothing because "no count tells it"\n  source')
OTHER = RULE.replace("many-registers", "more-registers").replace("most = 128", "most = 160")


def codes(*changes, more=""):
    return [remark.code for remark in lint(load(CLEAN, WIDE, WORTH, *changes, more=more))]


def when(text):
    return (CONDITION, f"{text} and k.registers > most")


CASES = {
    "L101": ([when("k.share > 50% and k.share < 30%")], ""),
    "L102": ([(CONDITION, "(k.registers >= 0 or k.registers > most)")], ""),
    "L103": ([], OTHER),
    "L104": ([], 'override many-registers { set most = 128 because "as before" }\n'),
    "L105": (
        [],
        'override many-registers for device "a100*" { set most = 90 because "x" }\n'
        'override many-registers for path "src/*" { set most = 91 because "y" }\n',
    ),
    "L106": (
        [("range 32 .. 250", "range 32 .. 255")],
        'override many-registers { set most = 255 because "x" }\n',
    ),
    "L107": ([], "define hot(k) = k.share > 20%\n"),
    "L108": ([(' at "Registers" url "https://example.org/guide"', "")], ""),
    "L109": ([('  example unknown "none" { k.registers = missing }\n', "")], ""),
    "L110": ([when("k.share > 0.5")], ""),
    "L111": ([when("k.spilled > 2 KB")], ""),
    "L112": ([("range 32 .. 250", "range 32 .. 255")], ""),
    "L113": ([when("every access a of k has (a.guarded)")], ""),
    "L114": ([("  source", "  see no-such-rule\n  source")], ""),
    "L115": ([("{k.registers} registers, more than {most}", "many registers")], ""),
    "L116": ([("/// What it is about.\n", "")], ""),
    "L118": ([('  without nothing because "no count tells it"\n', "")], ""),
    "L117": ([], 'override many-registers for device "h1000" { set most = 90 because "x" }\n'),
}


def test_every_kind_has_a_case():
    assert sorted(CASES) == remark_codes()


def setting(value, scope):
    return f'override many-registers {scope} {{ set most = {value} because "x" }}\n'


TOGETHER = [
    ('for device "a100-*"', 'for device "a1*-80"', []),  # no device has both names
    ('for device "a100-*"', 'for device "*-80gb*"', []),  # the longer pattern holds
    ('for device "a100-8*"', 'for device "*100-80g*"', []),
    ('for device "a100*"', 'for device "*80gb"', ["L105"]),
    ('for device "a100*"', 'for device "h100*"', []),
    ('for kernel "blur_*"', 'for kernel "*_rows"', ["L105"]),
    ('for kernel "blur_*"', 'for kernel "sort_*"', []),
    ('for kernel "blur_[ab]"', 'for kernel "blur_???"', []),
    ('for path "src/*.py"', 'for path "src/k.p*"', ["L105"]),
    ('for device "a100*" for kernel "b*"', 'for device "*80gb" for kernel "*r"', ["L105"]),
    ('for device "a100*" for kernel "b*"', 'for device "*80gb" for kernel "r*"', []),
]


@pytest.mark.parametrize(("one", "other", "expected"), TOGETHER)
def test_overrides_of_one_kind_that_can_hold_together(one, other, expected):
    for first, second in ((one, other), (other, one)):
        found = codes(more=setting(90, first) + setting(91, second))
        assert [code for code in found if code != "L117"] == expected


def test_the_device_that_was_meant_is_named():
    (found,) = lint(load(CLEAN, WIDE, WORTH, more=setting(90, 'for device "h100-smx"')))
    assert (found.code, found.help) == ("L117", "did you mean `h100-sxm`?")


@pytest.mark.parametrize("pattern", ["h100-sxm", "h100*", "*", "a100-[48]0gb"])
def test_patterns_of_known_devices(pattern):
    assert codes(more=setting(90, f'for device "{pattern}"')) == []


def test_rules_with_one_condition_name_one_other_each():
    files = [(f"pack/copy-{at}.rules", RULE.replace("many-registers", f"copy-{at}")) for at in range(5)]
    found = lint(rulebook_from_texts([("metrics/words.rules", VOCABULARY), *files]))
    assert [one.sentence for one in found if one.code == "L103"] == [
        f"whenever `copy-{at}` fires, `copy-{0 if at else 1}` fires too." for at in range(5)
    ]


def test_a_good_rule_has_no_remark():
    assert codes() == []


@pytest.mark.parametrize("code", CASES)
def test_each_kind(code):
    changes, more = CASES[code]
    found = codes(*changes, more=more)
    assert code in found
    # L106 needs a range in which L112 finds fault as well, L103 holds for both rules' examples.
    assert set(found) <= {code, "L112", "L109"}
    assert explanation(code)


SILENT = [
    when("k.share > 30% and k.share < 50%"),
    when("(k.share > 50% or k.share < 30%)"),
    when("k.share > 50%"),
    when("k.spilled > 2 KiB"),
    when("k.time > 0.5 ms"),
    when("(some access a of k has (a.sectors > 4 sectors/request) and every access b of k has (b.guarded))"),
    when('k.limiter = "registers" and not k.debug'),
    when("(k.share is known and not k.share < 20%)"),
    when("k.share between 20% and 30%"),
]


@pytest.mark.parametrize("change", SILENT)
def test_what_looks_alike_and_is_right(change):
    assert codes(change) == []


NEVER = [
    "k.debug and not k.debug",
    'k.limiter = "registers" and k.limiter = "warps"',
    'k.limiter in ("a", "b") and k.limiter = "c"',
    "k.share between 20% and 30% and k.share > 40%",
    "not (k.share > 20%) and k.share > 30%",
]


@pytest.mark.parametrize("condition", NEVER)
def test_contradictions_of_every_form(condition):
    assert codes(when(condition)) == ["L101"]


def test_the_reason_is_told():
    (remark,) = lint(load(CLEAN, WIDE, WORTH, when("k.share > 50% and k.share < 30%")))
    assert remark.sentence == (
        "`many-registers` can never fire: `k.share > 50%` and `k.share < 30%` cannot hold together."
    )


def test_an_exception_can_make_a_rule_dead():
    change = ("  severity", '  unless k.registers > 100 because "x"\n\n  severity')
    assert codes(change) == ["L101"]


def test_a_rule_with_an_exception_is_implied_by_the_one_without():
    more = RULE.replace("many-registers", "more-registers").replace(CONDITION, f"{CONDITION} and not k.debug")
    remarks = lint(load(CLEAN, WIDE, more=more))
    assert ("L103", "whenever `more-registers` fires, `many-registers` fires too.") in {
        (one.code, one.sentence) for one in remarks
    }
    assert not any(one.sentence.startswith("whenever `many-registers`") for one in remarks)


def test_percent_is_fixed():
    (remark,) = lint(load(CLEAN, WIDE, WORTH, when("k.share > 0.35")))
    assert (remark.code, remark.replacement) == ("L110", "35%")
