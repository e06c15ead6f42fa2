"""The records of one function of Triton and of what stands in it."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from advisor.evidence.source.kernel_walk.affine_forms import Form
from advisor.evidence.source.test_paths import is_test_path
from advisor.evidence.source.triton.kernels.accesses import (
    covers_blocks,
    invariant_in_loop,
    lane_strides,
    moves_single_elements,
    own_accesses,
    repeated_loads,
    uses,
    walks_by_number,
)
from advisor.evidence.source.triton.launches.tuning_records import tuning_records
from advisor.evidence.source.triton.record_making import is_power_of_two, record_at
from advisor.evidence.source.triton.walk.notes import AccessNote, AtomicNote, DotNote, KernelNotes
from advisor.evidence.source.triton.walk.quantities import AS_LOADED, MAGNITUDE
from advisor.model.records import Record, Value
from advisor.program.syntax.module import ModuleSyntax

_ROUNDED = ("round", "padded", "pad_")
_LARGEST, _LEAST = frozenset({"max", "argmax"}), frozenset({"min", "argmin"})
_EXTREMES = _LARGEST | _LEAST | {"sort"}
_AGAIN = frozenset({"add", "xor"})
_CHANGES = frozenset({"to", "abs", "float", "exp", "log", "sqrt", "cast"})
_COLLECTS = frozenset({"max", "min", "maximum", "minimum"})
_WARP = 32


def triton_kernel_records(notes: KernelNotes, launched: bool | None, called: bool) -> Iterator[Record]:
    """The record of a function, then those of its loads, products, atomics, choices, loops and blocks."""
    yield _kernel(notes, launched, called)
    repeated = repeated_loads(notes)
    for access in own_accesses(notes):
        yield _access(access, notes, repeated.get(access.number), launched)
    for dot in notes.dots:
        if not dot.where.inside:
            yield _dot(dot, notes)
    for atomic in notes.atomics:
        if not atomic.where.inside:
            yield _atomic(atomic, notes, launched)
    yield from _choices(notes, launched)
    yield from _loops(notes)
    yield from _extents(notes)
    yield from _prints(notes)
    yield from tuning_records(notes)


def _kernel(notes: KernelNotes, launched: bool | None, called: bool) -> Record:
    function = notes.function
    module, tuning = function.module, function.tuning
    masks = [one for one in notes.accesses if one.has_mask or checks_bounds(one)]
    in_loops = [one for one in notes.dots if one.where.loops]
    repeats = changes_results(notes)
    values: dict[str, Value | None] = {
        "launched": launched,
        "called": called,
        "tuned": True if tuning is not None else None if function.wrapped else False,
        "configurations": tuning.count if tuning is not None else 0.0,
        "keys": None if tuning is None or tuning.keys is None else len(tuning.keys),
        "sizes": sum(one not in function.constants() for one in _size_names(notes)),
        "dots_in_loops": len(in_loops),
        "elementwise": is_elementwise(notes),
        "single_elements": moves_single_elements(notes),
        "masked_accesses": len(masks),
        "unmasked_blocks": sum(
            not one.has_mask and not one.checked and not one.where.guarded and covers_blocks(one)
            for one in own_accesses(notes)
        ),
        "updates": repeats,
        "restored": None if tuning is None else _restored(notes, repeats),
        "in_test_or_benchmark": is_test_path(module.path),
    }  # fmt: skip
    record = record_at(
        module, "triton_kernel", function.node, function.name, None, values, module.name_span(function.node)
    )
    record.key = function.key
    return record


def _size_names(notes: KernelNotes) -> set[str]:
    """The parameters that masks and ends of loops name, which are sizes of the data."""
    found = set[str]()
    for one in notes.accesses:
        if one.mask is not None:
            found |= {name.id for name in ast.walk(one.node) if isinstance(name, ast.Name)}
    for node in ast.walk(notes.function.node):
        if isinstance(node, ast.Compare | ast.For):
            within = node.iter if isinstance(node, ast.For) else node
            found |= {name.id for name in ast.walk(within) if isinstance(name, ast.Name)}
    return found & set(notes.function.parameters)


def _restored(notes: KernelNotes, pointer: str | None) -> bool | None:
    tuning = notes.function.tuning
    if tuning is None or pointer is None:
        return None
    if tuning.hooked or any(one.hooked or one.open for one in tuning.configurations):
        return True
    return None if tuning.restored is None else pointer in tuning.restored


def checks_bounds(note: AccessNote) -> bool:
    """Whether a load or store says along which axes it checks bounds, or may say so."""
    return any(one.arg in ("boundary_check", None) for one in note.node.keywords)


def is_elementwise(notes: KernelNotes) -> bool:
    """Whether a kernel does the same to each element, with no loop, reduction, product or atomic."""
    kinds = {one.kind for one in notes.accesses}
    plain = not (notes.dots or notes.atomics or notes.loops or notes.reductions) and notes.complete
    flat = all(one.address.shape is not None and len(one.address.shape) <= 1 for one in notes.accesses)
    lanes = any(one.address.shape for one in notes.accesses if one.kind == "store")
    return plain and flat and lanes and kinds == {"load", "store"}


def _access(note: AccessNote, notes: KernelNotes, first: AccessNote | None, launched: bool | None) -> Record:
    strides = lane_strides(note)
    counts = {one for one in strides if isinstance(one, int)}
    known = note.address.shape is not None and not note.checked
    row = _row_length(note, strides, notes) if known else None
    values: dict[str, Value | None] = {
        "kind": note.kind,
        "masked_elsewhere": masked_elsewhere(note, notes),
        **reduced_values(note, notes),
        "loop_invariant": invariant_in_loop(note, notes),
        "repeated": first is not None,
        "lines_before": note.node.lineno - first.node.lineno if first is not None else None,
        "one_element_each_turn": _one_by_one(note, notes) if launched else None,
        "lane_stride": min(counts) if counts and counts == strides and known else None,
        "walks_down_column": (row is not None) if known else None,
        "row_length": row,
        "masked": note.has_mask,
        "fills_warp": _fills_warp(note),
        "in_loop": bool(note.where.loops),
    }
    return _place(notes, "triton_access", note.node, note.address.pointer or "an address", values)


def _fills_warp(note: AccessNote) -> bool:
    """Whether a block has as many elements as a warp has lanes, by its text; parameters are taken to have."""
    shape = note.address.shape or ()
    numbers = [one for one in shape if isinstance(one, int)]
    return any(isinstance(one, str) for one in shape) or (
        len(numbers) == len(shape) and math.prod(numbers) >= _WARP
    )


def _one_by_one(note: AccessNote, notes: KernelNotes) -> bool:
    loops = note.where.loops
    return walks_by_number(note) and only_collected(note.node, notes.function.module, loops[-1].node)


def _row_length(note: AccessNote, strides: set[int | str], notes: KernelNotes) -> str | None:
    """The size of a row that all lanes are apart: it limits positions, or an index in the row is added."""
    if len(strides) != 1:
        return None
    name = next(iter(strides))
    parameters = notes.function.parameters
    if not isinstance(name, str) or name not in parameters or "stride" in name.lower():
        return None
    inner = [m[0] for m, _ in note.address.form.terms if len(m) == 1 and not m[0].startswith("arange")]
    within_row = any(one not in parameters and not one.startswith("carried") for one in inner)
    return name if name in notes.limits or within_row else None


def _dot(note: DotNote, notes: KernelNotes) -> Record:
    kept = note.accumulator.dtype if note.accumulator is not None else _added_to(note)
    values: dict[str, Value | None] = {
        "loop_depth": len(note.where.loops),
        "precision_chosen": note.precision_chosen,
        "raised_factors": note.left.raised and note.right.raised,
        "result_type": note.result_type or kept or "float32",
    }
    return _place(notes, "triton_dot", note.node, "tl.dot", values)


def _added_to(note: DotNote) -> str | None:
    return None if note.accumulator is None else note.accumulator.dtype


def _atomic(note: AtomicNote, notes: KernelNotes, launched: bool | None) -> Record:
    depends = notes.atoms.depends(note.address.form)
    loops = {one.counter for one in note.where.loops}
    programs = {one for one in depends if one.startswith("pid.")}
    indirect = notes.atoms.loaded(note.address.form) or "anything" in depends
    one_address = None
    if note.address.shape is not None and launched:
        one_address = note.address.shape == () and not (programs or indirect or loops & depends)
    invariant = None
    if note.where.loops:
        invariant = note.where.loops[-1].counter not in depends and not indirect
    values: dict[str, Value | None] = {
        "operation": note.operation,
        "one_address": one_address,
        "loop_invariant": invariant,
        "result_used": note.result_used,
        "guarded": note.where.guarded,
        "in_while": any(isinstance(one.node, ast.While) for one in note.where.loops),
    }  # fmt: skip
    return _place(notes, "triton_atomic", note.node, f"tl.atomic_{note.operation}", values)


def _choices(notes: KernelNotes, launched: bool | None) -> Iterator[Record]:
    for note in notes.choices:
        if note.where.inside:
            continue
        condition = note.condition
        values: dict[str, Value | None] = {
            "kind": note.kind,
            # What a function gets for its parameters may be blocks, unless the host launches it.
            "on_block": condition.is_block
            if condition.is_block or (launched and condition.is_number)
            else None,
            "on_constant": condition.constant,
            "costly_sides": note.costly_sides,
        }
        yield _place(notes, "triton_choice", note.node, note.kind, values)


def _loops(notes: KernelNotes) -> Iterator[Record]:
    for note in notes.loops:
        if note.where.inside:
            continue
        inner = any(isinstance(one, ast.For | ast.While) for part in note.node.body for one in ast.walk(part))
        values: dict[str, Value | None] = {
            "unrolled": note.around.unrolled,
            "iterations": note.iterations,
            "dots": note.dots,
            "holds_loops": inner,
        }
        yield _place(notes, "triton_loop", note.node.iter, "loop", values)


def _extents(notes: KernelNotes) -> Iterator[Record]:
    function = notes.function
    seen = set[str | None]()
    for note in notes.extents:
        if note.where.inside:
            continue
        parameter = (
            note.name if note.name in function.parameters and note.value.form.atoms() == {note.name} else None
        )
        size = note.value.value
        if parameter is None and size is None:
            continue
        values: dict[str, Value | None] = {
            "parameter": parameter,
            "elements": size,
            "power_of_two": None if size is None else is_power_of_two(size),
            "run_time": parameter is not None and not note.value.constant,
            "repeated": parameter in seen,
            "given_at": "block",
        }
        seen.add(parameter)
        yield _place(notes, "triton_size", note.node, parameter or str(size), values)


def _prints(notes: KernelNotes) -> Iterator[Record]:
    for note in notes.prints:
        if not note.where.inside:
            yield _place(notes, "triton_print", note.node, f"tl.{note.name}", {"call": note.name})


def _place(
    notes: KernelNotes, entity: str, node: ast.AST, label: str, values: dict[str, Value | None]
) -> Record:
    return record_at(notes.function.module, entity, node, label, notes.function.key, values)


def masked_elsewhere(note: AccessNote, notes: KernelNotes) -> bool | None:
    """Whether a mask of another access bounds positions that this unmasked one uses.

    None for an array whose rows have a rounded length, by the name of the parameter: it holds whole blocks.
    """
    if note.has_mask or note.checked or note.where.guarded or _is_selected(note):
        return False
    if note.address.pointer is None:
        # Memory that no launch hands over has an extent of its own.
        return None
    if any(word in name.lower() for name in note.address.form.atoms() for word in _ROUNDED):
        return None
    return any(
        position in notes.bounds
        and uses(note.address.form, position)
        and not _in_whole_blocks(position, note, notes)
        for one in own_accesses(notes)
        if one.mask is not None and not _is_tail(one, note)
        for position in one.mask.compared
    )


def _is_selected(note: AccessNote) -> bool:
    """Whether what is stored was selected lane by lane, as for scratch that holds whole blocks."""
    value = note.node.args[1] if note.kind == "store" and len(note.node.args) > 1 else None
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "to":
        value = value.func.value
    return isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == "where"


def _is_tail(masked: AccessNote, note: AccessNote) -> bool:
    """Whether a masked access behind a loop over whole blocks takes what that loop leaves."""
    return (
        masked.address.pointer == note.address.pointer
        and bool(note.where.loops)
        and note.where.loops[-1] not in masked.where.loops
        and masked.where.order > note.where.order
    )


def _in_whole_blocks(position: Form, note: AccessNote, notes: KernelNotes) -> bool:
    """Whether a loop that ends before the program's own block counts to a position."""
    inside = {one.counter for one in note.where.loops} & position.atoms()
    ends = [one.last.form for one in notes.loops if one.around.counter in inside and one.last is not None]
    return any(name.startswith("pid.") for end in ends for name in notes.atoms.depends(end))


