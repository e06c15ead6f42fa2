"""Output formats. Each module of this package is one; nothing registers it.

A module has FOR_MACHINES, SHOWS_FIXES and `render`.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TextIO, TypeAlias, cast

from advisor.model.errors import UsageError
from advisor.model.findings import Report, Severity
from advisor.reports.outputs.wording.places import once_for_each_place


class RuleInfo(Protocol):
    """What a format may say of a rule; `url` is empty or absolute, `doc` and `why` are Markdown."""

    @property
    def id(self) -> str:
        """The stable name of the rule."""

    @property
    def title(self) -> str:
        """The name of the rule in a few words."""

    @property
    def category(self) -> str:
        """The group the rule belongs to."""

    @property
    def doc(self) -> str:
        """What the rule looks for."""

    @property
    def why(self) -> str:
        """Why it matters."""

    @property
    def url(self) -> str:
        """The page of the rule or of its source."""

    @property
    def severity(self) -> Severity:
        """The severity that the rule has unless configured."""


RuleCatalogue: TypeAlias = Mapping[str, RuleInfo]


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How to render: `width` in terminal columns, ANSI colours or none, and the statistics or not.

    A text that is `quiet` has no counts. A short one shows so many `causes`, None for as many as it does.
    On a `terminal` a finding and a place go on in a second line where one is too narrow.
    """

    width: int = 100
    color: bool = False
    statistics: bool = False
    quiet: bool = False
    causes: int | None = None
    terminal: bool = False


class Format(Protocol):
    """What a format module offers; machines read the text in UTF-8 whatever the terminal's encoding is.

    Fixes are written only for a format that shows them, since that takes longer than the check itself.
    """

    FOR_MACHINES: bool
    SHOWS_FIXES: bool

    def render(self, report: Report, rules: RuleCatalogue, options: RenderOptions) -> str:
        """The whole text of `report`; rules missing from `rules` are described by their findings."""


def available_formats() -> list[str]:
    """The names of all formats, in alphabetical order (`json-lines` for the module `json_lines`)."""
    return sorted(
        module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__) if not module.ispkg
    )


def load_format(name: str) -> Format:
    """The module of the format called `name`; raises UsageError when there is none."""
    if name not in available_formats():
        raise UsageError(f"There is no output format {name!r}. Formats: {', '.join(available_formats())}.")
    return cast(Format, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))


def render_report(
    name: str, report: Report, rules: RuleCatalogue, options: RenderOptions | None = None
) -> str:
    """The text of `report` in the format `name`; raises UsageError when there is no such format."""
    output = load_format(name)
    shown = report if output.FOR_MACHINES else once_for_each_place(report)
    return output.render(shown, rules, options or RenderOptions())


def options_for(
    stream: TextIO,
    *,
    statistics: bool = False,
    quiet: bool = False,
    causes: int | None = None,
    environ: Mapping[str, str] = os.environ,
) -> RenderOptions:
    """The options that suit `stream`: colours and the window's width only where it is a terminal.

    A NO_COLOR that is not empty and TERM=dumb switch the colours off (https://no-color.org).
    """
    if not stream.isatty():
        return RenderOptions(statistics=statistics, quiet=quiet, causes=causes)
    color = not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    width = max(40, shutil.get_terminal_size((100, 24)).columns)
    return RenderOptions(width, color, statistics, quiet, causes, terminal=True)
