"""The form of rule files: nothing is lost, nothing changes its meaning, and twice is the same as once."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spanless import without_spans

from advisor.model.data_files import knowledge_folder
from advisor.rules import RuleErrors, rulebook_from_texts
from advisor.rules.formatting import FormattingFault, format_text
from advisor.rules.formatting.tokens import read_rule_file
from advisor.rules.language.build import Builder
from advisor.rules.language.syntax import CLAUSES, ITEMS, Reader

SHIPPED = {
    file.relative_to(knowledge_folder()).as_posix(): file.read_text("utf-8")
    for file in sorted(knowledge_folder().rglob("*.rules"))
}
_NO_UNITS = "|".join((*CLAUSES, "of", "and", "or", "range", "because", "otherwise"))
_LEXEME = re.compile(
    r"//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|at\s+most\b|needs\s+review\b|display\s+only\b|\.\.|->|\.[a-z]\w*"
    rf"|\d+(?:\.\d+)?(?:%| (?!(?:{_NO_UNITS})\b)[A-Za-z]+(?:/[a-z]+)?)?|[a-z_][\w-]*|[<>!]=|\S"
)
_TOUCHING = frozenset("(){},:<>=")


def respaced(text: str, chance: random.Random) -> str:
    """The same file with other space and more comments between its words."""
    written, depth, before = "", 0, ""
    for lexeme in _LEXEME.findall(text):
        if before.startswith("//"):
            written += chance.choice(["\n", "\n\n", "\n    "])
        elif depth == 0 and (lexeme in ITEMS or lexeme.startswith("///")):
            written += chance.choice(["\n", "\n\n\n  ", "  // behind an item\n", "\n // between items\n\n"])
        elif before:
            touching = lexeme in _TOUCHING or before in _TOUCHING
            written += chance.choice(["" if touching else " ", " ", "  ", "\t", "\n", "\n\n \n"])
            if chance.random() < 0.1:
                written += chance.choice(
                    [" // behind a word\n", "\n// on a line\n", "\n\n // one\n\n // two\n"]
                )
        depth += {"{": 1, "}": -1}.get(lexeme, 0)
        written += lexeme
        before = lexeme
    return written + chance.choice(["", "\n", " // at the end", "\n\n"])


def meaning(path: str, text: str) -> str:
    """What a file says, without the places where it does."""
    reader = Reader(path, text)
    content = Builder(reader).build()
    assert not reader.complaints.errors, reader.complaints.errors[0]
    return without_spans(content)


def lexemes(text: str) -> list[str]:
    return [" ".join(lexeme.split()) for lexeme in _LEXEME.findall(text)]


@pytest.mark.parametrize("path", SHIPPED)
def test_the_shipped_knowledge_has_the_form(path: str) -> None:
    assert format_text(path, SHIPPED[path]) == SHIPPED[path]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(list(SHIPPED)), st.integers(0, 1 << 32).map(random.Random))
def test_any_spacing_comes_to_one_form_that_says_the_same(path: str, chance: random.Random) -> None:
    text = respaced(SHIPPED[path], chance)
    formatted = format_text(path, text)
    assert format_text(path, formatted) == formatted
    assert lexemes(formatted) == lexemes(text)
    assert meaning(path, formatted) == meaning(path, text)
    assert not re.search(r"[ \t]\n|\n\n\n|\n\n\Z|\A\n", formatted)
    assert formatted.endswith("\n")


def test_the_rulebook_of_formatted_files_is_the_same() -> None:
    chance = random.Random(7)
    texts = [(path, respaced(text, chance)) for path, text in SHIPPED.items()]
    formatted = [(path, format_text(path, text)) for path, text in texts]
    assert without_spans(rulebook_from_texts(texts)) == without_spans(rulebook_from_texts(formatted))


FORMS = {
    "a rule on one line": (
        'rule a "A" { for each kernel k param most=1.50 range -3 ..4 KiB "why" when k.x>most '
        'severity info confidence low effort high say "s" why "w" try "t" "u" see b,c-d covers x,y '
        'gain at\nmost 1-k.x/(2+ -k.y) fix "f" needs\n review '
        'example fires "n" {k.x=1 ms,k.y="t"} example silent {}}',
        """\
rule a "A" {
  for each kernel k
  param most = 1.50 range -3 .. 4 KiB "why"

  when k.x > most

  severity info  confidence low  effort high
  say "s"
  why "w"
  try "t"
      "u"
  see b, c-d
  covers x, y
  gain at most 1 - k.x / (2 + -k.y)
  fix "f" needs review

  example fires "n" { k.x = 1 ms, k.y = "t" }
  example silent {}
}
""",
    ),
    "values that examples share": (
        'rule a "A" { when k.x>k.y given{k.y=1,a1.z = missing,// once\n k.t="t"} example fires "e" {k.x=2}\n'
        'example silent "f" {} given{ k.y=1 } example fires "g" { k.x = 3 } }',
        """\
