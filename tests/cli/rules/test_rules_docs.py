"""`advisor rules docs`: a site whose links lead somewhere and whose texts mean what they say."""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from site_pages import Parsed, check_links, contents, parse_all

import advisor as package
from advisor.check.rulebook import rulebook_for
from advisor.cli.pages.site import site_files
from advisor.cli.pages.site_folder import MANIFEST
from advisor.model.settings.config import Config
from advisor.reports.rule_pages.catalogue import load_catalogue
from advisor.reports.rule_pages.page_model import anchor

Run = Callable[..., Any]
SHIPPED = rulebook_for(Config())
CATALOGUE = load_catalogue(Config())


EVIL = """edition 1
pack "evil" version "1.0.0"

entity queue of run "A <b>queue</b> & more." {
  depth : count range 0 .. "<i>jobs</i> & `waiting`"
}

/// What it <script>alert(1)</script> finds & more.
rule evil-rule "Title <script>alert(2)</script> & 'quotes'" {
  for each queue q
  param most = 64 range 16 .. 255 "<b>because</b>"
  when q.depth > most
  unless q.depth > 200 because "</td></table>"
  severity warning confidence high effort medium
  say "<img src=x onerror=alert(3)> {q.depth}"
  why "a < b && c > d, in `<code>`"
  try "Say `x = a[i] < 3`." "<!-- not a comment"
  source "Handbook <3" at "\\"quoted\\"" url "https://example.org/a?b=1&c=<d>"
  source "Trap" url "javascript:alert(4)"
  covers odd_pattern
  see uncoalesced-access
  fix "Replace <it>" needs review
  example fires "<b>deep</b>" { q.depth = 128 }
  example silent "flat" { q.depth = 1 }
}
"""


@pytest.fixture
def evil(project: Path) -> Path:
    folder = project / "pa cks"
    folder.mkdir()
    (folder / "evil-rule.rules").write_text(EVIL, encoding="utf-8")
    (project / "advisor.toml").write_text('packs = ["pa cks"]\n')
    return project


@pytest.fixture(scope="module")
def shipped() -> dict[str, str]:
    return site_files(SHIPPED, CATALOGUE, "html")


@pytest.fixture(scope="module")
def pages(shipped: dict[str, str]) -> dict[str, Parsed]:
    return parse_all(shipped)


def test_every_link_of_the_site_leads_to_a_place_that_exists(shipped: dict[str, str]) -> None:
    assert check_links(shipped) > 1000


def test_every_rule_has_its_page_and_its_row(shipped: dict[str, str], pages: dict[str, Parsed]) -> None:
    assert {f"rules/{name}.html" for name in CATALOGUE} | {"index.html", "metrics.html", "style.css"} == set(
        shipped
    )
    rows = {row[0]: row for row in pages["index.html"].rows}
    for name, rule in CATALOGUE.items():
        assert rule.title in pages[f"rules/{name}.html"].words
        assert rows[name][1].startswith(rule.title)
        assert rows[name][2:5] == [rule.severity, rule.confidence, rule.effort]
    assert rows["memory-bound"][5:] == ["measured", "none"]
    assert rows["float64-promotion"][5] == "compiled"
    assert rows["access-out-of-bounds"][5] == "simulated"
    assert rows["unused-suppression"][5] == "source"


def test_every_metric_has_its_entry_and_the_rules_that_use_it(pages: dict[str, Parsed]) -> None:
    page = pages["metrics.html"]
    assert {f"{entity}.{name}" for entity, name in SHIPPED.metrics} <= set(page.ids)
    assert {f"entity-{anchor(name)}" for name in SHIPPED.entities} <= set(page.ids)
    (row,) = [row for row in page.rows if row[0] == "l2_hit_rate"]
    assert row[1:4] == ["ratio", "0% to 100%", "simulated or measured"]
    assert "poor-l2-locality" in row[5].split(", ")


def test_pages_are_well_formed_and_say_what_they_are(pages: dict[str, Parsed]) -> None:
    titles = set()
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), name
        assert page.headings[0] == "h1" and set(page.headings[1:]) <= {"h2"}, name
        assert ("html", {"lang": "en"}) in page.tags
        viewport = {"name": "viewport", "content": "width=device-width, initial-scale=1"}
        assert ("meta", viewport) in page.tags
        for tag, attributes in page.tags:
            assert tag != "th" or attributes.get("scope") in ("col", "row"), name
            assert not any(key.startswith("on") or key == "style" for key in attributes), name
        assert sum(tag == "main" for tag, _ in page.tags) == 1
        titles.add(re.search("<title>(.*)</title>", page.text)[1])  # type: ignore[index]
    assert len(titles) == len(pages)


def test_nothing_is_fetched_from_anywhere(shipped: dict[str, str], pages: dict[str, Parsed]) -> None:
    for page in pages.values():
        for tag, attributes in page.tags:
            assert "src" not in attributes
            assert tag != "link" or attributes["href"] in ("style.css", "../style.css")
    assert not re.search(r"url\(|@import|https?:", shipped["style.css"])
    assert "prefers-color-scheme: dark" in shipped["style.css"]
    assert "@media print" in shipped["style.css"]
    for name, text in shipped.items():
        assert ("<script>" in text) == (name == "index.html")


