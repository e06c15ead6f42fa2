"""Every kind of error: its sentence, its place, its caret; all of a file at once and no follow-ups."""

from __future__ import annotations

import pytest
from writing import CONDITION, RULE, codes, errors

from advisor.rules.language.problems import _sentences


def when(text: str) -> list[tuple[str, str]]:
    return [(CONDITION, f"{text} and k.registers > most")]


DOUBLING = "define d0(x) = x.debug\n" + "".join(
    f"define d{n + 1}(x) = d{n}(x) or d{n}(x)\n" for n in range(13)
)

# Code -> the changes to the rule that lead to it (and the text of a further file).
CASES: dict[str, tuple[list[tuple[str, str]], str]] = {
    "E101": ([("severity warning", "severity terrible")], ""),
    "E102": (when("k.registers > "), ""),
    "E103": (when("k.debug k.share > 20%"), ""),
    "E104": (when("k.registers > 3 § 4"), ""),
    "E105": ([], "rulle x {}\n"),
    "E106": ([("{ k.registers = 32 }\n}", "{ k.registers = 32 }\n")], ""),
    "E107": ([("effort low", "\n  efort low")], ""),
    "E108": ([('why "Registers limit the warps on an SM."', 'why "Registers limit')], ""),
    "E109": ([('  try "Split the kernel."', "  try")], ""),
    "E111": (when("(" * 120 + "k.debug" + ")" * 120), ""),
    "E114": ([], "// " + "x" * 300_000),
    "E201": (when("k.registrs > 3"), ""),
    "E202": (when("k.debug or k.share > 20%"), ""),
    "E203": (when("3 < k.registers < 9"), ""),
    "E204": ([("for each kernel k", "for each kernl k")], ""),
    "E205": (when("k.registers > mst"), ""),
    "E206": (when("k.time > 3 parsecs"), ""),
    "E207": (when("k.time > k.spilled"), ""),
    "E208": (when("k.registers"), ""),
    "E209": (when("k.registers > 2 * k.limiter"), ""),
    "E210": (when("k.share > 35"), ""),
    "E211": (when("crowded(k)"), ""),
    "E212": (when("endless(k)"), "define endless(x) = endless(x) and x.debug\n"),
    "E213": (when('k.limiter > "registers"'), ""),
    "E214": (when("k.registers > 1 + 2 ms"), ""),
    "E215": (when("max(k.registers) > 3"), ""),
    "E301": ([('  why "Registers limit the warps on an SM."\n', "")], ""),
    "E302": ([("confidence high", "confidence high confidence low")], ""),
    "E303": ([], RULE),
    "E304": ([("most = 128", "most = 300")], ""),
    "E305": ([("range 32 .. 255", "range 255 .. 32")], ""),
    "E306": ([("  say", "  let unused = 2 * k.registers\n  say")], ""),
    "E307": ([('  example silent "few" { k.registers = 32 }\n', "")], ""),
    "E308": ([("rule many-registers", "rule other-name")], ""),
    "E309": (when("k.registers > 300"), ""),
    "E310": ([("{ k.registers = 200 }", "{ k.registrs = 200 }")], ""),
    "E311": ([("more than {most}", "more than {mots}")], ""),
    "E312": ([("for each kernel k", "for each access k of run r")], ""),
    "E313": ([("/// What", "edition 7\n/// What")], ""),
    "E314": ([], 'override no-such-rule { level info because "x" }\n'),
    "E315": (
        [],
        'override many-registers { set most = 90 because "x" }\n'
        'override many-registers { set most = 91 because "y" }\n',
    ),
    "E317": (when("d13(k)"), DOUBLING),
    "E318": ([], 'override many-registers { set most = 300 because "x" }\n'),
    "E319": ([], 'override many-registers { set most = 90 because "x" until 2027-02-30 }\n'),
    "E320": (
        [],
        'metric a : count of kernel k "one" = k.b + 1\n'
        'metric b : count of kernel k "other" = 2 * k.registers\n'
        'metric c : count of kernel k "third" = k.c + k.a\n',
    ),
    "E331": ([('as the guide says"', 'as the guide says" formerly most')], ""),
    "E330": ([("\n  severity", "\n  once per kernel by k.registers\n\n  severity")], ""),
    "E332": ([], 'except many-registers for access a when a.guarded because "x"\n'),
    "E333": ([], 'except many-registers, many-registers for kernel k when k.debug because "x"\n'),
    "E321": ([], 'metric waste : ratio of kernel k "unused" = k.registers * k.time\n'),
    "E323": ([("{k.registers} registers", "{k.registers registers")], ""),
    "E324": ([("{k.registers} registers", "k.registers} registers")], ""),
    "E325": ([("range 32 .. 255", "range 32 .. 1e400")], ""),
    "E326": ([("https://example.org/guide", "javascript:alert(1)")], ""),
    "E327": ([], 'pack "house"\npack "other"\n'),
    "E340": (
        [("  example fires", "  given { k.registers = 64 }\n  example fires")],
        "",
    ),
    "E341": (
        [("  example fires", "  given { k.share = 20%, k.registers = 64 }\n  example fires")],
        "",
    ),
    "E334": ([("  source", "  without k.spilled -> 0 B\n  source")], ""),
    "E335": ([("  source", "  without k.registers -> 3 ms\n  source")], ""),
    "E336": ([("  source", '  without k.registers -> 32\n  without nothing because "x"\n  source')], ""),
    "E316": ([("range 32 .. 255", "range 32 ms .. 255 ms")], ""),
}