def reduced_values(note: AccessNote, notes: KernelNotes) -> dict[str, Value | None]:
    """The metrics of an access on reductions of its undefined lanes."""
    ways = _ways(note)
    names = {name for name, _ in ways}
    alike = [
        one
        for one in notes.accesses
        if not one.where.inside and _is_extreme(one) and (_as_loaded(one) or not _as_loaded(note))
    ]
    return {
        "reduction": ways[0][0] if ways else "none",
        "reduced_as_loaded": _as_loaded(note),
        "reduced_both_ways": bool(names & _LARGEST) and bool(names & _LEAST),
        "reduced_alike": len(alike) if _is_extreme(note) else 0.0,
        "reduced_before": any(one.number < note.number for one in alike),
    }


def _ways(note: AccessNote) -> list[tuple[str, str]]:
    """The reductions and routes that count, the value itself in a maximum or minimum first.

    Zeros, with which the lanes are filled, cannot win among magnitudes.
    """
    counted = [way for way in note.reached if not (way[0] in _LARGEST and way[1] == MAGNITUDE)]
    return sorted(counted, key=lambda way: not (way[0] in _EXTREMES and way[1] == AS_LOADED))


def _is_extreme(note: AccessNote) -> bool:
    return any(name in _EXTREMES for name, _ in _ways(note)[:1])


