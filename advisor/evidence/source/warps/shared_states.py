"""States of random number generators from which several threads of a launch draw."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.affine_forms import THREAD
from advisor.evidence.source.kernel_walk.kernel_facts import Access, AtomicUse, DrawUse, KernelFacts
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.evidence.source.warps.thread_use import single_thread
from advisor.model.records import Record
from advisor.program.syntax.tree_nodes import below

_BLOCK = ("bid.x", "bid.y", "bid.z")
_PLACES = frozenset((*THREAD, *_BLOCK))


def draw_records(facts: KernelFacts, kernel: str) -> list[Record]:
    """One record for each call that draws a random number from an array of states."""
    found = []
    for draw in facts.draws:
        along = _shared_along(draw, facts)
        record = record_at("draw", kernel, draw.place, draw.array.name, "draw")
        record.know(
            "source",
            array=draw.array.name,
            shares_state=bool(along),
            shared_along=" and ".join(sorted(along)) or None,
            by_blocks_alone=bool(along) and all(name.startswith("block") for name in along),
        )
        found.append(record)
    return found


def _shared_along(draw: DrawUse, facts: KernelFacts) -> set[str]:
    """The indices, of threads and blocks, in which threads that do different work may differ and still draw
    from one state. None where one thread of them draws, or where not all is known.
    """
    forms = [index.form for index in draw.indices]
    if not facts.complete or facts.calls_unknown or any(facts.atoms.loaded(form) for form in forms):
        return set()
    chosen = {name for form in forms for name in facts.atoms.depends(form)}
    apart = (_told_apart(facts) & _PLACES) - chosen
    conditions = draw.place.conditions
    if single_thread(draw.place) or any(_chooses(one.node, one.depends & apart) for one in conditions):
        return set()
    return {_written(name) for name in apart}


def _told_apart(facts: KernelFacts) -> frozenset[str]:
    """What the elements of global memory that the kernel changes depend on."""
    changes: list[Access | AtomicUse] = [one for one in facts.accesses if one.kind != "load"]
    changes += facts.atomics
    return frozenset(
        name
        for one in changes
        if one.array is not None and one.array.space == "global"
        for index in one.indices
        for name in facts.atoms.depends(index.form)
    )


def _chooses(test: ast.AST, depends: frozenset[str]) -> bool:
    """Whether a test may leave one thread of those that differ in some indices: by more than their order."""
    if not depends:
        return False
    if isinstance(test, ast.For | ast.While):
        return False
    asked = [operator for one in below(test) if isinstance(one, ast.Compare) for operator in one.ops]
    return not asked or not all(isinstance(one, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for one in asked)


def _written(name: str) -> str:
    kind, _, axis = name.partition(".")
    return f"{'threadIdx' if kind == 'tid' else 'blockIdx'}.{axis}"
