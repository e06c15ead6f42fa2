"""The page as HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from advisor import __version__
from advisor.reports.html_report.charts.canvas import require_matplotlib
from advisor.reports.html_report.material import Material
from advisor.reports.html_report.sections.changes import changes
from advisor.reports.html_report.sections.devices import device_comparison
from advisor.reports.html_report.sections.findings import findings_part, severities
from advisor.reports.html_report.sections.heat_map import heat_maps
from advisor.reports.html_report.sections.nvml import nvml_part
from advisor.reports.html_report.sections.origin import origin
from advisor.reports.html_report.sections.roofline import rooflines
from advisor.reports.html_report.sections.time_share import time_shares
from advisor.reports.html_report.sections.trend import trends
from advisor.reports.html_report.wording import date, milliseconds, shown
from advisor.reports.outputs.wording.counts import counted, listed

TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class Keyword:
    """A name with its value at the head of the page."""

    name: str
    value: str


def report_html(material: Material) -> str:
    """The page, which loads nothing; raises UsageError where Matplotlib is missing."""
    require_matplotlib()
    findings = findings_part(material)
    content: dict[str, Any] = {
        "title": f"Kernels of {material.project}",
        "version": __version__,
        "keywords": _keywords(material, severities(findings)),
        "warning": _warning(material),
        "times": time_shares(material),
        "rooflines": rooflines(material),
        "findings": findings,
        "sources": heat_maps(material, findings.at),
        "changes": changes(material),
        "trends": trends(material),
        "devices": device_comparison(material),
        "nvml": nvml_part(material),
        "origin": origin(material),
        "style": Markup((TEMPLATES / "report.css").read_text("utf-8")),
    }
    return _environment().get_template("report.html").render(content)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_shown,
    )
    environment.filters["prose"] = prose
    environment.filters["drawn"] = Markup
    return environment


def _shown(value: Any) -> Any:
    """What a template prints, without characters that hide what a text says."""
    if isinstance(value, Markup):
        return value
    return shown(value) if isinstance(value, str) else value


def prose(text: str) -> Markup:
    """The text escaped, with what stands in backticks as code."""
    parts = re.split(r"`([^`]+)`", shown(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else escape(part)
        for index, part in enumerate(parts)
    )


def _keywords(material: Material, found: str) -> list[Keyword]:
    keywords = [Keyword("made", date(material.made))]
    for ranking in material.rankings:
        of = "measured" if ranking.is_measured else "predicted"
        total = "no known time" if ranking.known_ms is None else f"{milliseconds(ranking.known_ms)} {of}"
        keywords.append(Keyword(ranking.device_name, f"{counted(len(ranking.kernels), 'kernel')}, {total}"))
    return [*keywords, Keyword("findings", found)]


def _warning(material: Material) -> str:
    """What is predicted here, empty where all was measured."""
    predicted = _named([one.device_name for one in material.rankings if not one.is_measured])
    if not predicted:
        return ""
    if not any(one.is_measured for one in material.rankings):
        return f"Nothing here was measured. All times are a model's predictions for {predicted}."
    return f"Times for {predicted} that are marked as predicted are a model's; they were not measured."


def _named(names: Sequence[str]) -> str:
    return listed(list(dict.fromkeys(names)))
