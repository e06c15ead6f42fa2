"""Kernels whose speed nobody waits for: what is slow in them is a remark."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache

from advisor.model.data_files import knowledge_folder
from advisor.model.text.source_text import Span
from advisor.rules.language.expressions import Reference
from advisor.rules.model import Rule, Rulebook

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class ColdKernels:
    """The metrics of kernels that tell it with what findings say of them, and which categories heed them."""

    reasons: dict[str, str]
    categories: frozenset[str]


@cache
def cold_kernels() -> ColdKernels:
    """What `knowledge/cold_kernels.toml` says."""
    data = tomllib.loads((knowledge_folder() / "cold_kernels.toml").read_text("utf-8"))
    return ColdKernels(data["metrics"], frozenset(data["categories"]))


def coldness(rule: Rule, rulebook: Rulebook) -> list[tuple[Reference, str]]:
    """The metrics of the rule's kernel that tell whether it is cold, with the reasons; none for a rule that
    does not heed them.
    """
    told = cold_kernels()
    kernel = _way_to_kernel(rule, rulebook)
    if kernel is None or rule.category not in told.categories:
        return []
    return [
        (Reference((*kernel, metric), Span(1)), reason)
        for metric, reason in told.reasons.items()
        if ("kernel", metric) in rulebook.metrics
    ]


def _way_to_kernel(rule: Rule, rulebook: Rulebook) -> tuple[str, ...] | None:
    variables = {entity: name for name, entity in reversed(rule.variables)}
    if "kernel" in variables:
        return (variables["kernel"],)
    if rulebook.owner_entity().get(rule.entity) == "kernel":
        return rule.variables[0][0], "kernel"
    return None