rule a "A" {
  when k.x > k.y

  given {
    k.y = 1,
    a1.z = missing,  // once
    k.t = "t"
  }
  example fires "e" { k.x = 2 }
  example silent "f" {}
  given { k.y = 1 }
  example fires "g" { k.x = 3 }
}
""",
    ),
    "clauses keep their order": (
        'rule a "A" { effort low when k.x unless k.y example fires "e" {} say "s" confidence low }',
        """\
rule a "A" {
  effort low

  when k.x
  unless k.y

  example fires "e" {}

  say "s"
  confidence low
}
""",
    ),
    "what is looked at and the condition are one sentence": (
        'rule a "A" {\n  for each kernel k\n\n\n  when k.x\n\n  unless k.y\n  say "s"\n}\n'
        'rule b "B" {\n  for each kernel k // one\n\n  // two\n  when k.x\n}\n'
        'rule c "C" { for each kernel k let x = k.x when x }',
        """\
rule a "A" {
  for each kernel k
  when k.x
  unless k.y

  say "s"
}

rule b "B" {
  for each kernel k  // one

  // two
  when k.x
}

rule c "C" {
  for each kernel k
  let x = k.x

  when x
}
""",
    ),
    "a condition written on several lines": (
        'rule a "A" { when k.x between 1\nand 2 and (k.y or k.z) or not k.q is known\n'
        'unless k.a in ("x","y") and\nk.b because "r" let c = k.a\n or max(k.b , k.c) = f( k ) }',
        """\
rule a "A" {
  when k.x between 1 and 2
   and (k.y or k.z)
    or not k.q is known
  unless k.a in ("x", "y") and k.b because "r"

  let c = k.a or max(k.b, k.c) = f(k)
}
""",
    ),
    "a long condition": (
        f'rule a "A" {{ when k.{"x" * 50} and no access a of k has (a.{"y" * 40} > 1 '
        f"and (a.z or a.{'w' * 30})) }}",
        f"""\
rule a "A" {{
  when k.{"x" * 50}
   and no access a of k has (a.{"y" * 40} > 1
                         and (a.z or a.{"w" * 30}))
}}
""",
    ),
    "a condition that fits, and brackets written on several lines": (
        'rule a "A" { when k.x and number of access a of k with (\na.z\n) > 3 }',
        """\
rule a "A" {
  when k.x
   and number of access a of k with (a.z) > 3
}
""",
    ),
    "comments in and around clauses": (
        """\
// for all

/// Doc.
rule a "A"{// opened

  // above the first
  for each // inside
  kernel k // behind

  // above when
  when k.x >= // why 3
   3 // behind the number
   // above the connective
   and k.y severity info // behind severity
  confidence low
  // above effort
  effort low
  try "t" // first
  // second
  "u"
  example fires "x" { k.x = 1, // one
   // two
   k.y = true
   // last
  } // behind the example

  // at the end

}// behind the rule
// at the end of the file
""",
        """\
// for all

/// Doc.
rule a "A" {  // opened
  // above the first
  for each  // inside
      kernel k  // behind

  // above when
  when k.x >=  // why 3
       3  // behind the number
   // above the connective
   and k.y

  severity info  // behind severity
  confidence low
  // above effort
  effort low
  try "t"  // first
      // second
      "u"

  example fires "x" {
    k.x = 1,  // one
    // two
    k.y = true
    // last
  }  // behind the example

  // at the end
}  // behind the rule
// at the end of the file
""",
    ),
    "a blank line that was written between groups stays where it is": (
        'rule a "A" {\n  for each kernel k\n  // about kernels\n\n  // about x\n  when k.x\n}\n',
        'rule a "A" {\n  for each kernel k\n  // about kernels\n\n  // about x\n  when k.x\n}\n',
    ),
    "fields": (
        """\
entity queue of run "One." {
  depth:count range 0..  "jobs"
  rate : jobs/s range 0 .. "r"

  // others
  a_much_longer_name : ms
  b:text "t" // behind
}
entity none { }
entity told of run   "Two."   from measured,source {
  from:count "f"   from compiled
  to : ms
}
metric late : ms of told "m"   from  measured
""",
        """\
entity queue of run "One." {
  depth : count range 0 .. "jobs"
  rate  : jobs/s range 0 .. "r"

  // others
  a_much_longer_name : ms
  b                  : text "t"  // behind
}

entity none {}

entity told of run "Two." from measured, source {
  from : count "f" from compiled
  to   : ms
}

metric late : ms of told "m" from measured
""",
    ),
    "small items": (
        """\
edition 1

pack "p"   version "1"
metric m:bytes/s of k range 0..1 "d"
define f(k)=k.a/2>3
define g( k ) = k.b


override a for device "x" {disable because "r" until 2027-06-30}
override b { set n=3
 because "r" level info because "q" }
suppress c where k.a>1 because "r"
""",
        """\
edition 1

pack "p" version "1"

metric m : bytes/s of k range 0 .. 1 "d"

