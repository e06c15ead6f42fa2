"""What the loads and stores of a Triton kernel say together: masks, repetitions, strides."""

from __future__ import annotations

from advisor.evidence.source.kernel_walk.affine_forms import Form, Monomial
from advisor.evidence.source.triton.walk.notes import AccessNote, KernelNotes, Where


def own_accesses(notes: KernelNotes) -> list[AccessNote]:
    """The accesses in the kernel's own text."""
    return [one for one in notes.accesses if not one.where.inside]


def uses(address: Form, position: Form) -> bool:
    """Whether an address holds a position, perhaps times a stride: all its terms but the constant one."""
    terms = dict(address.terms)
    wanted = [(monomial, c) for monomial, c in position.terms if monomial]
    first = next((m for m, _ in wanted if any(name.startswith("arange") for name in m)), None)
    if first is None:
        return False
    for monomial in terms:
        factor = _quotient(monomial, first)
        if factor is not None and all(_times(m, factor) in terms for m, _ in wanted):
            # What else depends on the same lanes moves the position away from what was compared.
            lanes = {name for name in first if name.startswith("arange")}
            others = [m for m in terms if lanes & set(m) and m != monomial]
            return not any(_quotient(m, first) is not None for m in others)
    return False


def _quotient(monomial: Monomial, part: Monomial) -> Monomial | None:
    rest = list(monomial)
    for name in part:
        if name not in rest:
            return None
        rest.remove(name)
    return tuple(rest)


def _times(monomial: Monomial, factor: Monomial) -> Monomial:
    return tuple(sorted(monomial + factor))


def covers_blocks(note: AccessNote) -> bool:
    """Whether an address counts through blocks by the program's index: `pid * BLOCK + arange(0, BLOCK)`."""
    terms = [monomial for monomial, _ in note.address.form.terms]
    programs = [m for m in terms if any(name.startswith("pid.") for name in m)]
    lanes = [m for m in terms if any(name.startswith("arange") for name in m)]
    extents = {one for one in note.address.shape or () if isinstance(one, str)}
    return bool(lanes) and any(extents & set(m) for m in programs)


def lane_strides(note: AccessNote) -> set[int | str]:
    """What the lanes' indices are multiplied with: 1, another number, `stride` or the name of a size."""
    found: set[int | str] = set()
    for monomial, coefficient in note.address.form.terms:
        lanes = [name for name in monomial if name.startswith("arange")]
        if not lanes:
            continue
        rest = [name for name in monomial if name not in lanes]
        if len(lanes) > 1 or len(rest) > 1:
            found.add("unknown")
        elif rest:
            found.add(rest[0])
        else:
            found.add(abs(coefficient))
    return found


def repeated_loads(notes: KernelNotes) -> dict[int, AccessNote]:
    """The loads of an address that was loaded before on every way there, by number, with the first load."""
    found: dict[int, AccessNote] = {}
    seen: list[AccessNote] = []
    for note in own_accesses(notes):
        if note.kind != "load" or note.volatile or note.checked or note.address.pointer is None:
            continue
        for before in seen:
            if (
                _same(before, note)
                and _always_before(before.where, note.where)
                and not _written(before, note, notes)
            ):
                found[note.number] = before
                break
        else:
            seen.append(note)
    return found


def _same(one: AccessNote, other: AccessNote) -> bool:
    if one.address.form != other.address.form or one.address.pointer != other.address.pointer:
        return False
    if one.mask is None or other.mask is None:
        return one.mask is other.mask
    return one.mask.form == other.mask.form


def _always_before(one: Where, other: Where) -> bool:
    """Whether each iteration that comes to the second place has come to the first one."""
    return other.blocks[: len(one.blocks)] == one.blocks and one.loops == other.loops[: len(one.loops)]


def _written(one: AccessNote, other: AccessNote, notes: KernelNotes) -> bool:
    """Whether something between two places may write to memory that others read."""
    between = range(one.where.order + 1, other.where.order)
    loops = other.where.loops[len(one.where.loops) :]
    stores = [note.where for note in notes.accesses if note.kind == "store" and _pointers_meet(note, other)]
    waits = [note.where for note in notes.atomics] + [
        note.where for note in notes.prints if note.name == "debug_barrier"
    ]
    return any(
        place.order in between or (loops and place.loops[: len(other.where.loops)] == other.where.loops)
        for place in (*stores, *waits)
    )


def _pointers_meet(one: AccessNote, other: AccessNote) -> bool:
    names = one.address.pointer, other.address.pointer
    return None in names or names[0] == names[1]


def invariant_in_loop(note: AccessNote, notes: KernelNotes) -> bool | None:
    """Whether the innermost loop around a load reads the same addresses in each of its iterations."""
    if not note.where.loops or note.kind != "load" or note.volatile:
        return None
    loop = note.where.loops[-1]
    if note.where.blocks[-1] != id(loop.node.body):
        return False
    depends = notes.atoms.depends(note.address.form)
    if note.mask is not None:
        depends |= notes.atoms.depends(note.mask.form)
    if loop.counter in depends or "anything" in depends or note.address.shape is None:
        return False
    inside = [one for one in notes.accesses if loop in one.where.loops and one.kind == "store"]
    atomics = [one for one in notes.atomics if loop in one.where.loops]
    return not atomics and not any(_pointers_meet(one, note) for one in inside)


def walks_by_number(note: AccessNote) -> bool:
    """Whether a load in a loop reads one element in each iteration, the next one in the next iteration."""
    if not note.where.loops or note.where.loops[-1].unrolled or note.address.shape != ():
        return False
    counter = note.where.loops[-1].counter
    steps = [(m, c) for m, c in note.address.form.terms if counter in m]
    return bool(steps) and all(m == (counter,) and abs(c) == 1 for m, c in steps)


def moves_single_elements(notes: KernelNotes) -> bool | None:
    """Whether each load and store moves one element, some of them in a loop; None where that is unknown."""
    shapes = [one.address.shape for one in notes.accesses]
    if any(shapes):
        return False
    if None in shapes or not notes.complete:
        return None
    return any(one.where.loops for one in notes.accesses)
