"""What the page is made from, and the numbers by which it calls kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from advisor.model.history.fingerprint import Run
from advisor.model.history.store import TimePoint
from advisor.reports.outputs import RuleCatalogue
from advisor.runs.comparison.differences import Difference
from advisor.runs.comparison.ranking.ranking import RankedKernel, Ranking

Who = tuple[str | None, str]


@dataclass(frozen=True)
class Material:
    """What the page tells of.

    `times` are of the whole history, the oldest first; `runs` are its latest ones, without fingerprints and
    the latest first. `differences` are of runs with an earlier one. `rules` are described where a finding
    names them. `made` is in seconds since the epoch.
    """

    rankings: Sequence[Ranking]
    times: Sequence[TimePoint]
    runs: Sequence[Run]
    rules: RuleCatalogue
    made: float
    project: str
    notices: Sequence[str] = ()
    differences: Sequence[Difference] = ()
    numbers: Mapping[Who, int] = field(init=False)

    def __post_init__(self) -> None:
        numbers: dict[Who, int] = {}
        for ranking in self.rankings:
            for kernel in ranking.kernels:
                numbers.setdefault(who(kernel), len(numbers) + 1)
        object.__setattr__(self, "numbers", numbers)

    @property
    def nowhere(self) -> frozenset[str]:
        """What stands for the path of what no file is known of."""
        return frozenset().union(*(ranking.nowhere for ranking in self.rankings))

    def number(self, kernel: RankedKernel) -> int:
        """The number by which charts and tables call a kernel, whichever device it ran on."""
        return self.numbers[who(kernel)]


def who(kernel: RankedKernel) -> Who:
    """Path and name: what makes two kernels the same on all devices and in all runs."""
    return kernel.path, kernel.name


def basis(ranking: Ranking) -> str:
    """`measured` or `predicted`."""
    return "measured" if ranking.is_measured else "predicted"


def heading(of: Ranking) -> str:
    """The device and whether times are measured there."""
    return f"{of.device_name}, {basis(of)}"
