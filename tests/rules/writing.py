"""A small vocabulary, a complete rule with room for changes, and tables of records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from advisor.evidence.metrics.tables import Tables, build_tables
from advisor.model.records import Reading, Record
from advisor.model.text.source_text import Span
from advisor.rules import Rulebook, RuleError, RuleErrors, rulebook_from_texts

VOCABULARY = """edition 1
entity run "One run." { total : ms range 0 .. "time" }
entity kernel of run "One kernel." {
  registers : count range 0 .. 255 "registers"
  spilled   : byte  range 0 .. "bytes"
  share     : ratio range 0 .. 1 "a share"
  time      : ms range 0 .. "time"
  debug     : truth "debug"
  limiter   : text "what limits"
}
entity access of kernel "One access." {
  space   : text "global or shared"
  sectors : sectors/request range 1 .. 32 "sectors"
  ideal   : sectors/request range 1 .. 32 "ideal sectors"
  guarded : truth "behind a check"
}
entity device "The device." {
  sm_count : count range 1 .. "multiprocessors"
  name     : text "its name"
}
"""

RULE = """/// What it is about.
rule many-registers "Many registers" {
  for each kernel k
  param most = 128 range 32 .. 255 "as the guide says"

  when k.registers > most

  severity warning  confidence high  effort low
  say "The kernel uses {k.registers} registers, more than {most}."
  why "Registers limit the warps on an SM."
  try "Split the kernel."
  source "A guide" at "Registers" url "https://example.org/guide"

  example fires "many" { k.registers = 200 }
  example silent "few" { k.registers = 32 }
}
"""
CONDITION = "k.registers > most"


def load(*changes: tuple[str, str], rule: str = RULE, more: str = "") -> Rulebook:
    """The rulebook of the vocabulary and the rule with texts replaced, in files of their own names."""
    return rulebook_from_texts(_files(changes, rule, more))


def errors(*changes: tuple[str, str], rule: str = RULE, more: str = "") -> list[RuleError]:
    """Every error of the changed rule, none when it loads."""
    try:
        rulebook_from_texts(_files(changes, rule, more))
    except RuleErrors as found:
        return found.errors
    return []


def _files(changes: Sequence[tuple[str, str]], rule: str, more: str) -> list[tuple[str, str]]:
    for old, new in changes:
        assert old in rule, old
        rule = rule.replace(old, new)
    return [
        ("metrics/words.rules", VOCABULARY),
        ("occupancy/many-registers.rules", rule),
        *([(f"pack/{_file_name(more)}.rules", more)] if more else []),
    ]


def _file_name(more: str) -> str:
    """The name of the further file: that of the rule in it, where there is another one."""
    found = re.search(r"^rule ([\w-]+)", more, re.MULTILINE)
    return found[1] if found and found[1] != "many-registers" else "more"


def codes(found: Sequence[RuleError]) -> list[str]:
    return [error.code for error in found]


def tables(
    book: Rulebook, *rows: tuple[str, str, str | None, Mapping[str, float | str | bool | None]]
) -> Tables:
    """Tables of rows given as (entity, key, owner's key, values); a value None is unknown."""
    records = []
    for entity, key, owner, values in rows:
        record = Record(entity, key, "a.py", Span(len(records) + 1), key, owner)
        record.readings = {name: Reading(value) for name, value in values.items() if value is not None}
        records.append(record)
    return build_tables(records, book.owner_entity())
