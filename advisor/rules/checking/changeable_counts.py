"""Which metrics a `without` clause may change, from `knowledge/changes.toml`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from typing import TypeAlias

from advisor.model.data_files import knowledge_folder
from advisor.rules.model import Metric

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


# The counts that a metric stands for, each with the metric of its record that says which part of the kernel's
# count is the record's own, "" where the whole count is.
Counts: TypeAlias = Mapping[str, str]


@cache
def _known() -> Mapping[tuple[str, str], Counts]:
    data = tomllib.loads((knowledge_folder() / "changes.toml").read_text("utf-8"))
    found = {}
    for metric, counts in data["metrics"].items():
        entity, _, name = metric.partition(".")
        found[entity, name] = counts
    return found


def changeable(metric: Metric) -> Counts | None:
    """What a metric counts of a launch, None for one that no remedy can be said to change."""
    return _known().get((metric.entity, metric.name))


def changeable_of(entity: str) -> list[str]:
    """The metrics of an entity that a remedy can change."""
    return [name for owner, name in _known() if owner == entity]
