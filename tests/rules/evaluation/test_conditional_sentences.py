"""`say "…" when condition`: sentences that a message has where their condition holds."""

from __future__ import annotations

import pytest
from writing import errors, load, tables

from advisor.reports.rule_pages.page_markdown import page_as_markdown
from advisor.reports.rule_pages.rule_page import build_page
from advisor.rules.evaluation.judgement import judge
from advisor.rules.formatting import format_text

RULE = """/// What it is about.
rule many-registers "Many registers" {
  for each kernel k
  param most = 64 range 32 .. 255 "as the guide says"

  when k.registers > most

  severity warning  confidence high  effort low
  say "{k.registers} registers."
  say "More than {most} twice over." when k.registers > 2 * most
  say "{k.spilled} are spilled." when k.spilled > 0 B and not k.debug
  why "Registers are shared."
  try "Use fewer."
  source "A guide" at "Registers" url "https://example.org/guide"

  example fires "many" { k.registers = 65 }
  example silent "few" { k.registers = 64 }
}
"""


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"registers": 65.0}, "65 registers."),
        ({"registers": 129.0}, "129 registers. More than 64 twice over."),
        ({"registers": 65.0, "spilled": 8.0, "debug": False}, "65 registers. 8 B are spilled."),
        ({"registers": 65.0, "spilled": 8.0, "debug": True}, "65 registers."),
        ({"registers": 65.0, "spilled": 0.0, "debug": False}, "65 registers."),
        # Whether the build is one for debugging is not known.
        ({"registers": 65.0, "spilled": 8.0}, "65 registers."),
        (
            {"registers": 129.0, "spilled": 8.0, "debug": False},
            "129 registers. More than 64 twice over. 8 B are spilled.",
        ),
    ],
)
def test_a_message_has_the_sentences_that_hold(values: dict[str, object], message: str) -> None:
    book = load(rule=RULE)
    (match,) = judge(book, tables(book, ("kernel", "k", None, values))).matches
    assert match.say == message


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("when k.registers > 2 * most", "", "E302"),
        ("when k.registers > 2 * most", "when k.register > 2 * most", "E201"),
        ("{most} twice", "{more} twice", "E311"),
        ("k.spilled > 0 B", "k.spilled > 0 ms", "E207"),
    ],
)
def test_what_is_wrong_in_a_sentence(old: str, new: str, code: str) -> None:
    assert old in RULE
    assert code in [error.code for error in errors(rule=RULE.replace(old, new))]


def test_a_rule_needs_a_sentence_without_a_condition() -> None:
    text = RULE.replace('  say "{k.registers} registers."\n', "")
    assert [error.code for error in errors(rule=text)] == ["E301"]


def test_the_form_is_kept_and_long_conditions_go_to_a_line_of_their_own() -> None:
    assert format_text("pack/many-registers.rules", RULE) == RULE
    long = RULE.replace(
        "{k.spilled} are spilled.",
        "{k.spilled} are spilled to local memory, which lies in DRAM and is shared by all.",
    )
    laid_out = format_text("pack/many-registers.rules", long)
    assert 'by all."\n      when k.spilled > 0 B and not k.debug\n' in laid_out
    assert format_text("pack/many-registers.rules", laid_out) == laid_out


def test_the_page_of_a_rule_shows_its_sentences() -> None:
    book = load(rule=RULE)
    rule = book.rule("many-registers")
    assert rule is not None
    assert "k.registers > 2 * most" in page_as_markdown(build_page(rule, book))
