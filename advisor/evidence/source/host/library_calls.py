"""Operations of torch and cupy that Python repeats or strings together: products for each item, chains."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.host.data_flow.loop_context import loop_context
from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_records import host_record
from advisor.model.records import Record
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import names_in
from advisor.program.syntax.tree_nodes import below

_PRODUCTS = frozenset({
    "matmul", "mm", "bmm", "mv", "dot", "solve", "inv", "cholesky", "svd", "eigh", "qr", "det", "lstsq",
})  # fmt: skip
_ELEMENTWISE = frozenset({
    "sin", "cos", "tan", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "abs", "absolute", "tanh", "sinh",
    "cosh", "power", "pow", "maximum", "minimum", "where", "clip", "square", "sigmoid", "relu", "add",
    "multiply", "subtract", "divide", "mul", "sub", "div", "sign", "floor", "ceil", "round", "arctan2",
    "hypot", "exp2", "log2", "log10", "reciprocal", "negative", "fma",
})  # fmt: skip
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.FloorDiv, ast.Mod)
_FUSED_BY = ("fuse", "compile", "script", "jit", "vectorize", "elementwise")


def product_records(placement: Placement) -> Iterator[Record]:
    """The products of arrays on the GPU in host loops: how many operands are items that the loop counts
    through, and whether no iteration needs the result of the one before.
    """
    if not (placement.torch or placement.module.mentions("cupy")):
        return
    for node in _expressions(placement):
        operands = _operands(node, placement)
        if operands is None or not operands:
            continue
        place = placement.of(node)
        if place is None or not place.on_gpu or place.library == "numba":
            continue
        context = loop_context(placement.module, node)
        if not context.loops or not isinstance(context.loops[0], ast.For):
            continue
        loop = context.loops[0]
        counted = names_in(loop.target)
        items = sum(_is_item(one, counted, loop, placement) for one in operands)
        name = "@" if isinstance(node, ast.BinOp) else called_name(node)
        yield host_record(
            placement.module,
            "product",
            node,
            name,
            context,
            call=name,
            item_operands=items,
            independent=_independent(node, loop, placement),
        )


def _expressions(placement: Placement) -> Iterator[ast.expr]:
    yield from placement.module.inside(placement.module.tree, ast.BinOp)
    yield from placement.module.calls


def _operands(node: ast.expr, placement: Placement) -> list[ast.expr] | None:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right] if isinstance(node.op, ast.MatMult) else None
    if isinstance(node, ast.Call) and called_name(node) in _PRODUCTS:
        root = (placement.module.dotted(node.func) or "").split(".")[0]
        return list(node.args) if root in ("torch", "cupy") else None
    return None


def _is_item(node: ast.expr, counted: set[str], loop: ast.For, placement: Placement) -> bool:
    """Whether an operand is `a[i]`, or an item of an array that the loop runs over itself."""
    if isinstance(node, ast.Subscript):
        whole = node.slice
        first = whole.elts[0] if isinstance(whole, ast.Tuple) and whole.elts else whole
        number = isinstance(first, ast.Name) and first.id in counted
        return number and isinstance(node.value, ast.Name | ast.Attribute) and _is_range(loop, placement)
    return isinstance(node, ast.Name) and node.id in counted and placement.on_gpu(loop.iter)


def _is_range(loop: ast.For, placement: Placement) -> bool:
    return isinstance(loop.iter, ast.Call) and placement.module.dotted(loop.iter.func) in (
        "range",
        "enumerate",
    )


def _independent(node: ast.expr, loop: ast.For, placement: Placement) -> bool:
    """Whether the result goes to a place of its own: an item by the loop's number, or the end of a list."""
    parent = placement.module.parents.get(node)
    if isinstance(parent, ast.Call):
        return isinstance(parent.func, ast.Attribute) and parent.func.attr == "append"
    if not isinstance(parent, ast.Assign):
        return False
    target, counted = parent.targets[0], names_in(loop.target)
    if isinstance(target, ast.Subscript):
        read = {name for one in ast.walk(node) if isinstance(one, ast.Name) for name in [one.id]}
        root = target.value.id if isinstance(target.value, ast.Name) else ""
        return bool(names_in(target.slice) & counted) and root not in read
    return False


def chain_records(placement: Placement) -> Iterator[Record]:
    """The elementwise expressions on arrays of the GPU that are part of no larger one, with at least two
    operations; each is a kernel of its own.
    """
    module = placement.module
    if not module.mentions("cupy"):
        return
    for node in _expressions(placement):
        if not _is_elementwise(node, placement) or _is_elementwise(_above(node, placement), placement):
            continue
        place = placement.of(node)
        if place is None or not place.on_gpu or place.library != "cupy":
            # Those of torch are most often sums of losses, of one element each.
            continue
        count = _count(node, placement)
        if count >= 2 and not _is_fused(node, placement):
            context = loop_context(module, node)
            yield host_record(module, "expression", node, "expression", context, operations=count)


def _above(node: ast.AST, placement: Placement) -> ast.AST | None:
    parent = placement.module.parents.get(node)
    while isinstance(parent, ast.UnaryOp | ast.keyword):
        parent = placement.module.parents.get(parent)
    return parent


def _is_elementwise(node: ast.AST | None, placement: Placement) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _OPERATORS) and placement.on_gpu(node)
    if isinstance(node, ast.Call) and called_name(node) in _ELEMENTWISE:
        root = (placement.module.dotted(node.func) or "").split(".")[0]
        return root == "cupy" and placement.on_gpu(node)
    return False


def _count(node: ast.AST, placement: Placement) -> int:
    """The operations of an expression that start a kernel each."""
    own = 1 if _is_elementwise(node, placement) else 0
    if not own and not isinstance(node, ast.UnaryOp):
        return 0
    return own + sum(_count(one, placement) for one in ast.iter_child_nodes(node))


def _is_fused(node: ast.AST, placement: Placement) -> bool:
    """Whether a function around an expression is handed to something that fuses its operations."""
    for scope in placement.module.scopes(node):
        for decorator in getattr(scope, "decorator_list", []):
            words = {one.attr for one in below(decorator) if isinstance(one, ast.Attribute)}
            words |= {one.id for one in below(decorator) if isinstance(one, ast.Name)}
            if words & set(_FUSED_BY):
                return True
        name = getattr(scope, "name", None)
        for call in placement.module.calls:
            if called_name(call) in _FUSED_BY and any(
                isinstance(one, ast.Name) and one.id == name for one in call.args[:1]
            ):
                return True
    return False
