"""What the history asks of a database, whichever it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

FOLDER = ".advisor"
FILE = "history.sqlite"


class Transaction(Protocol):
    """Statements of which all are kept or none; `?` stands for each value."""

    def execute(self, query: str, values: Sequence[Any] = ()) -> None:
        """Run one statement."""

    def execute_many(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each row of values, in their order."""

    def insert(self, query: str, values: Sequence[Any]) -> int:
        """The `id` of the row that a statement inserts."""


class Database(Protocol):
    """Tables of a history. Failures are AdvisorErrors of one sentence, UsageErrors for another version."""

    @property
    def name(self) -> str:
        """What messages call it, without secrets."""

    def exists(self) -> bool:
        """Whether there is a history."""

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows that a query finds; none where there is no history yet."""

    def transaction(self) -> AbstractContextManager[Transaction]:
        """A transaction, for which the tables are made where there are none."""

    def prepare(self) -> None:
        """Make the tables, or bring those of an earlier version to this one."""

    def hold(self, run: int) -> None:
        """Let others see that this process records the run, until it is released or the process ends."""

    def release(self, run: int) -> None:
        """The run is recorded no longer."""

    def recording(self) -> frozenset[int] | None:
        """The runs that are held by some process, None where the database does not know."""

    def close(self) -> None:
        """Close the connection."""


def storable(values: Sequence[Any]) -> tuple[Any, ...]:
    """Values as every database takes them: a mark stands for half a surrogate pair and for NUL in a text."""
    return tuple(_text(value) if isinstance(value, str) else value for value in values)


def _text(value: str) -> str:
    if value.isascii() and "\0" not in value:
        return value
    return "".join("\ufffd" if one == "\0" or "\ud800" <= one <= "\udfff" else one for one in value)
