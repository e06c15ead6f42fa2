"""What counts as faster, and how far outputs may lie apart: the numbers of `knowledge/verification.toml`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from advisor.model.data_files import knowledge_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class VerificationNumbers:
    """The numbers by which proofs are judged; `undervalued` says by how much the model of
    time may undervalue what a count costs, `least_reversal` from where on a prediction is
    turned around by it, `tolerance` is relative to an array's largest magnitude."""

    least_ratio: float
    undervalued: float
    least_reversal: float
    tolerance: Mapping[str, float]
    most_bytes: int
    pairs: int
    resamples: int
    confidence: float


@cache
def verification_numbers() -> VerificationNumbers:
    """The numbers as they are shipped."""
    data = tomllib.loads((knowledge_folder() / "verification.toml").read_text("utf-8"))
    measured = data["measurement"]
    return VerificationNumbers(
        data["least_ratio"],
        data["undervalued"],
        data["least_reversal"],
        data["tolerance"],
        data["outputs"]["most_bytes"],
        measured["pairs"],
        measured["resamples"],
        measured["confidence"],
    )
