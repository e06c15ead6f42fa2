"""Calls of functions that the PTX text does not hold: what the machine itself answers."""

from __future__ import annotations

from collections.abc import Callable

from advisor.simt.ptx_program import Instruction
from advisor.simt.vector.emission import Emission, handles

EXTERNAL: dict[str, Callable[[Emission, Instruction], None]] = {}


@handles("call")
def _call(e: Emission, item: Instruction) -> None:
    raise e.unsupported(item, "a function outside of the PTX text")
