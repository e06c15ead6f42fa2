"""Numbers in the source that a search may change, and configurations of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from advisor.fixes.application import edited
from advisor.model.findings import Edit

NO_LIMIT = 0
REGISTERS = "max_registers"


@dataclass(frozen=True, order=True)
class Spot:
    """One integer in a file, from `start` to `end`; what is written there is the value plus `addend`."""

    path: str
    start: int
    end: int
    addend: int = 0


@dataclass(frozen=True)
class Slot:
    """A number that can be changed: its name, its present value, and all places that it stands at."""

    name: str
    value: int
    spots: tuple[Spot, ...]

    def edits(self, value: int) -> list[Edit]:
        """The edits that give it another value, each with its path."""
        return [Edit(one.start, one.end, str(value + one.addend), one.path) for one in self.spots]


@dataclass(frozen=True)
class RegisterSlot:
    """The option `max_registers` of a kernel's decorator; NO_LIMIT where it is absent.

    `before` and `after` stand around the number where an edit puts it, from `start` to `end`.
    """

    value: int
    path: str
    start: int
    end: int
    before: str
    after: str
    name: str = REGISTERS

    def edits(self, value: int) -> list[Edit]:
        """The edit that sets the limit."""
        return [Edit(self.start, self.end, f"{self.before}{value}{self.after}", self.path)]


AnySlot = Slot | RegisterSlot


@dataclass(frozen=True)
class Configuration:
    """A value for each slot, in the order of the slots."""

    values: tuple[tuple[str, int], ...]

    def __getitem__(self, name: str) -> int:
        return dict(self.values)[name]

    def changed(self, changes: Mapping[str, int]) -> Configuration:
        """The configuration with other values for some slots."""
        return Configuration(tuple((name, changes.get(name, value)) for name, value in self.values))


def present_configuration(slots: Iterable[AnySlot]) -> Configuration:
    """The values as they stand in the source."""
    return Configuration(tuple((slot.name, slot.value) for slot in slots))


def configured_texts(
    texts: Mapping[str, str], slots: Iterable[AnySlot], configuration: Configuration
) -> dict[str, str]:
    """The files that a configuration changes, with their new texts, by path.

    Raises SyntaxError when a result is no Python any more.
    """
    edits: dict[str, list[Edit]] = {}
    for slot in slots:
        value = configuration[slot.name]
        if value != slot.value:
            for edit in slot.edits(value):
                edits.setdefault(edit.path, []).append(edit)
    return {path: edited(texts[path], found) for path, found in edits.items()}
