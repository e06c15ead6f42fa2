"""States of random number generators that host code makes for kernels: how many, how often, which seed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.host.data_flow.loop_context import LoopContext, loop_context
from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_records import host_record
from advisor.model.records import Record
from advisor.program.launches.launches import Launch
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.calls import called_name, keyword_value
from advisor.program.syntax.module import ModuleSyntax, names_in
from advisor.program.syntax.tree_nodes import below
from advisor.program.syntax.written_code import as_written
from advisor.program.values.constants import Constants

_MAKES = "create_xoroshiro128p_states"
_DRAWS = ("xoroshiro128p_uniform", "xoroshiro128p_normal")
_ARRAYS = frozenset({"zeros", "empty", "ones", "full", "device_array", "pinned_array", "mapped_array"})


def generator_records(placement: Placement, launches: Sequence[Launch]) -> Iterator[Record]:
    """The calls that make states, in order of lines."""
    module = placement.module
    for call in module.calls:
        if called_name(call) != _MAKES or not call.args:
            continue
        context = loop_context(module, call)
        constants = Constants(placement.workspace, module, module.function_around(call))
        count = constants.value(call.args[0])
        using = [one for one in launches if _is_given(call, one, module)]
        yield host_record(
            module,
            "generator",
            call,
            _MAKES,
            context,
            states=count if isinstance(count, int) and count > 0 else None,
            same_seed=_same_seed(call, context, module),
            state_for_each_element=any(_follows_data(call.args[0], one, module) for one in using),
            drawn_once=all(map(_draws_once, using)) if using else None,
        )


def _same_seed(call: ast.Call, context: LoopContext, module: ModuleSyntax) -> bool:
    """Whether each iteration of the innermost loop around a call seeds the same numbers again."""
    if not context.loops or not context.every_iteration:
        return False
    names = ("seed", "subsequence_start")
    seeds = [*call.args[1:3], *filter(None, (keyword_value(call, one) for one in names))]
    if not seeds or any(isinstance(one, ast.Call) for seed in seeds for one in below(seed)):
        return False
    return not any(names_in(one) & module.changed_names(context.loops[0]) for one in seeds)


def _is_given(call: ast.Call, launch: Launch, module: ModuleSyntax) -> bool:
    """Whether a launch is given the states that a call makes."""
    if launch.module is not module:
        return False
    names = (one for one in launch.arguments if isinstance(one, ast.Name))
    return any(value is call for one in names for value in values_at(module, one))


def _follows_data(count: ast.expr, launch: Launch, module: ModuleSyntax) -> bool:
    """Whether there are as many states as tasks of a launch, or as elements of an array that it is given."""
    if not isinstance(count, ast.Name | ast.Attribute):
        return False
    written = as_written(count)
    configured = launch.node.func
    if called_name(configured) == "forall" and isinstance(configured, ast.Call) and configured.args:
        return as_written(configured.args[0]) == written
    names = (one for one in launch.arguments if isinstance(one, ast.Name))
    made = (value for one in names for value in values_at(module, one) if value is not None)
    return any(
        called_name(one) in _ARRAYS and one.args and as_written(one.args[0]) == written
        for value in made
        for one in below(value)
        if isinstance(one, ast.Call)
    )


def _draws_once(launch: Launch) -> bool:
    """Whether the kernel itself draws numbers, and in no loop."""
    if launch.kernel is None:
        return False
    node, module = launch.kernel.node, launch.kernel.module
    drawn = [one for one in module.inside(node, ast.Call) if called_name(one).startswith(_DRAWS)]
    looped = {
        inner
        for loop in (*module.inside(node, ast.For), *module.inside(node, ast.While))
        for inner in below(loop)
    }
    return bool(drawn) and looped.isdisjoint(drawn)
