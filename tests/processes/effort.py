"""How long the random tests search: a little in every run, much with ADVISOR_FUZZ=nightly."""

from __future__ import annotations

import os

NIGHTLY = os.environ.get("ADVISOR_FUZZ") == "nightly"


def examples(number: int) -> int:
    """The number of examples of a random test, fifty times as many at night."""
    return number * 50 if NIGHTLY else number
