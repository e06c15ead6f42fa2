"""A launch that ran: what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.evidence.simulated.driver.executor import LaunchNote
from advisor.evidence.simulated.simt.counts import Statistics

if TYPE_CHECKING:
    from advisor.evidence.simulated.launches.defects import FoundDefect


@dataclass(frozen=True)
class Outcome:
    """A launch that ran: its note, how long it took here, what was counted; or why it could not run.

    On a GPU nothing is counted and the seconds are those of the device.
    """

    note: LaunchNote
    seconds: float
    statistics: Statistics | None
    defects: list[FoundDefect]
    problem: str | None = None