def _as_loaded(note: AccessNote) -> bool:
    ways = _ways(note)
    return bool(ways) and ways[0][0] in _EXTREMES and ways[0][1] == AS_LOADED


def changes_results(notes: KernelNotes) -> str | None:
    """The pointer whose memory a second run adds to once more, None where there is none.

    That is one that atomics add to, or one from which a value is loaded, changed and stored in its place.
    """
    for atomic in notes.atomics:
        if atomic.operation in _AGAIN and not atomic.result_used and atomic.address.pointer is not None:
            return atomic.address.pointer
    stores = [one for one in notes.accesses if one.kind == "store" and not one.where.guarded]
    for store in stores:
        for load in notes.accesses:
            if load.kind == "load" and _in_place(load, store):
                return store.address.pointer
    return None


def _in_place(load: AccessNote, store: AccessNote) -> bool:
    """Whether a store writes where a load just before it read."""
    pointer = load.address.pointer
    return (
        pointer is not None
        and pointer == store.address.pointer
        and load.where.order < store.where.order
        and load.address.form == store.address.form
        and not load.where.guarded
        and load.where.loops == store.where.loops
        and not load.where.loops
    )


def only_collected(load: ast.Call, module: ModuleSyntax, loop: ast.AST) -> bool:
    """Whether what a load gives does nothing but to enter a sum, product, maximum or minimum of the loop."""
    if _enters(load, module):
        return True
    statement = _assigned(load, module)
    if statement is None:
        return False
    name = statement.targets[0]
    if not isinstance(name, ast.Name):
        return False
    uses = [
        one for one in ast.walk(loop)
        if isinstance(one, ast.Name) and one.id == name.id and isinstance(one.ctx, ast.Load)
    ]  # fmt: skip
    return bool(uses) and all(_enters(one, module) for one in uses)


