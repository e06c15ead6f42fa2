"""What the names in a function stand for: registers and where they are kept, variables, special registers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir

from advisor.evidence.simulated.simt.ptx.liveness import CARRY, Liveness
from advisor.evidence.simulated.simt.ptx.ptx_program import Function
from advisor.evidence.simulated.simt.ptx.uniformity import Uniformity
from advisor.evidence.simulated.simt.vector.lanes import (
    I1,
    I32,
    I64,
    LANES,
    constant,
    element_type,
    integer_of,
    lane_numbers,
    vector,
    width_of,
)
from advisor.evidence.simulated.simt.vector.layout import WORD, Context, Copies, Copy, State
from advisor.evidence.simulated.simt.vector.translation.placement import Placement

if TYPE_CHECKING:
    from advisor.evidence.simulated.simt.vector.sites import Access
    from advisor.evidence.simulated.simt.vector.translation.emission import Emission

_CONTEXT_REGISTERS = {
    "ntid.x": Context.NTID_X, "ntid.y": Context.NTID_Y, "ntid.z": Context.NTID_Z,
    "ctaid.x": Context.CTAID_X, "ctaid.y": Context.CTAID_Y, "ctaid.z": Context.CTAID_Z,
    "nctaid.x": Context.NCTAID_X, "nctaid.y": Context.NCTAID_Y, "nctaid.z": Context.NCTAID_Z,
    "smid": Context.PROCESSOR, "nwarpid": Context.WARPS, "dynamic_smem_size": Context.DYNAMIC_SHARED,
    "total_smem_size": Context.SHARED_SIZE,
}  # fmt: skip
_TID = {"tid.x": State.TID_X, "tid.y": State.TID_Y, "tid.z": State.TID_Z}


_ORIGIN = " origin"


def origin_of(register: str) -> str:
    """The name of the register beside one, which tells which shuffle an undefined value of it came from."""
    return register + _ORIGIN


class Names:
    """Places of the registers of one function in a warp's state, and values of symbols.

    Those that may be `shuffled` have another register beside them.
    """

    def __init__(
        self,
        function: Function,
        placement: Placement,
        live: Liveness,
        uniform: Uniformity,
        shuffled: frozenset[str] = frozenset(),
    ) -> None:
        self.function = function
        self.placement = placement
        self.uniform = uniform.uniform
        self.ordered = uniform.ordered
        self._kept: dict[str, Any] = {}
        self.accesses: dict[int, tuple[Access, ...]] = {}
        self.parameter_offsets: dict[str, int] = {}
        self.current = 0
        self.places: dict[str, int] = {}
        end = int(State.REGISTERS)
        for name in sorted(live.crossing, key=lambda one: (one in self.uniform, one)):
            self.places[name] = end
            end += 8 if name in self.uniform else -(-LANES * max(width_of(self.type_of(name)), 1) // 512) * 64
        end = -(-end // 64) * 64
        for name in sorted(live.crossing & shuffled):
            self.places[origin_of(name)] = end
            end += LANES * I32.width // 8
        self.state_size = -(-end // 64) * 64
        # Where the queue of copies under way lies, in kernels that have them.
        self.copies = self.state_size
        if any(item.opcode == "cp" for item in function.instructions):
            self.state_size += Copies.ENTRIES + Copies.CAPACITY * Copy.BYTES

    def type_of(self, register: str) -> Any:
        """The element type of a register; raises KeyError for one that is not declared."""
        if register == CARRY:
            return I1
        if register.endswith(_ORIGIN):
            return I32
        declared = self.function.type_of(register)
        if declared is None:
            raise KeyError(register)
        return element_type(declared)

    def load(self, emission: Emission, register: str) -> Any:
        """The value of a register that was written in another block; zero for one that never was."""
        kind = self.type_of(register)
        place = self.places.get(register)
        if place is None:
            return constant(kind, 0)
        builder = emission.builder
        if register in self.uniform:
            if kind is I1:
                return builder.trunc(builder.get(emission.state, place, ir.IntType(8)), I1)
            return builder.get(emission.state, place, kind)
        if kind is I1:
            return builder.lanes_of(builder.get(emission.state, place, I32))
        return builder.get(emission.state, place, vector(kind))

    def store(self, emission: Emission, register: str, masked: bool) -> None:
        """Keep a register's value for other blocks, where `masked` only for the running lanes."""
        value = emission.values[register]
        builder = emission.builder
        place = self.places[register]
        kind = self.type_of(register)
        if register in self.uniform:
            value = builder.zext(value, ir.IntType(8)) if kind is I1 else value
            builder.put(value, emission.state, place)
            return
        value = builder.broadcast(value)
        if kind is I1:
            bits = builder.bits(value)
            if masked:
                old = builder.get(emission.state, place, I32)
                kept = builder.and_(old, builder.not_(emission.mask))
                bits = builder.or_(kept, builder.and_(bits, emission.mask))
            builder.put(bits, emission.state, place)
            return
        if masked:
            old = builder.get(emission.state, place, vector(kind))
            value = builder.select(emission.lanes, value, old)
        builder.put(value, emission.state, place)

    def address(self, emission: Emission, symbol: str) -> Any:
        """The address of a variable in its space, 64 bits."""
        for offsets in (self.placement.shared, self.placement.local):
            if symbol in offsets:
                return constant(I64, offsets[symbol])
        if symbol == "WARP_SZ":
            return constant(I64, LANES)
        if symbol in self.parameter_offsets:
            return constant(I64, self.parameter_offsets[symbol])
        number = self.placement.variables.get(symbol)
        if number is None:
            raise KeyError(symbol)
        table = emission.context_word(Context.VARIABLES, ir.PointerType())
        return emission.builder.get(table, WORD * number, I64)

    def special(self, emission: Emission, name: str) -> Any:
        """The value of a special register, 32 or 64 bits; raises KeyError for one that the machine lacks."""
        builder = emission.builder
        if name in _TID:
            return emission.once(name, lambda: builder.get(emission.state, _TID[name], vector(I32)))
        if name in _CONTEXT_REGISTERS:
            return emission.special(_CONTEXT_REGISTERS[name])
        if name == "laneid":
            return lane_numbers()
        if name == "warpid":
            return builder.get(emission.state, State.WARP, I32)
        if name.startswith("lanemask_"):
            return ir.Constant(vector(I32), [_signed(_lane_mask(name[9:], lane)) for lane in range(LANES)])
        if name in ("clock", "clock64", "clock_hi", "globaltimer", "globaltimer_lo"):
            return _clock(emission, 64 if name in ("clock64", "globaltimer") else 32)
        if name == "warpsize":
            return constant(I32, LANES)
        if name in ("gridid", "tid.w", "ctaid.w") or name.startswith("envreg"):
            return constant(integer_of(64 if name == "gridid" else 32), 0)
        raise KeyError(name)

    def kept_scratch(self, emission: Emission, key: str, kind: Any) -> Any:
        """Memory on the stack of the function for one value, the same for all instructions."""
        if key not in self._kept:
            self._kept[key] = self.scratch(emission, kind)
        return self._kept[key]

    def scratch(self, emission: Emission, kind: Any) -> Any:
        """Memory on the stack of the function for one value."""
        builder = emission.builder
        with builder.goto_entry_block():
            return builder.alloca(kind)


def _lane_mask(which: str, lane: int) -> int:
    below = (1 << lane) - 1
    above = 0xFFFFFFFF & ~((below << 1) | 1)
    return {"eq": 1 << lane, "lt": below, "le": (below << 1) | 1, "gt": above, "ge": above | 1 << lane}[which]


def _signed(number: int) -> int:
    return number - (1 << 32) if number >> 31 else number


def _clock(emission: Emission, width: int) -> Any:
    """A clock that goes on with every reading; its unit is no cycle of a real device."""
    builder = emission.builder
    builder.bump(emission.context, WORD * Context.CLOCK, ir.Constant(I64, 32))
    value = emission.context_word(Context.CLOCK)
    return value if width == 64 else builder.trunc(value, I32)
