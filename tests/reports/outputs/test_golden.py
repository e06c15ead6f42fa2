"""Every format against its golden files."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sample_reports import REPORTS, RULES

from advisor import __version__
from advisor.reports.outputs import RenderOptions, available_formats, render_report

# Of a format that is not named here the golden files end with `.txt`.
_ENDINGS = {
    "json": "json", "sarif": "sarif", "gitlab": "json", "json-lines": "jsonl", "junit": "xml",
    "markdown": "md",
}  # fmt: skip


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("name", available_formats())
def test_the_format_prints_what_its_golden_file_holds(
    name: str, report: str, golden: Callable[[str, str], None]
) -> None:
    text = render_report(name, REPORTS[report](), RULES, RenderOptions(width=80, statistics=report == "full"))
    ending = _ENDINGS.get(name, "txt")
    golden(f"{report}.{name}.{ending}", text.replace(f'"{__version__}"', '"VERSION"'))


def test_colours(golden: Callable[[str, str], None]) -> None:
    options = RenderOptions(width=80, color=True, statistics=True)
    text = render_report("text", REPORTS["full"](), RULES, options)
    golden("full.colours.txt", text.replace("\x1b", "ESC"))


def test_a_narrow_terminal(golden: Callable[[str, str], None]) -> None:
    text = render_report("text", REPORTS["full"](), RULES, RenderOptions(width=40))
    golden("full.narrow.txt", text)
