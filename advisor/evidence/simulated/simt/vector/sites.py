"""Memory accesses of a function: their numbers, spaces, sizes and the array each goes to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from advisor.evidence.simulated.simt.ptx.control_flow import reads, results
from advisor.evidence.simulated.simt.ptx.launch_values import values_of_the_launch
from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Function,
    Group,
    Instruction,
    Integer,
    Operand,
    Register,
    Symbol,
)
from advisor.evidence.simulated.simt.vector.layout import (
    ATOMIC,
    COMPARES,
    FIXED_BOUNDS,
    ONE_VALUE,
    WRITES,
    Space,
)

_SPACES = {
    "global": Space.GLOBAL, "shared": Space.SHARED, "local": Space.LOCAL, "const": Space.CONSTANT,
}  # fmt: skip
UNKNOWN = "?"
_OF_MATRICES = frozenset({"ldmatrix", "stmatrix"})
# The bytes of a row of the matrices that these load and store.
ROW_BYTES = 16
# The bytes that `cp.async` may copy for a lane.
COPIED = (4, 8, 16)
_WITH_BARRIERS = frozenset({"mbarrier", "tensormap", "wgmma"})
_BARRIER_BYTES = _POINTER_BYTES = 8
_PASSES_ON = frozenset({"mov", "cvta", "add", "sub", "selp", "mad"})
# Where the terms of a sum stand among the operands, and what may bring an address from memory.
_TERMS = {"add": (1, 2), "mad": (3,), "mov": (1,), "cvta": (1,)}
_LOADING = frozenset({"ld", "ldu", "atom", "shfl"})
_COMPARING = frozenset({"cas", "min", "max", "and", "or"})
# Accesses that order others or that the memory model orders: PTX ISA, "Memory Consistency Model".
_STRONG = frozenset({"volatile", "relaxed", "acquire", "release", "mmio"})


@dataclass(frozen=True, slots=True)
class Access:
    """One memory instruction; `root` names the parameter or variable it goes to, None if not sure.

    `strong` accesses are ordered as atomic ones are; `one_value` says that a store writes the same in all
    threads of a launch, `compares` that an atomic operation may leave what it finds, `reads` that the result
    depends on what was there, `own_lanes` that it goes to memory for other lanes than run the instruction,
    `counted` that statistics tell of it: not of barriers and descriptions of tensors.
    """

    number: int
    instruction: int
    space: Space
    size: int
    writes: bool
    atomic: bool
    root: str | None
    strong: bool = False
    one_value: bool = False
    compares: bool = False
    reads: bool = True
    own_lanes: bool = False
    counted: bool = True

    @property
    def description(self) -> int:
        """The word that tells the runtime of the access."""
        flags = (WRITES if self.writes else 0) | (ATOMIC if self.atomic else 0)
        flags |= (ONE_VALUE if self.one_value else 0) | (COMPARES if self.compares else 0)
        return self.size | self.space << 8 | flags | (FIXED_BOUNDS if self.root else 0)


def accesses(function: Function) -> dict[int, Access]:
    """The memory accesses of a function by their number; parameters are none."""
    roots = _roots(function)
    known = values_of_the_launch(function)
    found: dict[int, Access] = {}
    for number, item in enumerate(function.instructions):
        if item.opcode in _OF_MATRICES:
            found[len(found)] = _of_matrices(len(found), number, item, roots)
        if item.opcode == "cp":
            found.update((one.number, one) for one in _of_copy(function, (len(found), number), item, roots))
        if item.opcode in _WITH_BARRIERS:
            found.update((one.number, one) for one in _of_groups(len(found), number, item, roots))
        if item.opcode not in ("ld", "st", "atom", "red", "ldu") or "param" in item.modifiers:
            continue
        address = next(operand for operand in item.operands if isinstance(operand, Address))
        root = _root_of(address.base, roots)
        space = _space(function, item, root)
        atomic = item.opcode in ("atom", "red")
        found[len(found)] = Access(
            len(found), number, space, access_size(item), atomic or item.opcode == "st", atomic, root,
            strong=not _STRONG.isdisjoint(item.modifiers),
            one_value=item.opcode == "st" and known.are(item.operands[1]),
            compares=atomic and not _COMPARING.isdisjoint(item.modifiers),
            reads=item.opcode != "st" and "exch" not in item.modifiers,
        )  # fmt: skip
    return found


def by_instruction(found: Iterable[Access]) -> dict[int, tuple[Access, ...]]:
    """Accesses by the number of their instruction, in the order of their own numbers."""
    grouped: dict[int, tuple[Access, ...]] = {}
    for access in found:
        grouped[access.instruction] = (*grouped.get(access.instruction, ()), access)
    return grouped


def _of_matrices(own: int, number: int, item: Instruction, roots: dict[str, str]) -> Access:
    """The access of `ldmatrix` or `stmatrix`: rows of 16 bytes, each at the address of one lane."""
    address = next(operand for operand in item.operands if isinstance(operand, Address))
    stores = item.opcode == "stmatrix"
    return Access(
        own, number, Space.SHARED, ROW_BYTES, stores, False, _root_of(address.base, roots),
        reads=not stores, own_lanes=True,
    )  # fmt: skip


def copied_bytes(item: Instruction) -> int | None:
    """The bytes that each lane copies by `cp.async`, None for another instruction or form of it."""
    if item.opcode != "cp" or "global" not in item.modifiers or len(item.operands) < 3:
        return None
    size = item.operands[2]
    if not isinstance(size, Integer) or size.value not in COPIED:
        return None
    return size.value if all(isinstance(one, Address) for one in item.operands[:2]) else None


@dataclass(frozen=True, slots=True)
class BulkCopy:
    """A copy in bulk: of a box of a tensor, whose map is `in_global` and which has a `begin` for each axis,
    or of `size` bytes. One to shared memory tells a `barrier` of its end.
    """

    in_global: Address
    in_shared: Address
    begin: tuple[Operand, ...] = ()
    size: Operand | None = None
    barrier: Address | None = None


_BULK_HINTS = frozenset({"L2::cache_hint", "tile"})
_TO_SHARED = tuple((one, "global", "mbarrier::complete_tx::bytes") for one in ("shared", "shared::cluster"))
_TO_GLOBAL = ("global", "shared", "bulk_group")
_AXES = ("1d", "2d", "3d", "4d", "5d")


def bulk_copy(item: Instruction) -> BulkCopy | None:
    """What an instruction copies in bulk, None for another instruction or form of it."""
    if item.opcode != "cp" or item.modifiers[:2] != ("async", "bulk"):
        return None
    rest = tuple(one for one in item.modifiers[2:] if one not in _BULK_HINTS)
    axes = 0
    if rest[:1] == ("tensor",):
        axes = 1 + _AXES.index(rest[1]) if rest[1:2] and rest[1] in _AXES else -1
        rest = rest[2:]
    given = list(item.operands[: -1 if "L2::cache_hint" in item.modifiers else None])
    barrier = given.pop() if rest in _TO_SHARED and given else None
    size = given.pop() if not axes and given else None
    if len(given) != 2 or axes < 0 or (barrier is None and rest != _TO_GLOBAL):
        return None
    shared, outside = given if barrier is not None else given[::-1]
    begin: tuple[Operand, ...] = ()
    if axes and isinstance(outside, Group) and len(outside.items) == 2:
        outside, group = outside.items
        begin = group.items if isinstance(group, Group) else ()
    whole = isinstance(shared, Address) and isinstance(outside, Address) and len(begin) == axes
    if not whole or not isinstance(barrier, Address | None):
        return None
    assert isinstance(shared, Address) and isinstance(outside, Address)
    return BulkCopy(outside, shared, begin, size, barrier)


def _of_copy(
    function: Function, numbers: tuple[int, int], item: Instruction, roots: dict[str, str]
) -> list[Access]:
    """The load from global memory of a copy, and its store into shared memory."""
    own, number = numbers
    if (bulk := bulk_copy(item)) is not None:
        return _in_bulk(function, numbers, bulk, roots)
    size = copied_bytes(item)
    if size is None:
        return []
    target, source = (_root_of(one.base, roots) for one in item.operands[:2] if isinstance(one, Address))
    return [
        Access(own, number, Space.GLOBAL, size, False, False, source, own_lanes=True),
        Access(own + 1, number, Space.SHARED, size, True, False, target, reads=False),
    ]


def _in_bulk(
    function: Function, numbers: tuple[int, int], copy: BulkCopy, roots: dict[str, str]
) -> list[Access]:
    """The load of a copy in bulk, its store, and the barrier that it tells of its end.

    A parameter that is a tensor's map begins with the tensor's address; a map in memory is not the tensor.
    """
    own, number = numbers
    in_global, in_shared = _root_of(copy.in_global.base, roots), _root_of(copy.in_shared.base, roots)
    if copy.begin and in_global not in maps_of(function):
        in_global = None
    if copy.barrier is None:
        return [
            Access(own, number, Space.SHARED, ROW_BYTES, False, False, in_shared, own_lanes=True),
            Access(
                own + 1, number, Space.GLOBAL, ROW_BYTES, True, False, in_global, reads=False, own_lanes=True
            ),
        ]
    barrier = _root_of(copy.barrier.base, roots)
    return [
        Access(own, number, Space.GLOBAL, ROW_BYTES, False, False, in_global, own_lanes=True),
        Access(own + 1, number, Space.SHARED, ROW_BYTES, True, False, in_shared, reads=False, own_lanes=True),
        Access(own + 2, number, Space.SHARED, _BARRIER_BYTES, True, True, barrier, counted=False),
    ]


def _of_groups(own: int, number: int, item: Instruction, roots: dict[str, str]) -> list[Access]:
    """The accesses of barriers, of changes of tensor maps, and of products of groups of warps."""
    if item.opcode == "wgmma":
        count = sum(not isinstance(one, Group) for one in item.operands[1:3])
        return [
            Access(own + part, number, Space.SHARED, ROW_BYTES, False, False, None, own_lanes=True)
            for part in range(count)
        ]
    addresses = [one for one in item.operands if isinstance(one, Address)]
    size = _BARRIER_BYTES if item.opcode == "mbarrier" else ROW_BYTES
    both = len(addresses) == 2
    found = []
    for part, address in enumerate(addresses):
        shared = "shared" in item.modifiers and not (both and part == 0)
        space = Space.SHARED if shared or item.opcode == "mbarrier" else Space.GLOBAL
        writes = item.opcode == "mbarrier" or part == 0
        root = _root_of(address.base, roots)
        found.append(
            Access(own + part, number, space, size, writes, False, root, reads=not writes, counted=False)
        )
    return found


def access_size(item: Instruction) -> int:
    """The bytes that one lane reads or writes."""
    count = next((int(one[1:]) for one in item.modifiers if one in ("v2", "v4", "v8")), 1)
    return count * int(item.types[-1].lstrip("busf").replace("16x2", "32")) // 8


def _space(function: Function, item: Instruction, root: str | None) -> Space:
    for name, space in _SPACES.items():
        if name in item.modifiers:
            return space
    # Without a stated space the address is a generic one; that of a parameter is global memory.
    known = {parameter.name for parameter in function.parameters}
    return Space.GLOBAL if root is not None and root.split("+")[0] in known else Space.GENERIC


def _roots(function: Function) -> dict[str, str]:
    """For each register that holds an address the parameter or variable that it points into.

    A register that is also given an address from elsewhere, memory say, points into none for sure.
    """
    pointers = _pointer_parameters(function)
    roots: dict[str, str] = {}
    while _add_roots(function, roots, pointers):
        pass
    while _add_roots(function, roots, pointers, otherwise=UNKNOWN):
        pass
    return {name: root for name, root in roots.items() if root != UNKNOWN}


def _add_roots(
    function: Function, roots: dict[str, str], pointers: frozenset[str], otherwise: str | None = None
) -> bool:
    """Whether any root was added or became unknown; `otherwise` is that of what points into nothing known."""
    changed = False
    for item in function.instructions:
        root = _result_root(item, roots, pointers)
        for name in results(item):
            old = roots.get(name)
            given = otherwise if root is None and old is not None else root
            new = given if old is None or given == old else UNKNOWN
            if given is not None and new != old:
                roots[name] = str(new)
                changed = True
    return changed


def _result_root(item: Instruction, roots: dict[str, str], pointers: frozenset[str]) -> str | None:
    if item.opcode == "ld" and "param" in item.modifiers:
        address = item.operands[1]
        if isinstance(address, Address) and isinstance(address.base, Symbol):
            name = parameter_key(address)
            return name if name in pointers else None
        return None
    if item.opcode == "cvt" and item.types == ("u64", "u32"):
        # The address of a parameter that is a map has 32 bits before it becomes a generic one.
        return next((one for one in _operand_roots(item.operands[1], roots) if one in pointers), None)
    if item.opcode not in _PASSES_ON:
        return None
    # A choice has its condition last, and of a product with an addend only this may be an address.
    sources = {"selp": item.operands[1:3], "mad": item.operands[3:]}.get(item.opcode, item.operands[1:])
    found = {root for operand in sources for root in _operand_roots(operand, roots)}
    if len(found) > 1 or (found and item.opcode == "sub" and _operand_roots(item.operands[2], roots)):
        return UNKNOWN
    return next(iter(found), None)


def _operand_roots(operand: Operand, roots: dict[str, str]) -> Iterable[str]:
    if isinstance(operand, Register):
        return [roots[operand.name]] if operand.name in roots else []
    return [operand.name] if isinstance(operand, Symbol) else []


def parameter_key(address: Address) -> str:
    """The name of a kernel parameter, with the offset inside where it is read in parts."""
    assert isinstance(address.base, Symbol)
    return address.base.name if not address.offset else f"{address.base.name}+{address.offset}"


def maps_of(function: Function) -> frozenset[str]:
    """The parameters that may be maps of tensors: they hold more than a pointer."""
    return frozenset(one.name for one in function.parameters if one.size > _POINTER_BYTES)


def _pointer_parameters(function: Function) -> frozenset[str]:
    """The parameters that are addresses: declared so, converted to global ones, or dereferenced, by
    themselves or with offsets added.
    """
    origin: dict[str, str] = {}
    made: dict[str, list[Instruction]] = defaultdict(list)
    for item in function.instructions:
        for name in results(item):
            made[name].append(item)
        if item.opcode == "ld" and "param" in item.modifiers and isinstance(item.operands[1], Address):
            address = item.operands[1]
            if isinstance(address.base, Symbol):
                origin.update(dict.fromkeys(results(item), parameter_key(address)))
    found = {one.name for one in function.parameters if one.pointer} | maps_of(function)
    for item in function.instructions:
        if item.opcode == "cvta":
            found.update(origin[name] for name in reads(item) if name in origin)
        for operand in item.operands:
            if isinstance(operand, Address) and isinstance(operand.base, Register):
                parameter = _parameter_of_sum(operand.base.name, made, origin)
                found.update(() if parameter is None else {parameter})
    return frozenset(found)


def _parameter_of_sum(
    register: str, made: Mapping[str, Sequence[Instruction]], origin: Mapping[str, str]
) -> str | None:
    """The one parameter among the terms of an address, None where there are several, or where a term may be
    the address of something else.

    A product or a choice is an offset: of arrays with any strides each index is multiplied.
    """
    terms, seen, found = [register], {register}, set[str]()
    while terms:
        name = terms.pop()
        if name in origin:
            found.add(origin[name])
            continue
        for item in made.get(name, ()):
            several = [item.operands[at] for at in _TERMS.get(item.opcode, ()) if at < len(item.operands)]
            if item.opcode in _LOADING or any(map(_is_symbol, several)):
                return None
            more = {one.name for one in several if isinstance(one, Register)} - seen
            seen |= more
            terms += more
    return next(iter(found)) if len(found) == 1 else None


def _is_symbol(operand: Operand) -> bool:
    return isinstance(operand, Symbol)


def _root_of(base: Operand, roots: dict[str, str]) -> str | None:
    if isinstance(base, Symbol):
        return base.name
    return roots.get(base.name) if isinstance(base, Register) else None
