"""Array parameters of which a kernel stores every element, so that nothing is left of what they held."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.affine_forms import atom
from advisor.evidence.source.kernel_walk.index_bounds import asks_for_size_alone, grid_axis
from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts, LoopContext
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.evidence.source.kernels.repeated_loads import field_of
from advisor.program.launches.launches import Launch


def unread_arrays(launch: Launch, walked: WalkedKernels) -> list[str]:
    """The NumPy arrays of a launch, as written there, that the kernel does not read and fills."""
    unread = launch.needless_copies.unread
    if not unread or launch.kernel is None:
        return []
    filled = overwritten(walked.facts(launch.kernel), launch.needless_copies.threads_for_all)
    return [written for parameter, written in unread if parameter in filled]


def overwritten(facts: KernelFacts, threads_for_all: bool) -> frozenset[str]:
    """The parameters of which each thread, or each step of a grid's width, fills elements of its own.

    `threads_for_all` tells that the grid has a thread for each index within the bounds, without which only
    loops by the grid's width reach all elements.
    """
    if not facts.complete:
        return frozenset()
    stores = (one for one in facts.accesses if one.kind == "store" and one.array.parameter)
    return frozenset(one.array.name for one in stores if _fills(one, threads_for_all))


def _fills(store: Access, threads_for_all: bool) -> bool:
    """Whether a store stands under nothing but bounds of its indices, each of which is the thread's position
    along one axis of the grid or the counter of a loop over an axis of the array.
    """
    loops = store.place.loops
    axes = [grid_axis(index.form, loops) for index in store.indices]
    counters = [loop for loop in loops if any(index.form == atom(loop.counter) for index in store.indices)]
    strided = [loop for loop in loops if loop.steps_by_grid and loop not in counters]
    known = [axis for axis in axes if axis is not None]
    if store.whole or field_of(store) or any(index.is_slice for index in store.indices) or not known:
        return False
    if len(set(known)) + len(counters) != len(store.indices) or not (threads_for_all or strided):
        return False
    if len(strided) + len(counters) != len(loops) or not all(map(_runs_to_its_end, loops)):
        return False
    asked = (one for one in store.place.conditions if not isinstance(one.node, ast.For))
    return all(map(_counts_an_axis, counters)) and all(map(asks_for_size_alone, asked))


def _runs_to_its_end(loop: LoopContext) -> bool:
    leaves = (ast.Break, ast.Continue, ast.Return)
    return loop.over_range and not any(isinstance(one, leaves) for one in ast.walk(loop.node))


def _counts_an_axis(loop: LoopContext) -> bool:
    """Whether a loop counts up to a size of an array: `a.size`, `a.shape[0]`, `len(a)`."""
    call = loop.node.iter if isinstance(loop.node, ast.For) else None
    size = call.args[0] if isinstance(call, ast.Call) and len(call.args) == 1 else None
    if isinstance(size, ast.Subscript):
        return isinstance(size.value, ast.Attribute) and size.value.attr == "shape"
    if isinstance(size, ast.Call):
        return isinstance(size.func, ast.Name) and size.func.id == "len"
    return isinstance(size, ast.Attribute) and size.attr == "size"
