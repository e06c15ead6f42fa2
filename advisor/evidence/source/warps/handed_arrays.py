"""Arrays that threads hand on to each other by a lock or flag, with no fence that orders them behind it."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.affine_forms import THREAD
from advisor.evidence.source.kernel_walk.kernel_facts import Access, AtomicUse, KernelFacts
from advisor.evidence.source.warps.thread_use import single_thread

_THREADS = frozenset(THREAD)
# The arguments of an atomic operation in front of its values: the array, and mostly the index.
_IN_FRONT = {"compare_and_swap": 1}


def handed_on(atomic: AtomicUse, facts: KernelFacts) -> str | None:
    """The array whose elements a thread uses that others have stored, once an atomic for which it waits says
    that they are there; None where a fence or barrier may order the two, or nothing is handed on.
    """
    if not atomic.spins or facts.fenced or facts.calls_unknown or not _asks_for_a_constant(atomic):
        return None
    # A barrier orders what threads of one block do; one thread of a block waits for those of other blocks.
    meets = bool(facts.barriers or facts.warp_barriers)
    if meets and not single_thread(atomic.place):
        return None
    spaces = ("global",) if meets else ("global", "shared")
    locks = {id(one.array) for one in facts.atomics}
    behind = [
        one
        for one in facts.accesses[atomic.accesses :]
        if one.kind != "store" and one.array.space in spaces and id(one.array) not in locks
    ]
    for use in behind:
        if any(_may_meet(use, other, facts) for other in facts.accesses):
            return use.array.name
    return None


def _asks_for_a_constant(atomic: AtomicUse) -> bool:
    """Whether an atomic tests or sets a flag, and does not try again to change a number that it has read."""
    call = atomic.place.node
    if not isinstance(call, ast.Call):
        return False
    values = call.args[_IN_FRONT.get(atomic.operation, 2) :]
    return bool(values) and all(_is_constant(one) for one in values)


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and len(node.args) == 1:
        return _is_constant(node.args[0])
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
    )


def _may_meet(use: Access, other: Access, facts: KernelFacts) -> bool:
    """Whether another access changes the array in an element that need not be the thread's own."""
    if other.array is not use.array or other.kind == "load":
        return False
    if other.element != use.element:
        return True
    forms = [index.form for index in use.indices]
    own = any(not _THREADS.isdisjoint(facts.atoms.depends(form)) for form in forms)
    return not own or any(facts.atoms.loaded(form) for form in forms)
