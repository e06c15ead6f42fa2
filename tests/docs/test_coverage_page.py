"""The page of what the source documents ask for is complete and true; `--renew-golden` writes it anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.cli import command_names
from advisor.config import Config
from advisor.devices import find_device
from advisor.fixes import known_fixes
from advisor.pages.coverage import Coverage, CoverageRow, coverage, coverage_as_markdown
from advisor.rulebook import rulebook_for

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "coverage.md"
MARK = "<!-- coverage: written from knowledge/coverage.toml -->\n"
# How many statements each document has, as they were listed from the documents themselves.
STATEMENTS = {"N": 11, "P": 17, "Q": 15, "T": 13, "D": 10}


def test_the_page_is_what_the_knowledge_says(request: pytest.FixtureRequest) -> None:
    head, _, shown = PAGE.read_text("utf-8").partition(MARK)
    written = "\n" + coverage_as_markdown(coverage())
    if request.config.getoption("--renew-golden"):
        PAGE.write_text(head + MARK + written, encoding="utf-8")
    else:
        assert shown == written, "pytest tests/docs --renew-golden -p no:xdist writes it"


def test_every_statement_has_its_row() -> None:
    ids = [one.id for one in coverage().rows]
    assert ids == [
        f"{letter}{number}" for letter, most in STATEMENTS.items() for number in range(1, most + 1)
    ]


def test_what_is_named_exists() -> None:
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
    for row in coverage().rows:
        for kind, names in row.carried.items():
            missing = [name for name in names if not exists[kind](name)]
            assert not missing, (row.id, kind, missing)


def test_a_statement_is_carried_or_said_to_be_open() -> None:
    for row in coverage().rows:
        assert row.carried or row.open, row.id


def test_open_statements_are_seen_on_the_page() -> None:
    row = CoverageRow("N1", "Something.", {}, "no rule yet")
    page = coverage_as_markdown(Coverage({"N": "A document"}, (row,)))
    assert page == (
        "## A document\n\n| # | statement | rules | what else |\n|---|---|---|---|\n"
        "| N1 | Something. |  | **open: no rule yet** |\n"
    )
