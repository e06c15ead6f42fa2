"""What remedies change of the counts of a kernel's launch, before anything is asked of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Count: TypeAlias = Literal[
    "sectors", "requests", "shared_wavefronts", "updates", "fp64", "instructions", "lanes", "load_rounds",
    "block_threads", "registers", "shared_bytes",
]  # fmt: skip
# What is given by its value and not by a factor.
OF_BLOCKS: frozenset[Count] = frozenset({"block_threads", "registers", "shared_bytes"})


@dataclass(frozen=True, slots=True)
class CountChange:
    """One count at one place of the source: `after` is the factor by which it changes, or the value that it
    has then (`OF_BLOCKS`).

    `after_most` is the factor where the count may be smaller than it is taken to be, so that less is saved.
    `share` is the least and the most part that the place has in the kernel's count. `kind` is that of an
    access: load, store or update. What stands at one `place` (path, line, array and kind) shares its part.
    """

    count: Count
    after: float
    share: tuple[float, float] = (1.0, 1.0)
    kind: str = ""
    place: str = ""
    after_most: float | None = None

    def factor(self, bound: int) -> float:
        """The factor that saves least (0) or most (1)."""
        return self.after if bound or self.after_most is None else self.after_most

    @property
    def varies(self) -> bool:
        """Whether it may save more or less."""
        return self.share[0] != self.share[1] or self.after_most is not None


@dataclass(frozen=True, slots=True)
class Remedy:
    """The counts that the remedy of a finding changes in the kernel with this key.

    `known_everywhere` says that the changes are known at all its places. `keeps_level` says that a
    circumstance, or the project itself, has decided how loud the finding is.
    """

    kernel: str
    changes: tuple[CountChange, ...]
    known_everywhere: bool = True
    keeps_level: bool = False

    def joined(self, others: Iterable[Remedy]) -> Remedy:
        """One remedy for the places of several findings of one rule and kernel."""
        every = (self, *others)
        return Remedy(
            self.kernel,
            tuple(dict.fromkeys(change for one in every for change in one.changes)),
            all(one.known_everywhere for one in every),
            self.keeps_level,
        )
