"""`once per kernel by number`: the finding of a kernel stands where the number is largest."""

from __future__ import annotations

from writing import errors, load, tables

from advisor.model.findings import Finding
from advisor.rules import Rulebook
from advisor.rules.evaluation.causes import joined_causes
from advisor.rules.evaluation.findings import to_finding
from advisor.rules.evaluation.judgement import judge
from advisor.rules.formatting import format_text

RULE = """/// What it is about.
rule many-registers "Many sectors" {
  for each access a of kernel k
  param most = 4 sectors/request range 1 sectors/request .. 32 sectors/request "as the guide says"

  when a.sectors > most
  doubt a.guarded because "few lanes get there"
  once per kernel by a.sectors

  severity warning  confidence high  effort low
  say "{a.sectors} here."
  why "Sectors are moved whole."
  try "Use neighbours."
  source "A guide" at "Sectors" url "https://example.org/guide"

  example fires "many" { a.sectors = 32 sectors/request }
  example silent "few" { a.sectors = 4 sectors/request }
}
"""


def told(*accesses: tuple[str, dict[str, object]], rule: str = RULE) -> list[Finding]:
    book: Rulebook = load(rule=rule)
    rows = [("access", f"{owner}{number}", owner, values) for number, (owner, values) in enumerate(accesses)]
    table = tables(book, ("kernel", "k", None, {}), ("kernel", "j", None, {}), *rows)
    found = [to_finding(match, book, table) for match in judge(book, table).matches]
    return joined_causes(found, {}, {"many-registers"})


def test_the_largest_of_a_kernel_is_told_with_the_places_of_the_others():
    (finding,) = told(("k", {"sectors": 8.0}), ("k", {"sectors": 32.0}), ("k", {"sectors": 16.0}))
    assert finding.message == "32 sectors/request here. In 3 places."
    assert [further.message for further in finding.further_places] == [
        "8 sectors/request here.",
        "16 sectors/request here.",
    ]


def test_each_kernel_has_its_own():
    found = told(("k", {"sectors": 8.0}), ("j", {"sectors": 16.0}), ("j", {"sectors": 8.0}))
    assert [(one.kernel, one.message[:2], len(one.related)) for one in found] == [
        ("k", "8 ", 0),
        ("j", "16", 1),
    ]


def test_a_warning_comes_before_a_larger_number_of_a_remark():
    (finding,) = told(("k", {"sectors": 8.0}), ("k", {"sectors": 32.0, "guarded": True}))
    assert (finding.severity, finding.message) == ("warning", "8 sectors/request here. In 2 places.")


def test_a_number_that_is_not_known_comes_last():
    by_ideal = RULE.replace("by a.sectors", "by a.ideal")
    (finding,) = told(("k", {"sectors": 32.0}), ("k", {"sectors": 8.0, "ideal": 1.0}), rule=by_ideal)
    assert finding.message == "8 sectors/request here. In 2 places."


def test_without_the_clause_the_number_furthest_from_its_threshold_is_the_worst():
    plain = RULE.replace("  once per kernel by a.sectors\n", "")
    (finding,) = told(("k", {"sectors": 8.0}), ("k", {"sectors": 32.0}), rule=plain)
    assert finding.message == "32 sectors/request here. In 2 places."


def test_the_number_has_to_be_one():
    assert [one.code for one in errors(rule=RULE.replace("by a.sectors", "by a.space"))] == ["E209"]
    assert [one.code for one in errors(rule=RULE.replace("by a.sectors", "by a.sector"))] == ["E201"]


def test_it_keeps_its_place_in_the_form():
    text = f"edition 1\n\n{RULE}"
    assert format_text("many-registers.rules", text) == text
