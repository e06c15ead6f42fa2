"""Kernels beside their budgets: within, near the limit, over, or not measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from advisor.model.devices import find_device
from advisor.model.errors import UsageError
from advisor.model.history.fingerprint import Fingerprint, Run
from advisor.runs.comparison.numbers import comparing_numbers
from advisor.runs.comparison.ranking.budget_file import Budget

Status: TypeAlias = Literal["within", "near", "over", "no measurement"]


@dataclass(frozen=True)
class Line:
    """One limit of a budget beside what is known of it, both in `unit` ("ms", "ratio" or "count").

    `value` is None where nothing is known. A predicted value is never `within` or `over`: `status` is "no
    measurement", and `would_be` says what it would be were it measured. `fitting` is the longest of the
    kernel's other shapes that keeps the limit, and its value, where the longest one does not.
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
    fitting: tuple[Fingerprint, float] | None = None


Exponent = Callable[[Fingerprint, Run], "float | None"]


def judged(budgets: Sequence[Budget], runs: Sequence[Run], exponent: Exponent) -> list[Line]:
    """A line for each limit of each kernel that a budget names, and one for a budget that names none known.

    Of several shapes of a kernel the longest counts. `runs` come latest first, with their fingerprints; a
    measured kernel comes before a predicted one. `exponent` gives that of a kernel's time over its threads.
    """
    found = []
    for budget in budgets:
        kernels = _kernels(budget, runs)
        if not kernels:
            found += [
                Line(budget, kind, limit, unit, None, None, None, "no measurement")
                for kind, limit, unit, _ in _limits(budget, exponent)
            ]
        for run, those in kernels:
            found += _lines(budget, run, those, exponent)
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


def _limits(budget: Budget, exponent: Exponent) -> list[tuple[str, float, str, Exponent]]:
    """Kind, limit, unit, and what gives the value of each limit that the budget sets."""
    kinds: tuple[tuple[str, float | None, str, Exponent], ...] = (
        ("mean", budget.mean, "ms", lambda one, _: one.timing.mean if one.timing else None),
        ("most", budget.most, "ms", lambda one, _: one.timing.most if one.timing else None),
        ("variation", budget.variation, "ratio", lambda one, _: one.timing.variation if one.timing else None),
        ("exponent", budget.exponent, "count", exponent),
    )
    return [(kind, limit, unit, value) for kind, limit, unit, value in kinds if limit is not None]


def _lines(budget: Budget, run: Run, those: Sequence[Fingerprint], exponent: Exponent) -> list[Line]:
    found = []
    for kind, limit, unit, value_of in _limits(budget, exponent):
        known = [(value, one) for one in those if (value := value_of(one, run)) is not None]
        if not known:
            found.append(Line(budget, kind, limit, unit, those[0], run, None, "no measurement"))
            continue
        value, one = max(known, key=lambda pair: pair[0])
        status = _status(value, limit, kind)
        fits = [pair for pair in known if pair[0] <= limit and pair[1].identity.grid is not None]
        largest = max(fits, key=lambda pair: pair[0], default=None) if status == "over" else None
        fitting = (largest[1], largest[0]) if largest is not None and kind != "variation" else None
        if one.source == "measured":
            found.append(Line(budget, kind, limit, unit, one, run, value, status, fitting=fitting))
        else:
            found.append(Line(budget, kind, limit, unit, one, run, value, "no measurement", status, fitting))
    return found


def _status(value: float, limit: float, kind: str) -> Status:
    if kind == "exponent":  # which is fitted, so that it only tells growth of another kind apart
        return "over" if value > limit + comparing_numbers().scaling.tolerance else "within"
    if value > limit:
        return "over"
    return "near" if value > comparing_numbers().near * limit else "within"
