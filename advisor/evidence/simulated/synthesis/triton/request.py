"""What is asked of launches that are made up for a kernel of Triton; travels to another process."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.evidence.simulated.synthesis.request import Limits
from advisor.model.machine_code.triton_unit import TritonUnit


@dataclass(frozen=True, slots=True)
class TritonRequest:
    """A unit, of which `kernel` is the name, and the compute capability it is compiled for: 80 for 8.0."""

    kernel: str
    unit: TritonUnit
    capability: int
    limits: Limits
