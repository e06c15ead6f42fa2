"""Kernels whose speed nobody waits for: what is slow in them is a remark."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache

from advisor.data_files import knowledge_folder
from advisor.rules.expressions import Reference
from advisor.rules.model import Rule, Rulebook
from advisor.text import Span

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class ColdKernels:
    """The metric of kernels that tells it, the categories of rules that heed it, a sentence for findings."""

    metric: str
    categories: frozenset[str]
    reason: str


@cache
def cold_kernels() -> ColdKernels:
    """What `knowledge/cold_kernels.toml` says."""
    data = tomllib.loads((knowledge_folder() / "cold_kernels.toml").read_text("utf-8"))
    return ColdKernels(data["metric"], frozenset(data["categories"]), data["reason"])


def coldness(rule: Rule, rulebook: Rulebook) -> Reference | None:
    """The metric of the rule's kernel that tells whether it is cold; None where the rule heeds it not."""
    told = cold_kernels()
    if rule.category not in told.categories or ("kernel", told.metric) not in rulebook.metrics:
        return None
    variables = {entity: name for name, entity in reversed(rule.variables)}
    if "kernel" in variables:
        return Reference((variables["kernel"], told.metric), Span(1))
    if rulebook.owner_entity().get(rule.entity) == "kernel":
        return Reference((rule.variables[0][0], "kernel", told.metric), Span(1))
    return None
