"""The pages of all rules as files: what is written into which, and how they link to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from advisor.cli.pages.overview import category_anchor, metrics_page, rules_page
from advisor.cli.pages.page_html import STYLE, HtmlWriter, style_sheet
from advisor.reports.rule_pages.catalogue import AnyRule
from advisor.reports.rule_pages.page_markdown import page_as_markdown
from advisor.reports.rule_pages.page_model import LinkTo, is_web
from advisor.reports.rule_pages.rule_page import build_page
from advisor.rules.model import Rulebook

Format: TypeAlias = Literal["html", "markdown"]
_SUFFIXES: Mapping[Format, str] = {"html": ".html", "markdown": ".md"}
_UP = "../"


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the pages of `rules` lie and which suffix they have."""

    rules: frozenset[str]
    suffix: str

    def link(self, root: str, target: str) -> str:
        """The address of a target from a page whose way to the first page's folder is `root`; "" for none."""
        kind, _, name = target.partition(":")
        if is_web(target):
            return target
        if kind == "rule":
            return f"{root}rules/{name}{self.suffix}" if name in self.rules else ""
        if kind == "metric":
            return f"{root}metrics{self.suffix}#{name}"
        return f"{root}index{self.suffix}#{category_anchor(name)}" if kind == "category" else ""


def site_files(rulebook: Rulebook, rules: Mapping[str, AnyRule], form: Format) -> dict[str, str]:
    """The text of each file of the pages about `rules`, by its path from the output folder."""
    suffix = _SUFFIXES[form]
    places = _Places(frozenset(rules), suffix)
    here, below = partial(places.link, ""), partial(places.link, _UP)
    write = _markdown_files if form == "markdown" else _html_files
    return {name.replace("*", suffix): text for name, text in write(rulebook, rules, here, below).items()}


def _markdown_files(
    rulebook: Rulebook, rules: Mapping[str, AnyRule], here: LinkTo, below: LinkTo
) -> dict[str, str]:
    files = {
        "index*": page_as_markdown(rules_page(rulebook, rules.values()), here),
        "metrics*": page_as_markdown(metrics_page(rulebook, rules.values()), here),
    }
    for rule in rules.values():
        page = page_as_markdown(build_page(rule, rulebook), below)
        files[f"rules/{rule.id}*"] = f"{page}\n\n[All rules]({_UP}index.md) · [All metrics]({_UP}metrics.md)"
    return {name: f"{text}\n" for name, text in files.items()}


def _html_files(
    rulebook: Rulebook, rules: Mapping[str, AnyRule], here: LinkTo, below: LinkTo
) -> dict[str, str]:
    writer = HtmlWriter()
    files = {
        STYLE: style_sheet(),
        "index*": writer.write("index.html", rules_page(rulebook, rules.values()), "", here),
        "metrics*": writer.write("metrics.html", metrics_page(rulebook, rules.values()), "", here),
    }
    for rule in rules.values():
        page = build_page(rule, rulebook)
        files[f"rules/{rule.id}*"] = writer.write("rule.html", page, _UP, below, summary=rule.doc)
    return files