define f(k) = k.a / 2 > 3
define g(k) = k.b

override a for device "x" { disable because "r" until 2027-06-30 }
override b {
  set n = 3 because "r"
  level info because "q"
}

suppress c where k.a > 1 because "r"
""",
    ),
    "nothing": (" \n\n", ""),
    "only comments": ("\n\n// a \t\n\n\n// b", "// a\n\n// b\n"),
    "a byte order mark and other line ends": ("\ufeffedition 1\r\n// c\r\n\r\n", "edition 1\n// c\n"),
}


@pytest.mark.parametrize("name", FORMS)
def test_form(name: str) -> None:
    before, after = FORMS[name]
    assert format_text("a.rules", before) == after
    assert format_text("a.rules", after) == after


def test_severity_with_a_second_level_has_its_line() -> None:
    text = 'rule a "A" { effort low severity warning,info when assumed confidence low say "s" }'
    assert format_text("a.rules", text) == (
        'rule a "A" {\n  effort low\n  severity warning, info when assumed\n  confidence low\n  say "s"\n}\n'
    )


@pytest.mark.parametrize("number", ["35%", "35.00%", "0.50", "2KiB", "2 KiB", "4 sectors/request"])
def test_numbers_stay_as_they_are_written(number: str) -> None:
    assert f"k.x > {number}\n" in format_text("a.rules", f'rule a "A" {{ when k.x>{number}\n}}')


def test_a_carriage_return_in_a_comment_is_no_line_end() -> None:
    text = "// one\rrule two\nedition 1\n"
    assert format_text("a.rules", text) == text


def test_documentation_behind_a_brace_stays_the_next_items() -> None:
    text = 'rule a "A" { when k.x } /// of b\nrule b "B" { when k.y }\n'
    formatted = format_text("a.rules", text)
    assert [(item.kind, item.doc) for item in read_rule_file("a.rules", formatted).items] == [
        ("rule", ""),
        ("rule", "of b"),
    ]
    assert formatted.splitlines()[2:5] == ["}  /// of b", "", 'rule b "B" {']


def test_items_of_one_line_stand_on_lines_of_their_own() -> None:
    text = 'edition 1 pack "house" version "1.0" rule a "A" { when k.x or k.y }\n'
    formatted = 'edition 1\npack "house" version "1.0"\n\nrule a "A" {\n  when k.x\n    or k.y\n}\n'
    assert format_text("a.rules", text) == formatted


ONE_MEANING = [
    ("when k.x and k.y", "when k.x\n and\n k.y"),
    ("when (k.x and k.y)", "when (\n k.x\n and k.y\n)"),
    ('unless k.x or k.y because "r"', 'unless k.x\nor k.y\nbecause "r"'),
    ("let z = k.x and (k.y or k.q)", "let z =\n k.x\n and (k.y\n or k.q)"),
    ("gain at most 1 - k.x", "gain at most 1\n - k.x"),
    ("when k.x between 1 and 2", "when k.x\nbetween 1\nand 2"),
]


@pytest.mark.parametrize(("one", "other"), ONE_MEANING)
def test_line_breaks_in_conditions_are_no_difference(one: str, other: str) -> None:
    written, broken = (format_text("a.rules", f'rule a "A" {{ {text} }}') for text in (one, other))
    assert written == broken
    assert format_text("a.rules", written) == written


def test_deep_brackets_are_laid_out_as_well() -> None:
    condition = "(" * 30 + "k.some_metric and k.other_metric" + " and k.x)" * 30
    text = f'rule a "A" {{ when {condition} }}'
    formatted = format_text("a.rules", text)
    assert lexemes(formatted) == lexemes(text)
    assert format_text("a.rules", formatted) == formatted


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ('rule a "A" {\n  when k.x >\n  say "s"\n}', "E109", (2, 12)),
        ('rule a "A" {\n  say "s\n}', "E108", (2, 7)),
        ('rule a "A" {\n  say "s"\n', "E106", (1, 1)),
        ('rule a "A" { when k.x } rule b "B" { when k.y }', "E101", (1, 25)),
        ("/// doc\nstray\n", "E101", (2, 1)),
        ("what is this\n", "E105", (1, 1)),
    ],
)
def test_a_file_with_errors_is_refused(text: str, code: str, place: tuple[int, int]) -> None:
    with pytest.raises(RuleErrors) as caught:
        format_text("a.rules", text)
    first = caught.value.errors[0]
    assert (first.code, (first.span.line, first.span.column)) == (code, place)


@pytest.mark.parametrize("damage", ["lost", "added"])
def test_a_formatter_that_changes_words_is_caught(monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    outcomes = {"lost": "edition 1\n", "added": "edition 1\n// kept\n// added\n"}
    monkeypatch.setattr("advisor.rules.formatting.laid_out", lambda file: outcomes[damage])
    with pytest.raises(FormattingFault):
        format_text("a.rules", "edition 1\n// kept\n")
