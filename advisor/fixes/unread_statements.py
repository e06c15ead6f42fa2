"""What stands in a LibCST tree for statements that could not be read: calls that may do anything."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

# No module binds this name, so that nothing is known of what is called by it.
_UNREAD = "__unread__"


def is_gap(node: cst.CSTNode) -> bool:
    """Whether a node is the `0` that stands for a statement, where its line could not be read."""
    return isinstance(node, cst.Expr) and isinstance(node.value, cst.Integer) and node.value.value == "0"


def names_of_variables(
    function: cst.FunctionDef, bound: Callable[[cst.CSTNode], set[str]], nodes: list[cst.CSTNode]
) -> set[str]:
    """The parameters of a function, and what the `nodes` in it bind."""
    given = function.params
    each = [*given.posonly_params, *given.params, *given.kwonly_params, given.star_kwarg, given.star_arg]
    names = {one.name.value for one in each if isinstance(one, cst.Param)}
    return names.union(*map(bound, nodes))


def fill(gap: cst.CSTNode, names: set[str], ranges: dict[cst.CSTNode, tuple[int, int]]) -> None:
    """Put a call with these names in the place of a gap, all of it where the `0` stands.

    The tree's text stays what it was: the nodes take the place of others and not of their characters.
    """
    called = [cst.Name(name) for name in (_UNREAD, *sorted(names))]
    arguments = [cst.Arg(name) for name in called[1:]]
    call = cst.Call(called[0], arguments)
    place = ranges[gap]
    ranges.update(dict.fromkeys((call, *called, *arguments), place))
    object.__setattr__(gap, "value", call)
