"""Elements moved between registers and one address for each lane."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.lanes import element_of, vector
from advisor.evidence.simulated.simt.vector.translation.emission import Emission


def gather(e: Emission, kind: Any, addresses: Any, mask: Any) -> Any:
    """The elements at one address for each lane of a mask, 0 for the others."""
    return e.call(f"gather_{kind.width}", vector(kind), addresses, mask)


def scatter(e: Emission, value: Any, addresses: Any, mask: Any) -> None:
    """Store an element for each lane of a mask, that of the last lane where addresses meet."""
    e.call(f"scatter_{element_of(value).width}", ir.VoidType(), value, addresses, mask)