# What is wrong with a file or a folder, not with a text; test_packs.py has these.
OF_FILES = {"E110", "E112", "E322"}
OF_TEXTS = sorted(_sentences().keys() - OF_FILES)


@pytest.mark.parametrize("code", OF_TEXTS)
def test_each_kind_of_error_is_told_at_its_place(code, golden):
    changes, more = CASES[code]
    found = errors(*changes, more=more)
    assert code in codes(found)
    golden(f"{code}.txt", "\n\n".join(map(str, found)) + "\n")


@pytest.mark.parametrize("code", OF_TEXTS)
def test_one_mistake_is_one_error(code):
    changes, more = CASES[code]
    assert codes(errors(*changes, more=more)) == [code]


def test_all_errors_of_a_file_come_at_once_in_order():
    found = errors(
        ("most = 128", "most = 300"),
        (CONDITION, "k.registrs > most"),
        ("severity warning", "severity terrible"),
        ("{most}", "{mots}"),
    )
    assert codes(found) == ["E304", "E201", "E101", "E311"]
    assert [error.span.line for error in found] == sorted(error.span.line for error in found)


def test_a_broken_clause_does_not_hide_the_next_rule():
    second = RULE.replace("many-registers", "second-rule").replace(CONDITION, "k.registrs > most")
    found = errors(("severity warning", "severity ,"), more=second)
    assert {error.path for error in found} == {"occupancy/many-registers.rules", "pack/second-rule.rules"}
    assert "E201" in codes(found)


@pytest.mark.parametrize(
    ("text", "hint"),
    [("k.registrs > 3", "registers"), ("k.time > 3 mz", "ms"), ("kk.registers > 3", "k"),
     ("some acess a of k has (a.guarded)", "access")],
)  # fmt: skip
def test_a_near_miss_is_offered(text, hint):
    (found,) = errors(*when(text))
    assert f"`{hint}" in found.help


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("k.share > k.registers", "E207"), ("k.registers > 3%", "E207"), ("k.share = 1 count", "E207"),
        ("k.registers between 1 and 20%", "E207"), ("k.registers * k.share > k.share", "E207"),
        ("k.registers + k.share > 1", "E214"), ("max(k.share, k.registers) > 1", "E214"),
        ("(number of access a of k with (a.guarded)) > 50%", "E207"), ("k.share < most", "E210"),
    ],
)  # fmt: skip
def test_a_ratio_is_no_count(text, code):
    assert codes(errors(*when(text))) == [code]


