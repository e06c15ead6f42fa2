"""Tests that let no thread of a launch leave the kernel: all of its positions are inside of the bounds."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from advisor.evidence.source.kernel_walk.affine_forms import Form
from advisor.evidence.source.kernel_walk.kernel_facts import Condition
from advisor.evidence.source.kernels.bounds.exact_fits import last_positions
from advisor.evidence.source.kernels.bounds.launched_sizes import sizes_of
from advisor.model.compilation_unit import StatedLaunch
from advisor.program.launches.launched_as import LaunchedAs

_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_FIRST_IS_ZERO = ("tid.", "bid.")


def is_never_taken(exit: Condition, launched: LaunchedAs, parameters: Sequence[str]) -> bool:
    """Return whether no thread of any launch in sight leaves by an exit, by the grids, blocks and sizes that
    the source fixes. The launches of tests do not tell what a program's are.
    """
    if not launched.stated or launched.by_tests:
        return False
    return all(_lets_none_leave(exit, one, parameters) for one in launched.stated)


def _lets_none_leave(exit: Condition, launch: StatedLaunch, parameters: Sequence[str]) -> bool:
    """Whether all threads stay: what keeps them is known in full, and holds for each of them."""
    parts = _comparisons(exit.node)
    sizes = sizes_of(parameters, launch.arguments)
    ends = {**sizes, **last_positions(replace(launch, grid=launch.sized_grid or launch.grid))}
    if not parts or not ends:
        return False
    # A part that bounds nothing, as one about data, may let threads leave whatever the others say.
    if len(exit.bounds) == len(parts) and all(_always_holds(one, ends) for one in exit.bounds):
        return True
    return len(exit.alternatives) == len(parts) and any(
        len(part) == 1 and all(_always_holds(one, ends) for one in part) for part in exit.alternatives
    )


def _comparisons(test: ast.AST) -> list[ast.Compare]:
    """The comparisons by order of two values that a test consists of, none of a test with anything else."""
    if isinstance(test, ast.BoolOp):
        parts = [_comparisons(one) for one in test.values]
        return [one for (one,) in parts] if all(len(part) == 1 for part in parts) else []
    simple = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], _ORDERED)
    return [test] if isinstance(test, ast.Compare) and simple else []


def _always_holds(bound: Form, ends: Mapping[str, int]) -> bool:
    """Whether a form is at 0 or below at all positions up to the last ones."""
    if not bound.atoms() <= set(ends):
        return False
    rising = [(names, factor) for names, factor in bound.terms if factor > 0 or not _begins_at_zero(names)]
    return Form(tuple(rising)).evaluate(ends.__getitem__) <= 0


def _begins_at_zero(names: tuple[str, ...]) -> bool:
    return any(name.startswith(_FIRST_IS_ZERO) for name in names)
