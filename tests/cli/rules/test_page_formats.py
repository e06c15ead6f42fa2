"""A page as text and as Markdown."""

from __future__ import annotations

import pytest

from advisor.cli.pages.page_text import page_as_text
from advisor.reports.rule_pages.page_markdown import page_as_markdown
from advisor.reports.rule_pages.page_model import Page, Section, Words, anchor

SAMPLE = Page(
    "one-rule: a*b < c",
    (("severity", "info"),),
    (
        Section("What", ("- of `a|b<c>` & [d](e) _f_ g_h",)),
        Section("Code", code='when k.name = "```"', language="rules"),
        Section("Copy", ("Do it.",), code="# " + "word " * 30, language="toml"),
        Section("List", items=("plain", Words("a source", "https://example.org/(a)"), Words("x", "rule:x"))),
        Section(
            "Table",
            table=(("verdict", "name", "values"), ("fires", "a|b", (Words("x = `1`", code=True), "y"))),
            listed=True,
        ),
        Section("Anchors", table=(("metric", "unit"), (Words("registers", name="kernel.registers"), ""))),
    ),
)


def test_text() -> None:
    text = page_as_text(SAMPLE, 60)
    assert text.startswith("one-rule: a*b < c\n\nseverity info\n\nWhat\n  - of `a|b<c>` & [d](e) _f_ g_h\n\n")
    assert '\nCode\n  when k.name = "```"\n' in text
    assert f"\nCopy\n  Do it.\n\n  # {'word ' * 30}\n" in text  # there to be copied, so it is not broken
    assert "\n  - plain\n  - a source, https://example.org/(a)\n  - x\n" in text
    assert "\n  - fires (a|b): x = `1`, y\n" in text
    assert text.endswith("\n  metric     unit\n  registers")


def test_markdown() -> None:
    text = page_as_markdown(SAMPLE, lambda target: "x.md" if target == "rule:x" else target)
    assert text.startswith("# one-rule: a\\*b &lt; c\n\n*severity info*\n\n## What\n\n")
    assert "\n\\- of `a|b<c>` &amp; \\[d\\](e) \\_f\\_ g_h\n" in text
    assert '\n````rules\nwhen k.name = "```"\n````\n' in text
    assert "\n- plain\n- [a source](<https://example.org/(a)>)\n- [x](x.md)\n" in text
    assert "\n| fires | a\\|b | `` x = `1` ``, y |\n" in text
    assert '| <a id="kernel.registers"></a>registers |  |' in text


def test_markdown_that_stands_alone_links_to_the_web_only() -> None:
    assert "\n- [a source](<https://example.org/(a)>)\n- x\n" in page_as_markdown(SAMPLE)


@pytest.mark.parametrize("target", ["javascript:alert(1)", "file:///a", "https://a b", "", "HTTPS:/x"])
def test_what_is_no_address_of_the_web_is_no_link(target: str) -> None:
    page = Page("t", (), (Section("Sources", items=(Words("a", target),)),))
    assert page_as_markdown(page).endswith("\n- a")


def test_anchors_are_different_for_different_texts() -> None:
    texts = ["a b", "a_b", "a-b", "a.b", "ab", "A b", "a  b", "ä", "a/b"]
    assert len({anchor(text) for text in texts}) == len(texts)
    assert anchor("see also") == "see_also"
