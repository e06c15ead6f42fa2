"""Which launches are looked at access by access, which costs up to some ten times an ordinary run.

Hit rates, races, and strides between lanes are known of these launches only. All other counts are those of
each launch itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.evidence.simulated.simt.counts import Statistics

# Of launches of one shape so many are looked at whatever they are given, ...
_FIRST = 4
# ... and so many where they are given other numbers or counted otherwise than those before.
_MOST = 16


@dataclass
class _Looks:
    """The launches of one shape so far: how many, how many were looked at, and the numbers and counts of
    these.
    """

    launches: int = 0
    looked: int = 0
    scalars: set[bytes] = field(default_factory=set)
    counts: set[int] = field(default_factory=set)
    most_lanes: int = 0
    asked_for: bool = False


class CloseLooks:
    """Decides for each launch of a program.

    A shape is a kernel's code with grid, block, shared memory, and types and shapes of the arguments. Beyond
    its first launches, the 2nd, 4th, 8th … are looked at, those with new numbers until there are enough, and
    one that follows a launch with more than twice the instructions of all that were looked at. So the cost of
    a program of many launches stays that of the launches.
    """

    def __init__(self) -> None:
        self._shapes: dict[object, _Looks] = {}

    def wants(self, shape: object, scalars: bytes) -> bool:
        """Whether the next launch of a shape, with these bytes of scalar arguments, is looked at."""
        known = self._shapes.setdefault(shape, _Looks())
        number = known.launches + 1
        if known.looked < _FIRST or known.asked_for or number & (number - 1) == 0:
            return True
        return known.looked < _MOST and scalars not in known.scalars

    def ran(self, shape: object, scalars: bytes, counted: Statistics) -> None:
        """Note what a launch counted."""
        known = self._shapes.setdefault(shape, _Looks())
        known.launches += 1
        if counted.detailed:
            known.looked += 1
            known.asked_for = False
            known.scalars.add(scalars)
            known.counts.add(hash(repr(counted.without_close_look())))
            known.most_lanes = max(known.most_lanes, counted.lane_instructions)
            return
        if not known.looked:  # such launches cannot be looked at, or are not meant to be
            return
        heavier = counted.lane_instructions > 2 * known.most_lanes
        other = known.looked < _MOST and hash(repr(counted)) not in known.counts
        known.asked_for = heavier or other
