"""The longest chain of dependent instructions in a block, by what its instructions wait for.

A warp issues its instructions in order, each as soon as what it reads is there; so it takes at least as long
as the longest chain, and a cycle for each instruction. How long each kind takes differs between devices; the
chain is that which is the longest on compute capability 8.0. Waits for global and local memory are counted
apart (load_rounds.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from advisor.evidence.simulated.simt.instruction_costs import cost_of, reference_latencies
from advisor.evidence.simulated.simt.machine_code.halves import is_long
from advisor.evidence.simulated.simt.ptx.control_flow import reads, results
from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction

# Steps that are not on the chain but take an issue slot each.
ISSUE = "issue"
_LOADS = frozenset({"ld", "ldu", "atom", "ldmatrix"})
# Lanes exchange values over the way to shared memory.
_EXCHANGES = frozenset({"shfl", "match"})
_CARRYING = frozenset({"add", "sub", "mul", "mad"})
# Longer ones are short programs whose steps follow each other.
_SEPARATE_STEPS = 2


def longest_chain(instructions: Sequence[Instruction], slots: Sequence[int]) -> Counter[str]:
    """The steps of a block's longest chain by kind."""
    latencies = reference_latencies()
    behind: dict[str, tuple[float, Counter[str]]] = {}
    longest: tuple[float, Counter[str]] = (0.0, Counter())
    for item, count in zip(instructions, slots, strict=True):
        begin = max((behind[name] for name in reads(item) if name in behind), key=_length, default=None)
        length, chain = begin or (0.0, Counter())
        kind, steps = _steps(item, count)
        if steps and list(results(item)):
            length, chain = length + steps * latencies[kind], chain + Counter({kind: steps})
        for name in results(item):
            behind[name] = length, chain
        longest = max(longest, (length, chain), key=_length)
    idle = sum(slots) - longest[0]
    return longest[1] + Counter({ISSUE: round(idle)} if idle > 0 else {})


def _length(found: tuple[float, Counter[str]]) -> float:
    return found[0]


def _steps(item: Instruction, slots: int) -> tuple[str, int]:
    """What an instruction waits for and how often; a wait for global memory is none here."""
    if item.opcode in _EXCHANGES or item.opcode in _LOADS:
        return "shared", int(item.opcode in _EXCHANGES or "shared" in item.modifiers)
    unit = cost_of(item).unit
    kind = unit if unit in ("fp64", "special") else "arithmetic"
    if slots <= _SEPARATE_STEPS and not (is_long(item) and item.opcode in _CARRYING):
        return kind, min(slots, 1)
    return kind, slots