def test_a_table_scrolls_inside_the_page(pages: dict[str, Parsed]) -> None:
    around_tables = [
        before
        for page in pages.values()
        for before, (tag, _) in zip([("", {}), *page.tags], page.tags, strict=False)
        if tag == "table"
    ]
    assert around_tables
    for tag, attributes in around_tables:
        assert tag == "div" and attributes["class"] == "scroll"
        assert attributes["tabindex"] == "0" and attributes["aria-label"]


def test_texts_of_packs_mean_themselves(advisor: Run, evil: Path) -> None:
    assert advisor("rules", "docs", "site").status == 0
    files = contents(evil / "site")
    check_links({name: text for name, text in files.items() if name != MANIFEST})
    text = files["rules/evil-rule.html"]
    page = Parsed(text)
    assert "<script" not in text and "<img" not in text and "<b>" not in text
    assert "evil-rule: Title <script>alert(2)</script> & 'quotes'" in page.words
    assert "a < b && c > d, in <code>" in page.words
    assert "<code>&lt;code&gt;</code>" in text  # what stands in backticks is code
    assert "<code>x = a[i] &lt; 3</code>" in text
    assert ["q.depth > 200", "</td></table>"] in page.rows
    links = dict(page.links)
    assert links["https://example.org/a?b=1&c=<d>"].startswith("Handbook <3")
    assert not any(target.lower().startswith("javascript:") for target in links)
    assert "Trap, javascript:alert(4)" in page.words
    metrics = Parsed(files["metrics.html"])
    assert ["depth", "count", "at least 0", "unknown", "<i>jobs</i> & waiting", "evil-rule"] in metrics.rows
    index = Parsed(files["index.html"])
    assert [row[6] for row in index.rows if row[0] == "evil-rule"] == ["needs review"]
    assert sum(tag == "script" for tag, _ in index.tags) == 1
    # The category of a pack's rule is its folder, whose name may hold anything.
    assert links["../index.html#category-pa_cks"] == "pa cks"
    assert dict(index.links)["#category-pa_cks"] == "pa cks"


def test_relations_are_shown_on_both_pages(advisor: Run, evil: Path) -> None:
    advisor("rules", "docs", "site")
    files = contents(evil / "site")
    assert ("uncoalesced-access.html", "uncoalesced-access") in [
        (target.rpartition("/")[2], words) for target, words in Parsed(files["rules/evil-rule.html"]).links
    ]
    assert ("../rules/evil-rule.html", "evil-rule") in Parsed(files["rules/uncoalesced-access.html"]).links


def test_only_packs(advisor: Run, evil: Path) -> None:
    assert advisor("rules", "docs", "site", "--only-packs").status == 0
    files = contents(evil / "site")
    assert [name for name in files if name.startswith("rules/")] == ["rules/evil-rule.html"]
    del files[MANIFEST]
    check_links(files)
    assert (
        "uncoalesced-access" in Parsed(files["rules/evil-rule.html"]).words
    )  # named, and no link to nowhere
    assert {row[5] for row in Parsed(files["metrics.html"]).rows if row[0] == "registers"} == {""}


def test_only_packs_without_packs_is_wrong_use(advisor: Run, project: Path) -> None:
    outcome = advisor("rules", "docs", "site", "--only-packs")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == (
        "advisor: error: --only-packs: the configuration names no packs with rules (key `packs`).\n"
    )
    assert not (project / "site").exists()


def test_markdown(advisor: Run, evil: Path) -> None:
    outcome = advisor("rules", "docs", "site", "--format", "markdown")
    assert outcome.status == 0
    files = contents(evil / "site")
    names = {f"rules/{name}.md" for name in [*CATALOGUE, "evil-rule"]} | {"index.md", "metrics.md", MANIFEST}
    assert set(files) == names
    anchors = {
        name: {f"{found}" for found in re.findall(r'<a id="([^"]+)"></a>', text)}
        for name, text in files.items()
    }
    count = 0
    for name, text in files.items():
        # What stands in backticks is code: `kernel[grid, block](a)` is no link.
        prose = "" if name == MANIFEST else re.sub(r"`[^`\n]*`", "", text)
        for target in re.findall(r"\]\(<?([^)>]+)>?\)", prose):
            if target.startswith("https://"):
                continue
            path, _, fragment = target.partition("#")
            file = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            assert file in files, (name, target)
            assert not fragment or fragment in anchors[file], (name, target)
            count += 1
    assert count > 500
    page = files["rules/evil-rule.md"]
    assert page.startswith("# evil-rule: Title &lt;script>alert(2)&lt;/script> &amp; 'quotes'\n")
    outside_code = re.sub(r"```.*?```|`[^`]*`", "", page, flags=re.DOTALL)
    assert "<script" not in outside_code and "<img" not in outside_code and "<b>" not in outside_code


@pytest.mark.parametrize(
    "argv", [["--version"], ["rules", "list"], ["explain", "slow-power"], ["rules", "docs", "--help"]]
)
def test_no_other_command_imports_the_templates_library(argv: list[str], project: Path) -> None:
    code = (
        "import sys; from advisor.__main__ import main; main(sys.argv[1:]); "
        "sys.exit(str({'jinja2', 'markupsafe'} & set(sys.modules) or ''))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *argv],
        env={**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stderr.strip() == ""
