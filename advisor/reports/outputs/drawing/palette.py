"""Colours: ANSI sequences where they are wanted, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from advisor.model.findings import Severity

Paint = Callable[[str], str]

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "strong": "1",
    "gutter": "1;34",
    "faint": "2",
    "link": "4",
    "good": "32",
}


class Palette:
    """The paints of a report; without colours every paint returns its text unchanged."""

    def __init__(self, color: bool) -> None:
        self.strong = _paint("strong", color)
        self.gutter = _paint("gutter", color)
        self.faint = _paint("faint", color)
        self.link = _paint("link", color)
        self.good = _paint("good", color)
        self._severities = {name: _paint(name, color) for name in ("info", "warning", "error")}

    def severity(self, severity: Severity) -> Paint:
        """The paint of a severity."""
        return self._severities[severity]


def _paint(name: str, color: bool) -> Paint:
    if not color:
        return str
    before = f"\x1b[{_CODES[name]}m"
    return lambda text: f"{before}{text}\x1b[0m" if text else text