@pytest.mark.parametrize(
    "text",
    [
        "k.share > 0.5", "k.share > 50%", "1 - k.share > 50%", "2 * k.share < 1.5",
        "k.share * 64 < k.registers",
        "20% of k.registers > 3", "20% of 128 > k.registers", "k.registers / 255 > 50%",
        "k.registers / 2 > 3",
        "k.registers / k.registers > 20%", "k.time / k.time > 3", "min(k.share, 0.5) > 20%",
        "k.share of k.share > 1%", "k.registers / k.share > 128",
    ],
)  # fmt: skip
def test_a_number_without_a_unit_is_what_it_stands_beside(text):
    assert errors(*when(text)) == []


CARETS = [
    ([], 'override no-such-rule { level info because "x" }\n', "no-such-rule"),
    ([], 'suppress no-such-rule where k.debug because "x"\n', "no-such-rule"),
    ([], "renamed old-rule to no-such-rule\n", "no-such-rule"),
    ([], 'override many-registers { set msot = 90 because "x" }\n', "msot"),
    ([], 'override many-registers { set most = 300 because "x" }\n', "300"),
    ([], 'override many-registers { set most = 90 ms because "x" }\n', "90 ms"),
    ([], 'override many-registers { level info because "x" until 2027-02-30 }\n', "2027-02-30"),
    ([], 'suppress many-registers where k.debug because "x" until 2027-13-01\n', "2027-13-01"),
    ([("{most}", "{mots}")], "", "{mots}"),
    ([('why "Registers', 'why "\\"Many\\" {nothing} registers')], "", "{nothing}"),
    ([("for each kernel k", "for each kernl k")], "", "kernl"),
    ([("{ k.registers = 200 }", "{ k.share = 20%, k.registrs = 200 }")], "", "k.registrs"),
    ([("https://example.org/guide", "data:text/html,x")], "", '"data:text/html,x"'),
    ([("  example fires", "  given { k.share = 20%, k.registrs = 64 }\n  example fires")], "", "k.registrs"),
    ([("  example fires", "  given { k.share = 20%, k.share = 30% }\n  example fires")], "", "k.share"),
    (
        [("  example fires", "  given { k.share = 20%, k.registers = 64 }\n  example fires")],
        "",
        "k.registers",
    ),
    ([("  example fires", "  given { k.share = 20%, k.time }\n  example fires")], "", "}"),
    ([("  example fires", "  given {}\n  example fires")], "", "}"),
    (
        [("  example fires", "  given { k.share = 20% }\n  given { k.debug = true }\n  example fires")],
        "",
        "given { k.debug = true }",
    ),
    ([("  example fires", "  given { k.registers = 3 }\n  example fires")], "", "given { k.registers = 3 }"),
    ([], "define a(x) = nothing(x)\n", "nothing(x)"),
    ([], "define a(x) = b(x)\ndefine b(x) = x.debug or a(x)\n", "a"),
]


@pytest.mark.parametrize(("changes", "more", "word"), CARETS)
def test_the_caret_is_under_the_wrong_word(changes, more, word):
    (error,) = errors(*changes, more=more)
    begin, end = error.span.column - 1, error.span.end_column - 1
    assert error.source_line[begin:end] == word


def test_a_rule_that_calls_a_circular_definition_is_left_out_with_one_error():
    circular = "define a(x) = b(x)\ndefine b(x) = x.debug or a(x)\n"
    (error,) = errors((CONDITION, f"{CONDITION} and a(k)"), more=circular)
    assert (error.code, error.path) == ("E212", "pack/more.rules")
    assert error.sentence == "the definition `a` calls itself: a → b → a."
    (error,) = errors(("  severity", "  unless a(k)\n  severity"), more=circular)
    assert error.code == "E212"


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "ftp://example.org", "example.org", "https://",
     "https://a b",
     "https://a/><img src=x>", "https://a/`x`"],
)  # fmt: skip
def test_what_is_no_address_of_a_page(url):
    assert codes(errors(("https://example.org/guide", url))) == ["E326"]


@pytest.mark.parametrize(
    "url", ["http://example.org", "https://example.org/a_(b)#c", "https://example.org/a?b=1&c=%3Cd%3E"]
)
def test_addresses_of_pages(url):
    assert errors(("https://example.org/guide", url)) == []


def test_a_correct_rule_has_no_errors():
    assert errors() == []
