"""Accesses without the mask that bounds the same positions elsewhere in their kernel."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.affine_forms import Form
from advisor.evidence.source.triton.kernels.accesses import own_accesses, uses
from advisor.evidence.source.triton.walk.notes import AccessNote, KernelNotes

_ROUNDED = ("round", "padded", "pad_")


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
