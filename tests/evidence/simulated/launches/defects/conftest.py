"""Programs with defects in a project of their own, checked in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from advisor_command import AdvisorCommand, AdvisorHere

from advisor.check.kernel_marks import read_marks

FILE = "kernel.py"
Places = set[tuple[str, str, int]]


@pytest.fixture
def advise(advise: AdvisorCommand) -> AdvisorHere:
    """The command, in this process where it runs no program."""
    return AdvisorHere(advise)


@pytest.fixture
def checked(advise: AdvisorHere, project: Path) -> Callable[[str, str], Any]:
    """A function that gives what `check` says of a program by some rules."""

    def check(text: str, rules: str) -> Any:
        (project / FILE).write_text(text)
        return advise.check("--select", rules, FILE, cwd=project)

    return check


@pytest.fixture
def marked(project: Path) -> Callable[[], Places]:
    """A function that gives the places of the program with `# hit:` and a rule."""

    def places() -> Places:
        marks = read_marks(project / FILE)
        return {(mark.rule, FILE, mark.line) for mark in marks if mark.expected == "hit"}

    return places
