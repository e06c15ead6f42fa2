"""The modifiers that each opcode may have here. One that is not listed changes what an instruction means.

PTX ISA, the sections of the opcodes. An instruction with another one is refused, never run without it.
"""

from __future__ import annotations

from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction, Integer, Register
from advisor.evidence.simulated.simt.vector.layout import BARRIERS_OF_BLOCK

_ROUNDING = frozenset({"rn", "rz", "rm", "rp"})
_SPACES = frozenset({"global", "shared", "local", "const", "param", "entry", "func", "cta"})
_MEMORY = _SPACES | {
    "volatile", "relaxed", "acquire", "release", "weak", "gpu", "sys", "cluster", "mmio", "nc", "ca", "cg",
    "cs", "lu", "cv", "wb", "wt", "v2", "v4", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
    "L1::evict_last", "L1::no_allocate", "L2::cache_hint", "L2::64B", "L2::128B", "L2::256B",
}  # fmt: skip
_COMPARISONS = frozenset({
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu",
    "num", "nan", "and", "or", "xor", "ftz",
})  # fmt: skip
_ATOMICS = _MEMORY | {
    "add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec", "acq_rel", "noftz",
}  # fmt: skip
_MATRICES = frozenset({"sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared"})
# What `mma`, `wgmma`, barriers and copies in bulk may have is known where they are translated.
_ANYTHING = frozenset({"mma", "membar", "fence", "prefetch", "prefetchu", "nanosleep", "pmevent", "discard",
                       "applypriority", "createpolicy", "brkpt", "call", "extern", "trap",
                       "exit", "wgmma", "mbarrier", "tensormap"})  # fmt: skip

ALLOWED: dict[str, frozenset[str]] = {
    "add": _ROUNDING | {"ftz", "sat", "cc"},
    "sub": _ROUNDING | {"ftz", "sat", "cc"},
    "mul": _ROUNDING | {"ftz", "sat", "lo", "hi", "wide"},
    "mad": _ROUNDING | {"ftz", "lo", "hi", "wide", "cc"},
    "fma": _ROUNDING | {"ftz", "sat", "relu"},
    "div": _ROUNDING | {"ftz", "approx", "full"},
    "abs": frozenset({"ftz"}),
    "neg": frozenset({"ftz"}),
    "min": frozenset({"ftz", "NaN"}),
    "max": frozenset({"ftz", "NaN"}),
    "addc": frozenset({"cc"}),
    "subc": frozenset({"cc"}),
    "madc": frozenset({"cc", "lo", "hi"}),
    "sqrt": _ROUNDING | {"ftz", "approx"},
    "rcp": _ROUNDING | {"ftz", "approx"},
    "rsqrt": frozenset({"ftz", "approx"}),
    **dict.fromkeys(("ex2", "lg2", "sin", "cos", "tanh"), frozenset({"ftz", "approx"})),
    "testp": frozenset({"finite", "infinite", "number", "notanumber", "normal", "subnormal"}),
    "cvt": _ROUNDING | {"rni", "rzi", "rmi", "rpi", "ftz", "sat", "rna", "relu", "satfinite"},
    "setp": _COMPARISONS,
    "set": _COMPARISONS,
    "slct": frozenset({"ftz"}),
    "cvta": _SPACES | {"to"},
    "isspacep": _SPACES,
    "shf": frozenset({"l", "r", "clamp", "wrap"}),
    "bfind": frozenset({"shiftamt"}),
    "ld": _MEMORY,
    "ldu": _MEMORY,
    "st": _MEMORY,
    "atom": _ATOMICS,
    "red": _ATOMICS,
    "shfl": frozenset({"sync", "up", "down", "bfly", "idx"}),
    "vote": frozenset({"sync", "all", "any", "uni", "ballot"}),
    "match": frozenset({"sync", "all", "any"}),
    "redux": frozenset({"sync", "add", "min", "max", "and", "or", "xor"}),
    "elect": frozenset({"sync"}),
    "setmaxnreg": frozenset({"inc", "dec", "sync", "aligned"}),
    "cp": frozenset(
        {
            "async",
            "ca",
            "cg",
            "shared",
            "global",
            "L2::64B",
            "L2::128B",
            "L2::256B",
            "commit_group",
            "wait_group",
            "wait_all",
        }
    ),
    **dict.fromkeys(("ldmatrix", "stmatrix"), _MATRICES),
    "bra": frozenset({"uni"}),
    "ret": frozenset({"uni"}),
    "bar": frozenset({"sync", "arrive", "red", "popc", "and", "or", "warp", "cta", "aligned", "grid"}),
    "barrier": frozenset({"sync", "arrive", "red", "popc", "and", "or", "cta", "aligned"}),
}


def refused(item: Instruction) -> str | None:
    """Why an instruction is refused for its modifiers or its barrier, None where it is not."""
    if item.opcode in _ANYTHING or (item.opcode == "cp" and "bulk" in item.modifiers):
        return None
    for modifier in item.modifiers:
        if modifier not in ALLOWED.get(item.opcode, frozenset()):
            return f"the modifier .{modifier}"
    if item.opcode in ("bar", "barrier") and "warp" not in item.modifiers:
        return _refused_barrier(item)
    return None


def _refused_barrier(item: Instruction) -> str | None:
    """At a barrier of a part of the block no votes are counted; its number is a constant."""
    operands = item.operands[1:] if "red" in item.modifiers else item.operands
    number = operands[0] if operands else Integer(0)
    if not isinstance(number, Integer) or not 0 <= number.value < BARRIERS_OF_BLOCK:
        return "a barrier whose number is no constant"
    if any(not isinstance(one, Register | Integer) for one in operands[1:]):
        return "a number of threads that is none"
    if "arrive" in item.modifiers and len(operands) != 2:
        return "an arrival without a number of threads"
    return (
        "a counting barrier of a part of the block" if "red" in item.modifiers and is_of_part(item) else None
    )


def is_of_part(item: Instruction) -> bool:
    """Whether a part of the block may meet at a barrier: it is not the first one, or threads are counted."""
    if "warp" in item.modifiers or "grid" in item.modifiers:
        return False
    operands = item.operands[1:] if "red" in item.modifiers else item.operands
    if operands and operands[0] != Integer(0):
        return True
    return bool([one for one in operands[1:] if not isinstance(one, Register) or "red" not in item.modifiers])
