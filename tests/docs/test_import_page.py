"""The table of which rules can speak of which report is what the tables of imports say."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.model.settings.config import Config
from advisor.reports.rule_pages.import_table import import_table

PAGE = Path(__file__).resolve().parents[2] / "docs/import.md"
MARK = "<!-- rules: written from knowledge/imports -->\n"


def test_the_table_is_what_the_tables_of_imports_say(request: pytest.FixtureRequest) -> None:
    head, found, shown = PAGE.read_text("utf-8").partition(MARK)
    assert found
    written = "\n" + import_table(rulebook_for(Config()), "a100-80gb")
    if request.config.getoption("--renew-golden"):
        PAGE.write_text(head + MARK + written, encoding="utf-8")
    else:
        assert shown == written, "pytest tests/docs --renew-golden -p no:xdist writes it"


def test_rules_speak_of_what_reports_hold() -> None:
    rows = {
        row.split("|")[1].strip(" `"): [cell.strip() for cell in row.split("|")[2:-1]]
        for row in import_table(rulebook_for(Config()), "a100-80gb").splitlines()[2:]
    }
    yes, no = "yes", ""
    assert rows["warp-divergence"] == [yes, no, no, no, no, no]
    assert rows["excess-sectors-at-line"] == [no, yes, no, no, no, no]
    assert rows["launch-bound"] == [no, no, yes, yes, yes, no]
    assert rows["thermal-throttling"] == [no, no, no, no, no, yes]
    # Grids of AMD's GPUs mean something else, and launches of the source are in no report.
    assert rows["occupancy-limited-by-registers"] == [yes, no, yes, yes, no, no]
    assert "grid-too-small" not in rows
