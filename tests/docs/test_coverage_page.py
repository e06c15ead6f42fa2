"""The pages of what documents and other tools ask for are complete and true; `--renew-golden` writes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.cli import command_names
from advisor.fixes import known_fixes
from advisor.model.devices import find_device
from advisor.model.settings.config import Config
from advisor.reports.rule_pages.coverage import (
    Coverage,
    CoverageRow,
    coverage,
    coverage_as_markdown,
    peer_patterns,
)

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "coverage.md": ("coverage.toml", coverage),
    "peers-checklist.md": ("peer_patterns.toml", peer_patterns),
}
# How many statements each document has, as they were listed from the documents themselves.
STATEMENTS = {"N": 11, "P": 19, "Q": 20, "T": 16, "D": 13}
# The last number of each group of patterns: they are numbered through.
PATTERNS = {"A": 15, "B": 31, "C": 38, "D": 42, "E": 51, "F": 64, "G": 69, "H": 81, "I": 84}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_what_the_knowledge_says(name: str, request: pytest.FixtureRequest) -> None:
    file, stated = PAGES[name]
    page = ROOT / "docs/quality" / name
    mark = f"<!-- coverage: written from knowledge/{file} -->\n"
    head, found, shown = page.read_text("utf-8").partition(mark)
    assert found
    written = "\n" + coverage_as_markdown(stated())
    if request.config.getoption("--renew-golden"):
        page.write_text(head + mark + written, encoding="utf-8")
    else:
        assert shown == written, "pytest tests/docs --renew-golden -p no:xdist writes it"


def test_every_statement_has_its_row() -> None:
    ids = [one.id for one in coverage().rows]
    assert ids == [
        f"{letter}{number}" for letter, most in STATEMENTS.items() for number in range(1, most + 1)
    ]


def test_every_pattern_of_other_tools_has_its_row() -> None:
    expected = []
    first = 1
    for letter, last in PATTERNS.items():
        expected += [f"{letter}{number}" for number in range(first, last + 1)]
        first = last + 1
    found = peer_patterns()
    assert [one.id for one in found.rows] == expected
    assert set(found.documents) == set(PATTERNS)
    assert all(one.seen_in for one in found.rows)


@pytest.mark.parametrize("stated", [coverage, peer_patterns])
def test_what_is_named_exists(stated: Callable[[], Coverage]) -> None:
    rulebook = rulebook_for(Config())
    fixes = {one.id for one in known_fixes()}
    exists = {
        "rules": lambda name: rulebook.rule(name) is not None,
        "fixes": lambda name: name in fixes,
        "metrics": lambda name: rulebook.metric(*name.split(".")) is not None,
        "commands": lambda name: name in command_names(),
        "workloads": lambda name: (ROOT / "kernels" / f"{name}.py").is_file(),
        "devices": lambda name: find_device(name).id == name,
        "pages": lambda name: (ROOT / name).is_file(),
    }
    for row in stated().rows:
        for kind, names in row.covered.items():
            missing = [name for name in names if not exists[kind](name)]
            assert not missing, (row.id, kind, missing)


def test_a_statement_is_covered_or_said_to_be_limited() -> None:
    for row in coverage().rows:
        assert row.covered or row.limit, row.id


def test_a_pattern_is_covered_or_a_reason_is_given() -> None:
    for row in peer_patterns().rows:
        assert bool(row.covered) != bool(row.left_out), row.id


def test_limits_are_seen_on_the_page() -> None:
    row = CoverageRow("N1", "Something.", {}, "no rule can")
    page = coverage_as_markdown(Coverage({"N": "A document"}, (row,)))
    assert page == (
        "## A document\n\n| # | statement | rules | what else |\n|---|---|---|---|\n"
        "| N1 | Something. |  | limit: no rule can |\n"
    )


def test_tools_and_reasons_are_seen_on_the_page() -> None:
    row = CoverageRow("A1", "Something.", {}, "", "nobody can", ("ncu", "GPA"))
    other = CoverageRow("A2", "More.", {"rules": ("a-rule",), "fixes": ("a-fix",)}, "", "", ("GPA",))
    page = coverage_as_markdown(Coverage({"A": "A group"}, (row, other)))
    assert page == (
        "## A group\n\n| # | statement | looked for by | rules | what else |\n|---|---|---|---|---|\n"
        "| A1 | Something. | ncu, GPA |  | not looked for: nobody can |\n"
        "| A2 | More. | GPA | `a-rule` | fix `a-fix` |\n"
    )
