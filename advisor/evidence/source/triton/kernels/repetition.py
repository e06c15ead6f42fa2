"""Whether running a kernel once more changes its results, as the trials of tuning do."""

from __future__ import annotations

from advisor.evidence.source.triton.walk.notes import AccessNote, KernelNotes

_AGAIN = frozenset({"add", "xor"})


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
