"""What the signature of a kernel says about its arrays."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from advisor.model.compilation_unit import ArgumentTypes
from advisor.model.text.syntax_trees import expression_tree
from advisor.program.arrays.host_values import Order
from advisor.program.effects.argument_types import array_type

_DIMENSIONS = re.compile(r"\[([:,\s1]*:[:,\s1]*)\]")


def strided_parameters(signature: ast.expr | None) -> float | None:
    """How many array types of a signature allow any strides, as `float32[:, :]` does and `float32[:, ::1]`
    does not; None without a signature.
    """
    if signature is None:
        return None
    return float(sum("::1" not in dimensions for dimensions in _DIMENSIONS.findall(ast.unparse(signature))))


def stated_arrays(
    typings: Sequence[ArgumentTypes], parameters: Sequence[str]
) -> tuple[dict[str, str], dict[str, Order]]:
    """Return the types and the orders in memory of those parameters on which all stated typings agree.

    Numba refuses a launch with an array of another order than the signature's; one that allows any strides
    says nothing of the order.
    """
    columns = zip(*(one.types for one in typings), strict=True)
    agreed = {name: texts[0] for name, texts in zip(parameters, columns, strict=False) if len({*texts}) == 1}
    types: dict[str, str] = {}
    orders: dict[str, Order] = {}
    for name, text in agreed.items():
        known = _array(expression_tree(text))
        if known is None:
            types[name] = text
            continue
        element, dims, layout = known
        if element is not None:
            types[name] = array_type(element, dims, column_major=layout == "F")
        if layout == "F" or (layout == "C" and dims > 1):
            orders[name] = "F" if layout == "F" else "C"
    return types, orders


def _array(node: ast.expr) -> tuple[str | None, int, str] | None:
    """Element, dimensions and layout (C, F or A) of `float32[:, ::1]` or `Array(float32, 2, "C")`."""
    if isinstance(node, ast.Subscript):
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        together = [isinstance(item, ast.Slice) and item.step is not None for item in items]
        layout = "C" if together[-1] else "F" if together[0] else "A"
        return _element(node.value), len(items), layout
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Array":
        given = [one.value for one in node.args[1:3] if isinstance(one, ast.Constant)]
        if len(given) == 2 and isinstance(given[0], int) and given[1] in ("A", "C", "F"):
            return _element(node.args[0]), given[0], str(given[1])
    return None


def _element(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None
