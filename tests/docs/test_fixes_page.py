"""The page of all fixes says what their modules say; `--renew-golden` writes it anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from program_in_process import run_advisor

from advisor.fixes import fix_description, known_fixes
from advisor.reports.rule_pages.fix_page import find_fix, fixes_as_markdown, fixes_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "fixes.md"
MARK = "<!-- fixes: written from advisor/fixes/rewrites -->\n"


def test_the_page_is_what_the_fixes_say(request: pytest.FixtureRequest) -> None:
    head, _, shown = PAGE.read_text("utf-8").partition(MARK)
    written = "\n" + fixes_as_markdown(known_fixes())
    if request.config.getoption("--renew-golden"):
        PAGE.write_text(head + MARK + written, encoding="utf-8")
    else:
        assert shown == written, "pytest tests/docs --renew-golden -p no:xdist writes it"


def test_every_fix_is_described_and_names_rules_that_exist() -> None:
    listed = run_advisor(Path.cwd(), "rules", "list", "--format", "json").stdout
    for fix in known_fixes():
        assert fix_description(fix.id).endswith("."), fix.id
        for rule in fix.rules:
            assert f'"{rule}"' in listed, (fix.id, rule)


def test_fixes_are_found_by_name_and_by_rule() -> None:
    fix = find_fix("swap-thread-axes")
    assert fix is not None and fix in fixes_of("transposed-index")
    assert find_fix("no-such-fix") is None
    assert fixes_of("no-such-rule") == []


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_explain_shows_a_fix(form: str) -> None:
    done = run_advisor(Path.cwd(), "explain", "pad-shared-tile", "--format", form)
    assert done.returncode == 0, done.stderr
    assert "pad-shared-tile" in done.stdout and "shared-bank-conflict" in done.stdout
