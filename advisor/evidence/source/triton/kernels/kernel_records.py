"""The records of one function of Triton and of what stands in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.host.host_records import is_test_path
from advisor.evidence.source.triton.kernels.accesses import (
    covers_blocks,
    invariant_in_loop,
    lane_strides,
    own_accesses,
    repeated_loads,
    walks_by_number,
)
from advisor.evidence.source.triton.kernels.accumulation import only_collected
from advisor.evidence.source.triton.kernels.missing_masks import masked_elsewhere
from advisor.evidence.source.triton.kernels.reduced_lanes import reduced_values
from advisor.evidence.source.triton.kernels.repetition import changes_results
from advisor.evidence.source.triton.launches.tuning_records import sizes_of_extent, tuning_records
from advisor.evidence.source.triton.record_making import number, record_at
from advisor.evidence.source.triton.walk.notes import AccessNote, AtomicNote, DotNote, KernelNotes
from advisor.model.records import Record, Value

_BRANCHES = ("if", "while", "conditional expression")


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
        "configurations": number(tuning.count) if tuning is not None else 0.0,
        "keys": None if tuning is None or tuning.keys is None else float(len(tuning.keys)),
        "sizes": float(sum(one not in function.constants() for one in _size_names(notes))),
        "dots": float(len(notes.dots)),
        "dots_in_loops": float(len(in_loops)),
        "elementwise": is_elementwise(notes),
        "masked_accesses": float(len(masks)),
        "unmasked_blocks": float(
            sum(not one.has_mask and not one.checked and not one.where.guarded and covers_blocks(one)
                for one in own_accesses(notes))
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
        "pointer": note.address.pointer,
        "masked": note.has_mask or note.checked,
        "masked_elsewhere": masked_elsewhere(note, notes),
        **reduced_values(note, notes),
        "loop_depth": float(len(note.where.loops)),
        "loop_invariant": invariant_in_loop(note, notes),
        "repeated": first is not None,
        "lines_before": float(note.node.lineno - first.node.lineno) if first is not None else None,
        "one_element_each_turn": _one_by_one(note, notes) if launched else None,
        "lane_stride": float(min(counts)) if counts and counts == strides and known else None,
        "walks_down_column": (row is not None) if known else None,
        "row_length": row,
        "guarded": note.where.guarded,
    }
    return _place(notes, "triton_access", note.node, note.address.pointer or "an address", values)


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
    left, right = note.left.shape, note.right.shape
    m = sizes_of_extent(left[-2] if left is not None and len(left) >= 2 else None, notes.function)
    k = sizes_of_extent(left[-1] if left is not None and len(left) >= 2 else None, notes.function)
    n = sizes_of_extent(right[-1] if right is not None and len(right) >= 2 else None, notes.function)
    kept = note.accumulator.dtype if note.accumulator is not None else _added_to(note)
    values: dict[str, Value | None] = {
        "m": number(min(m)) if m else None,
        "n": number(min(n)) if n else None,
        "k": number(min(k)) if k else None,
        "loop_depth": float(len(note.where.loops)),
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
        "loop_depth": float(len(note.where.loops)),
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
            "branch": note.kind in _BRANCHES,
            # What a function gets for its parameters may be blocks, unless the host launches it.
            "on_block": condition.is_block
            if condition.is_block or (launched and condition.is_number)
            else None,
            "on_constant": condition.constant,
            "costly_sides": float(note.costly_sides),
            "loop_depth": float(len(note.where.loops)),
        }
        yield _place(notes, "triton_choice", note.node, note.kind, values)


def _loops(notes: KernelNotes) -> Iterator[Record]:
    for note in notes.loops:
        if note.where.inside:
            continue
        inner = any(isinstance(one, ast.For | ast.While) for part in note.node.body for one in ast.walk(part))
        values: dict[str, Value | None] = {
            "unrolled": note.around.unrolled,
            "turns": number(note.turns),
            "dots": float(note.dots),
            "depth": float(len(note.where.loops)),
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
            "elements": number(size),
            "power_of_two": None if size is None else is_power_of_two(size),
            "run_time": parameter is not None and not note.value.constant,
            "repeated": parameter in seen,
            "given_at": "block",
        }
        seen.add(parameter)
        yield _place(notes, "triton_size", note.node, parameter or str(size), values)


def is_power_of_two(size: int) -> bool:
    """Whether a number is 1, 2, 4, 8 …"""
    return size > 0 and size & (size - 1) == 0


def _prints(notes: KernelNotes) -> Iterator[Record]:
    for note in notes.prints:
        if not note.where.inside:
            yield _place(notes, "triton_print", note.node, f"tl.{note.name}", {"call": note.name})


def _place(
    notes: KernelNotes, entity: str, node: ast.AST, label: str, values: dict[str, Value | None]
) -> Record:
    return record_at(notes.function.module, entity, node, label, notes.function.key, values)
