"""What a program model said of one generated program, beside what a run of it showed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias


@dataclass
class Answers:
    """How many questions of each kind were asked and answered, and the answers that were wrong."""

    asked: dict[str, int] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def note(self, question: str, known: bool, wrong: str | None = None) -> None:
        """Note one answer; `wrong` says what is wrong with it."""
        self.asked[question] = self.asked.get(question, 0) + 1
        self.known[question] = self.known.get(question, 0) + known
        if wrong is not None:
            self.wrong.append(f"{question}: {wrong}")

    def add(self, other: Answers) -> None:
        """Count the answers to another program's questions too."""
        for mine, others in ((self.asked, other.asked), (self.known, other.known)):
            for question, count in others.items():
                mine[question] = mine.get(question, 0) + count
        self.wrong += other.wrong


# Generate a program, run it, and compare; programs that Python refuses give no answers.
Oracle: TypeAlias = Callable[[Random], Answers]