def _enters(node: ast.expr, module: ModuleSyntax) -> bool:
    """Whether an expression is part of `acc += …`, or of `acc = max(acc, …)`."""
    above: ast.AST | None = module.parents.get(node)
    child: ast.AST = node
    while above is not None:
        if isinstance(above, ast.AugAssign):
            return child is above.value
        if isinstance(above, ast.Assign):
            return _collects(above)
        plain = isinstance(above, ast.BinOp | ast.UnaryOp | ast.Attribute)
        if not plain and not (isinstance(above, ast.Call) and _name(above) in _CHANGES | _COLLECTS):
            return False
        child, above = above, module.parents.get(above)
    return False


def _collects(statement: ast.Assign) -> bool:
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return False
    value = statement.value
    own = isinstance(value, ast.BinOp) or (isinstance(value, ast.Call) and _name(value) in _COLLECTS)
    parts = [value.left, value.right] if isinstance(value, ast.BinOp) else getattr(value, "args", [])
    return own and any(isinstance(one, ast.Name) and one.id == target.id for one in parts)


def _assigned(node: ast.expr, module: ModuleSyntax) -> ast.Assign | None:
    """The assignment of a load to a name, converted at most."""
    above = module.parents.get(node)
    while isinstance(above, ast.Attribute) or (isinstance(above, ast.Call) and _name(above) in _CHANGES):
        above = module.parents.get(above)
    return above if isinstance(above, ast.Assign) and len(above.targets) == 1 else None


def _name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
