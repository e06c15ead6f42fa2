"""When a number is worth a place in the user's text."""

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
class Thresholds:
    """The least values that are shown; `sectors_over_ideal` has to be exceeded."""

    sectors_over_ideal: float
    bank_conflict_ways: float
    lanes_per_address: float
    divided: float


@cache
def thresholds() -> Thresholds:
    """The numbers of `knowledge/editor.toml`."""
    data = tomllib.loads((knowledge_folder() / "editor.toml").read_text("utf-8"))
    return Thresholds(**{name: float(value) for name, value in data["hints"].items()})
