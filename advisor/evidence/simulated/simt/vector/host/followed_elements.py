"""The table of elements of global memory in which the compiled code follows who uses them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction
from advisor.evidence.simulated.simt.vector.host import host_memory
from advisor.evidence.simulated.simt.vector.host.contexts import HostThread
from advisor.evidence.simulated.simt.vector.kernels import Kernel
from advisor.evidence.simulated.simt.vector.layout import FOLLOWED, WORD, Context, Site
from advisor.evidence.simulated.simt.vector.routines.global_races import ENTRIES, ENTRY_WORDS, KEPT_BYTES

_FENCES = frozenset({"membar", "fence"})
_ORDERING = frozenset({"acquire", "release", "acq_rel"})
_OF_A_BLOCK = frozenset({"cta"})
_BLOCKS = [Context.NCTAID_X, Context.NCTAID_Y, Context.NCTAID_Z]


def follow_elements(worker: HostThread, kernel: Kernel) -> list[npt.NDArray[np.generic]]:
    """Let a thread of the host follow global memory; gives the memory that has to live meanwhile.

    A fence may order what blocks do, in ways that are not followed, so kernels with one are left alone.
    """
    fences = [item for item in kernel.function.instructions if _orders(item)]
    followed = [row for row in worker.sites if int(row[Site.DESCRIPTION]) & FOLLOWED]
    alone = worker.context[Context.WARPS] * np.prod(worker.context[_BLOCKS]) == 1
    if alone or not followed or any(_OF_A_BLOCK.isdisjoint(item.modifiers) for item in fences):
        return []
    table = host_memory.zeroed_words(ENTRIES * ENTRY_WORDS)
    contents = host_memory.zeroed_words(KEPT_BYTES // WORD)
    context = worker.context
    context[Context.ELEMENTS] = host_memory.address_of(table)
    context[Context.ELEMENT_CONTENTS] = host_memory.address_of(contents)
    smallest = min(int(row[Site.DESCRIPTION]) & 255 for row in followed)
    context[Context.ELEMENT_SHIFT] = smallest.bit_length() - 1
    context[Context.WARPS_FOLLOWED] = int(not fences)
    return [table, contents]


def _orders(item: Instruction) -> bool:
    return item.opcode in _FENCES or not _ORDERING.isdisjoint(item.modifiers)
