"""Which parameters hold truth values: elements that are only tested, and are written as results of tests."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from advisor.program.effects.local_values import LocalValues
from advisor.program.effects.parameter_use import Use, View
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.tree_nodes import below

_DEPTH = 6
# Numbers that stand for truth in arrays of bytes: masks of images have the last.
_TRUTHS = (0, 1, 255)

Callee = Callable[[ast.expr], FunctionNode | None]
# Whether an occurrence shows a truth value, perhaps one written as a number, a value of any other kind, or
# nothing.
_Shown = tuple[bool, bool, bool]
_TRUTH, _TRUTH_AS_NUMBER, _OTHER, _NOTHING = (
    (True, False, False),
    (True, True, False),
    (False, False, True),
    (False, False, False),
)


class TruthUses:
    """What the places where elements of parameters, or scalars, are read and written show of their kind."""

    def __init__(self, function: FunctionNode, local_values: LocalValues, callee: Callee) -> None:
        self._locals, self._callee = local_values, callee
        self._nodes = [node for statement in function.body for node in below(statement)]
        self._parents = {child: node for node in self._nodes for child in ast.iter_child_nodes(node)}

    def note(self, use_of: Callable[[View], Use]) -> None:
        """Note in the uses what is shown; their dimensions must be known."""
        for node in self._nodes:
            if isinstance(node, ast.Name | ast.Subscript | ast.Attribute):
                views = self._locals.views(node)
                uses = [use for view in views if (use := use_of(view)).dims == view.consumed]
                if uses:
                    is_truth, as_number, is_other = self._shown(node)
                    for use in uses:
                        use.tested |= is_truth
                        use.tested_as_number |= as_number
                        use.computed |= is_other

    def _shown(self, node: ast.expr) -> _Shown:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            return _NOTHING  # what is read of the name shows it
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            parent = self._parents.get(node)
            return self._written(parent.value) if isinstance(parent, ast.Assign) else _OTHER
        return self._read(node)

    def _read(self, node: ast.expr) -> _Shown:
        parent = self._parents.get(node)
        match parent:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test) if (
                test is node
            ):
                return _TRUTH
            case ast.IfExp():
                return self._read(parent)
            case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return _TRUTH
            case ast.Compare():
                return self._compared([one for one in (parent.left, *parent.comparators) if one is not node])
            case ast.Assign() | ast.Expr():
                return _NOTHING
            case ast.Call() if node in parent.args and self._callee(parent.func) is not None:
                return _NOTHING  # its parameter shows it
            case ast.Call() if called_name(parent) == "bool":
                return _TRUTH
        return _OTHER

    def _compared(self, others: Sequence[ast.expr]) -> _Shown:
        if all(self._is_element(one) for one in others):
            return _NOTHING
        return _of_constants(others)

    def _written(self, value: ast.expr, depth: int = _DEPTH) -> _Shown:
        if isinstance(value, ast.Compare | ast.BoolOp) or (
            isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
        ):
            return _TRUTH
        if isinstance(value, ast.Constant):
            is_truth, as_number, is_other = _of_constants([value])
            # A number alone is no result of a test: sums begin at 0.
            return is_truth and not as_number, as_number, is_other
        if self._is_element(value):
            return _NOTHING
        bound = self._locals.bound.get(value.id, []) if isinstance(value, ast.Name) else []
        if not bound or not depth or (isinstance(value, ast.Name) and value.id in self._locals.counted):
            return _OTHER
        shown = [self._written(one, depth - 1) for one in bound]
        return (
            any(one[0] for one in shown),
            any(one[1] for one in shown),
            any(one[2] for one in shown),
        )

    def _is_element(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Subscript) and bool(self._locals.views(node))


def _of_constants(nodes: Sequence[ast.expr]) -> _Shown:
    values = [one.value if isinstance(one, ast.Constant) else None for one in nodes]
    if all(isinstance(one, bool) for one in values):
        return _TRUTH
    if all(type(one) in (int, bool) and one in _TRUTHS for one in values):
        return _TRUTH_AS_NUMBER
    return _OTHER
