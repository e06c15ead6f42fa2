"""Sentences of rules count in the plural; of one thing the singular is shown."""

from __future__ import annotations

import pytest
from writing import load, tables

from advisor.rules.evaluation.judgement import judge

RULE = """/// What it is about.
rule many-registers "Registers" {
  for each kernel k
  when k.registers < 99
  severity warning  confidence high  effort low
  say "SAID"
  why "Registers are few."
  try "Use fewer."
  source "A guide" at "Registers" url "https://example.org/guide"

  example fires "some" { k.registers = 1 }
  example silent "many" { k.registers = 99 }
}
"""


@pytest.mark.parametrize(
    ("say", "number", "told"),
    [
        ("{k.registers} blocks.", 1.0, "1 block."),
        ("{k.registers} blocks.", 2.0, "2 blocks."),
        ("{k.registers} blocks.", 21.0, "21 blocks."),
        ("{k.registers} blocks.", 0.0, "0 blocks."),
        ("In {k.registers} launches.", 1.0, "In 1 launch."),
        ("{k.registers} times as many.", 1.0, "1 times as many."),
        ("{k.registers} is few.", 1.0, "1 is few."),
        ("0.{k.registers} threads.", 1.0, "0.1 threads."),
        ("{k.registers} copies and {k.registers} accesses.", 1.0, "1 copy and 1 access."),
        ("Of {k.registers} 1 ms.", 1.0, "Of 1 1 ms."),
    ],
)
def test_what_is_shown(say: str, number: float, told: str) -> None:
    book = load(rule=RULE.replace("SAID", say))
    table = tables(book, ("kernel", "k", None, {"registers": number}))
    (match,) = judge(book, table).matches
    assert match.say == told
