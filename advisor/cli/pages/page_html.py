"""Pages as HTML, by the templates in the folder beside this module."""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from advisor.reports.rule_pages.page_model import LinkTo, Page, is_web

TEMPLATES = Path(__file__).with_name("templates")
STYLE = "style.css"


class HtmlWriter:
    """Writes pages as HTML files that need nothing but the style sheet beside the first page."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._environment.filters["prose"] = prose
        self._environment.tests["web"] = is_web

    def write(self, template: str, page: Page, root: str, link_to: LinkTo, summary: str = "") -> str:
        """The page by that template, described by `summary`; `root` is the way to the first page's folder."""
        return self._environment.get_template(template).render(
            page=page, root=root, link_to=link_to, summary=summary
        )


def style_sheet() -> str:
    """The text of the style sheet."""
    return (TEMPLATES / STYLE).read_text("utf-8")


def prose(text: str) -> Markup:
    """The text escaped, with what stands in backticks as code."""
    parts = re.split(r"`([^`]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else escape(part)
        for index, part in enumerate(parts)
    )
