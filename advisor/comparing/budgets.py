"""Kernels beside their budgets: within, near the limit, over, or not measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from advisor.comparing.budget_file import Budget
from advisor.comparing.numbers import comparing_numbers
from advisor.devices import find_device
from advisor.errors import UsageError
from advisor.history.fingerprint import Fingerprint, Run

Status: TypeAlias = Literal["within", "near", "over", "no measurement"]


@dataclass(frozen=True)
class Line:
    """One limit of a budget beside what is known of it, both in `unit` ("ms" or "ratio").

    `value` is None where nothing is known. A predicted value is never `within` or `over`: `status` is "no
    measurement", and `would_be` says what it would be were it measured.
    """

    budget: Budget
    kind: str
    limit: float
    unit: str
    fingerprint: Fingerprint | None
    run: Run | None
    value: float | None
    status: Status
    would_be: Status | None = None


def judged(budgets: Sequence[Budget], runs: Sequence[Run]) -> list[Line]:
    """A line for each limit of each kernel that a budget names, and one for a budget that names none known.

    Of several shapes of a kernel the longest counts. `runs` come latest first, with their fingerprints; a
    measured kernel comes before a predicted one.
    """
    found = []
    for budget in budgets:
        kernels = _kernels(budget, runs)
        if not kernels:
            found += [
                Line(budget, kind, limit, unit, None, None, None, "no measurement")
                for kind, limit, unit, _ in _limits(budget)
            ]
        for run, those in kernels:
            found += _lines(budget, run, those)
    return found


def names(budget: Budget, path: str | None, name: str) -> bool:
    """Whether a budget is one of the kernel."""
    where, separator, pattern = budget.pattern.rpartition("::")
    if separator and not fnmatchcase(path or "", where):
        return False
    return fnmatchcase(name, pattern)


def _kernels(budget: Budget, runs: Sequence[Run]) -> list[tuple[Run, list[Fingerprint]]]:
    """For each kernel and device its latest run with its fingerprints there, measured if there are any."""
    found: dict[tuple[str | None, str, str], tuple[Run, list[Fingerprint]]] = {}
    for source in ("measured", "simulated"):
        for run in runs:
            if not _is_for(budget, run):
                continue
            fresh: dict[tuple[str | None, str, str], list[Fingerprint]] = {}
            for one in run.fingerprints:
                who = one.identity
                key = (who.path, who.name, run.facts.device)
                if one.source == source and key not in found and names(budget, who.path, who.name):
                    fresh.setdefault(key, []).append(one)
            found.update({key: (run, those) for key, those in fresh.items()})
    return list(found.values())


def _is_for(budget: Budget, run: Run) -> bool:
    if not budget.device:
        return True
    try:
        return find_device(run.facts.device).id == budget.device
    except UsageError:
        return False


_Value = Callable[[Fingerprint], "float | None"]


def _limits(budget: Budget) -> list[tuple[str, float, str, _Value]]:
    kinds: tuple[tuple[str, float | None, str, _Value], ...] = (
        ("mean", budget.mean, "ms", lambda one: one.timing.mean if one.timing else None),
        ("most", budget.most, "ms", lambda one: one.timing.most if one.timing else None),
        ("variation", budget.variation, "ratio", lambda one: one.timing.variation if one.timing else None),
    )
    return [(kind, limit, unit, value) for kind, limit, unit, value in kinds if limit is not None]


def _lines(budget: Budget, run: Run, those: Sequence[Fingerprint]) -> list[Line]:
    found = []
    for kind, limit, unit, value_of in _limits(budget):
        known = [(value, one) for one in those if (value := value_of(one)) is not None]
        if not known:
            found.append(Line(budget, kind, limit, unit, those[0], run, None, "no measurement"))
            continue
        value, one = max(known, key=lambda pair: pair[0])
        status = _status(value, limit)
        if one.source == "measured":
            found.append(Line(budget, kind, limit, unit, one, run, value, status))
        else:
            found.append(Line(budget, kind, limit, unit, one, run, value, "no measurement", status))
    return found


def _status(value: float, limit: float) -> Status:
    if value > limit:
        return "over"
    return "near" if value > comparing_numbers().near * limit else "within"
