"""What the machine must know of a kernel's translation, also as plain data."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass
from typing import Any

from advisor.evidence.simulated.simt.ptx.control_flow import Block
from advisor.evidence.simulated.simt.vector.layout import Space
from advisor.evidence.simulated.simt.vector.sites import Access
from advisor.evidence.simulated.simt.vector.translation.placement import Placement


@dataclass
class WarpFunction:
    """The blocks of a kernel's LLVM function, its variables, accesses by number, and bytes of state.

    `ordered` says that lanes never wait for each other but at barriers; `variables` are the names of global
    and constant variables in the order of their numbers, `routines` those of the runtime that are called.
    """

    blocks: tuple[Block, ...]
    placement: Placement
    accesses: dict[int, Access]
    state_size: int
    ordered: bool
    variables: list[str]
    routines: list[str]


def warp_as_data(warp: WarpFunction) -> dict[str, Any]:
    """A warp function as JSON data."""
    return {
        "blocks": [astuple(one) for one in warp.blocks],
        "placement": asdict(warp.placement),
        "accesses": [astuple(one) for one in warp.accesses.values()],
        "state_size": warp.state_size,
        "ordered": warp.ordered,
        "variables": warp.variables,
        "routines": warp.routines,
    }


def warp_from_data(data: dict[str, Any]) -> WarpFunction:
    """The warp function of JSON data; raises KeyError, TypeError or ValueError for other data."""
    blocks = tuple(
        Block(number, first, last, tuple(successors), at_barrier)
        for number, first, last, successors, at_barrier in data["blocks"]
    )
    found = [Access(number, at, Space(space), *rest) for number, at, space, *rest in data["accesses"]]
    return WarpFunction(
        blocks, Placement(**data["placement"]), {one.number: one for one in found}, data["state_size"],
        data["ordered"], data["variables"], data["routines"],
    )  # fmt: skip
