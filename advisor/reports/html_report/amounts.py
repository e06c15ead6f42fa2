"""How much the page shows: the numbers of `knowledge/report_page.toml`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache

from advisor.model.data_files import knowledge_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Amounts:
    """The most that is shown of each."""

    bars: int
    named_points: int
    lines: int
    line_points: int
    times: int
    compared: int
    compared_runs: int
    changed: int
    sources: int
    findings: int
    places: int
    runs: int
    samples: int


@cache
def amounts() -> Amounts:
    """The numbers as they are shipped."""
    data = tomllib.loads((knowledge_folder() / "report_page.toml").read_text("utf-8"))
    return Amounts(**data["shown"])
