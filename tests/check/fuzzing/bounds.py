"""What holds of every input: an end in time, in memory, and in words for whoever gave it."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from effort import NIGHTLY, examples
from hypothesis import HealthCheck, Phase, settings

# Shrinking what failed takes minutes: by hand and at night there is time for it.
_PHASES = [one for one in Phase if NIGHTLY or one is not Phase.shrink]
_ALLOWED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
SEEDS = Path(__file__).parent / "seeds"
MOST_SECONDS = 5.0
_MOST_MEGABYTES = 400
# What a terminal obeys: control characters but line ends, and those that turn the direction of text.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def search(number: int) -> settings:
    """The settings of a search through so many inputs: by day the same in every run, at night many more."""
    return settings(
        max_examples=examples(number), deadline=None, derandomize=not NIGHTLY, phases=_PHASES,
        suppress_health_check=_ALLOWED,
    )  # fmt: skip


def seeds(subject: str) -> list[Path]:
    """The inputs of a subject that were found to be bad once."""
    return sorted((SEEDS / subject).glob("*"))


@contextmanager
def bounded() -> Iterator[None]:
    """A context that fails where it takes too long or lets the process grow too much."""
    before, began = _megabytes(), time.process_time()
    yield
    spent = time.process_time() - began
    assert spent < MOST_SECONDS, f"{spent:.1f} s of processor time"
    assert _megabytes() - before < _MOST_MEGABYTES, f"{_megabytes() - before:.0f} MB"


def _megabytes() -> float:
    """The most that this process ever held."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1e6 if sys.platform == "darwin" else most / 1e3


def told_properly(done: subprocess.CompletedProcess[str], file: str) -> None:
    """Assert that a command ended with findings or with an error that names the file, by no fault of ours."""
    said = done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    assert "fault of the program" not in said, said
    assert done.returncode in (0, 1, 2), done.returncode
    if done.returncode == 2 and not done.stdout:
        assert done.stderr.startswith("advisor: error: "), done.stderr
        assert file in done.stderr, done.stderr
    # Programs read JSON, which has escapes of its own for the characters below the blank.
    found = OBEYED.search(done.stderr if done.stdout.startswith("{") else said)
    assert found is None, (found, said)


class Quick:
    """A folder for many inputs, each in the place of the one before."""

    def __init__(self, factory: pytest.TempPathFactory, name: str) -> None:
        self.folder = factory.mktemp(name)
        (self.folder / ".git").mkdir()

    def with_file(self, name: str, data: bytes) -> Path:
        """The folder's only file."""
        for one in self.folder.iterdir():
            if one.is_file():
                one.unlink()
        path = self.folder / name
        path.write_bytes(data)
        return path
