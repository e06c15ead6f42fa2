"""Whether a kernel does the same with blocks of any size: threads look at their place in the grid only."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.affine_forms import Atoms, position_along
from advisor.evidence.source.kernel_walk.kernel_facts import Place
from advisor.fixes.rewrites.host.grid_follows_device import any_grid_will_do
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import words_in
from advisor.fixes.support.kernel.grid_indices import grid_indices
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import (
    INDEX_NAMES,
    calls_are_axis_free,
    calls_use_only,
    cuda_parts,
)
from advisor.fixes.support.kernel.walked_kernel import is_one_for_all, walked_kernel
from advisor.program.syntax.module import FunctionNode

# Parts of numba.cuda that neither join the threads of a block nor tell where a thread is.
_FREE = frozenset({
    "atomic", "local", "const", "libdevice", "fma", "cbrt", "popc", "brev", "clz", "ffs", "selp", "fp16",
})  # fmt: skip


def covers_with_any_grid(module: SourceModule, kernel: FunctionNode) -> bool:
    """Whether a kernel does all its work in grid-stride loops, so that block and grid may be of any size."""
    return calls_are_axis_free(module, kernel) and any_grid_will_do(KernelBody(module, kernel))


def checked_axes(module: SourceModule, kernel: FunctionNode) -> frozenset[str]:
    """The axes of the grid that a kernel uses, x, y and z, where it checks each of them against a bound
    before it touches an array; empty where it does not, or where it depends on the block in another way.
    """
    body, facts = KernelBody(module, kernel), walked_kernel(module, kernel)
    axes = frozenset(one.axis for one in grid_indices(body).values())
    if not threads_ask_for_grid_only(module, kernel) or _says_something(body):
        return frozenset()
    places = [one.place for one in facts.accesses] + [one.place for one in facts.atomics]
    return axes if all(_is_checked(one, axes, facts.atoms) for one in places) else frozenset()


def _says_something(body: KernelBody) -> bool:
    """Whether a thread may print, or end with an error."""
    errors = any(True for _ in body.nodes((ast.Raise, ast.Assert)))
    return errors or "print" in words_in(body.module, body.function.body)


def _is_checked(place: Place, axes: frozenset[str], atoms: Atoms) -> bool:
    """Whether only threads come to a place whose grid indices lie below a bound that is one for all."""
    bounds = [form for condition in place.conditions for form in condition.bounds]
    return all(any(is_one_for_all(one - position_along(axis), atoms) for one in bounds) for axis in axes)


def threads_ask_for_grid_only(module: SourceModule, kernel: FunctionNode) -> bool:
    """Whether threads look at nothing but grid indices, if at these, also in functions that are called."""
    body = KernelBody(module, kernel)
    lines: list[ast.stmt] = [one.line for one in grid_indices(body).values()]
    asked = [(node, name) for node, name in cuda_parts(module, kernel.body) if name not in _FREE]
    if not all(name in INDEX_NAMES or name == "grid" for _, name in asked):
        return False
    serving = all(_serves(body, body.top_statement(node), lines) for node, _ in asked)
    return serving and calls_use_only(module, kernel, _FREE)


def _serves(body: KernelBody, line: ast.stmt, lines: list[ast.stmt]) -> bool:
    """Whether a statement is one of those that give grid indices, or gives a name that only these use."""
    if line in lines:
        return True
    target = line.targets[0] if isinstance(line, ast.Assign) else None
    if not isinstance(target, ast.Name):
        return False
    uses = (one for one in body.nodes(ast.Name) if one.id == target.id and one is not target)
    return all(body.top_statement(one) in lines for one in uses)
