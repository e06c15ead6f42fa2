"""The page loads nothing, runs nothing, and says of every chart in words and numbers what it shows."""

from __future__ import annotations

import re
from pathlib import Path

from page_reading import Page

from advisor.cli.pages.page_html import style_sheet
from advisor.reports.html_report.page import TEMPLATES


def test_nothing_is_loaded_and_nothing_runs(whole: str) -> None:
    found = Page(whole)
    names = {tag for tag, _ in found.tags}
    assert not names & {
        "script",
        "link",
        "iframe",
        "img",
        "image",
        "object",
        "embed",
        "base",
        "form",
        "foreignobject",
    }
    for tag, attributes in found.tags:
        assert not any(name.startswith("on") or name in ("src", "srcset") for name in attributes), tag
        for name in ("href", "xlink:href"):
            target = attributes.get(name) or "#"
            assert target.startswith("#") or (tag == "a" and target.startswith("https://")), target
    style = re.findall(r"url\(([^)]*)\)", whole)
    assert style and all(target.startswith("#") for target in style)
    assert "@import" not in whole


def test_the_policy_forbids_loading(whole: str) -> None:
    policies = [
        a["content"] for tag, a in Page(whole).tags if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"]


def test_ids_are_unique_and_every_link_arrives(whole: str) -> None:
    found = Page(whole)
    assert len(found.ids) == len(set(found.ids))
    inner = [str(a["href"])[1:] for _, a in found.tags if str(a.get("href") or "").startswith("#")]
    assert inner and set(inner) <= set(found.ids)
    assert set(re.findall(r"url\(#([^)]*)\)", whole)) <= set(found.ids)


def test_all_parts_are_there(whole: str) -> None:
    found = Page(whole)
    parts = {
        "time-0",
        "roofline-0",
        "findings",
        "source",
        "changes-0",
        "trend-0",
        "devices",
        "nvml",
        "origin",
        "rules",
    }
    assert parts <= set(found.sections)


def test_every_chart_has_words_and_a_table(whole: str) -> None:
    found = Page(whole)
    charts = [a for _, a in found.tags if a.get("role") == "img"]
    assert len(charts) == 3 * sum(tag == "figure" for tag, _ in found.tags) >= 2 * 7
    assert all(len(str(a["aria-label"])) > 40 for a in charts)
    for name, tags in found.sections.items():
        assert tags.count("figure") <= tags.count("table"), name


def test_charts_have_only_the_colours_of_the_style_sheet(whole: str) -> None:
    drawn = "".join(re.findall(r"<svg.*?</svg>", whole, re.DOTALL))
    assert not re.findall(r"#[0-9a-fA-F]{6}", drawn)
    used = set(re.findall(r"var\(--([\w-]+)\)", drawn))
    style = whole[whole.index("<style>") : whole.index("</style>")]
    for part in (style, style[style.index("prefers-color-scheme: dark") :]):
        assert used <= set(re.findall(r"--([\w-]+):", part))


def test_the_look_is_that_of_the_rule_pages() -> None:
    def variables(text: str) -> list[str]:
        return re.findall(r"--(?:text|faint|page|raised|line|link|mark): #\w+", text)

    own = (TEMPLATES / "report.css").read_text("utf-8")
    assert variables(own) == variables(style_sheet())


def test_two_pages_of_one_history_are_equal(project: Path, store: object) -> None:
    import histories
    from drawn_pages import html_of

    from advisor.model.history.store import HistoryStore

    assert isinstance(store, HistoryStore)
    histories.add_measured(store)
    store.close()
    assert html_of(project) == html_of(project)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours by WCAG 2.2."""

    def luminance(color: str) -> float:
        parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_colours_stand_out_in_light_and_in_dark() -> None:
    text = (TEMPLATES / "report.css").read_text("utf-8")
    light, dark = text.split("prefers-color-scheme: dark")[:2]
    for part in (light, dark.split("box-sizing")[0]):
        colors = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part))
        assert len(colors) == 15
        for name in ("text", "faint", "link", "alert", "good"):
            assert contrast(colors[name], colors["page"]) >= 4.5, name
            assert contrast(colors[name], colors["raised"]) >= 4.5, name
        for name in (f"series-{number}" for number in range(6)):
            assert contrast(colors[name], colors["page"]) >= 3.0, name
