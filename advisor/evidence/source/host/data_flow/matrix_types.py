"""Matrix products of torch whose sizes and types stand in the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.host.data_flow.loop_context import loop_context
from advisor.evidence.source.host.data_flow.placed import TORCH_CREATORS
from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_records import host_record
from advisor.model.records import Record
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.calls import called_name, keyword_value
from advisor.program.values.constants import Constants

_PRODUCTS = frozenset({"torch.matmul", "torch.mm", "torch.bmm"})
_HALF = frozenset({"torch.float16", "torch.bfloat16", "torch.half"})
_UNIT = 8


def matrix_product_records(placement: Placement) -> Iterator[Record]:
    """The products of matrices on the GPU, and the `nn.Linear`, with sizes that are constants of the source:
    the type, the least size, how many sizes are no multiple of eight, and whether the file allows float32
    products in less than float32, or uses autocast.
    """
    module = placement.module
    if not placement.torch:
        return
    reduced = any(
        module.mentions(word)
        for word in ("set_float32_matmul_precision", "allow_tf32", "autocast", "fp32_precision")
    )
    half = module.mentions("autocast") or module.mentions("GradScaler")
    for call in module.calls if half else ():
        if module.dotted(call.func) == "torch.nn.Linear" and len(call.args) >= 2:
            sizes = _sizes(call.args[:2], placement)
            if sizes is not None:
                yield _product(call, "nn.Linear", "half", sizes, reduced, placement)
    if module.mentions("set_default_dtype"):
        return
    for node in (*module.inside(module.tree, ast.BinOp), *module.calls):
        for pair in _operands(node, placement):
            first, second = (_made(one, placement) for one in pair)
            if first is not None and second is not None and first[0] == second[0]:
                name = "@" if isinstance(node, ast.BinOp) else called_name(node)
                yield _product(node, name, first[0], (*first[1], *second[1]), reduced, placement)


def _product(
    node: ast.expr, call: str, kind: str, sizes: tuple[int, ...], reduced: bool, placement: Placement
) -> Record:
    odd = sum(size % _UNIT != 0 for size in sizes)
    return host_record(
        placement.module,
        "matrix_product",
        node,
        call,
        call=call,
        type=kind,
        smallest_size=min(sizes),
        odd_sizes=odd,
        reduced=reduced,
        in_test_or_benchmark=loop_context(placement.module, node).timed,
    )


def _operands(node: ast.AST, placement: Placement) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return [(node.left, node.right)]
    if isinstance(node, ast.Call) and placement.module.dotted(node.func) in _PRODUCTS and len(node.args) == 2:
        return [(node.args[0], node.args[1])]
    return []


def _made(node: ast.expr, placement: Placement) -> tuple[str, tuple[int, ...]] | None:
    """The type and the last two sizes of a matrix on the GPU whose making the source shows."""
    if not placement.on_gpu(node):
        return None
    if isinstance(node, ast.Name):
        bound = values_at(placement.module, node)
        if len(bound) != 1 or bound[0] is None:
            return None
        node = bound[0]
    kind = "float32"
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("half", "bfloat16"):
            kind = "half"
        elif node.func.attr not in ("cuda", "to") or any(_names_type(one, placement) for one in node.args):
            break
        node = node.func.value
    if not isinstance(node, ast.Call):
        return None
    name = called_name(node)
    if placement.module.dotted(node.func) != f"torch.{name}" or name not in TORCH_CREATORS - {
        "tensor",
        "arange",
    }:
        return None
    given = keyword_value(node, "dtype")
    if given is not None:
        dotted = placement.module.dotted(given)
        kind = "half" if dotted in _HALF else "float32" if dotted in ("torch.float32", "torch.float") else ""
    shape = node.args[0].elts if node.args and isinstance(node.args[0], ast.Tuple | ast.List) else node.args
    sizes = _sizes(list(shape)[-2:], placement) if len(shape) >= 2 else None
    return None if sizes is None or not kind else (kind, sizes)


def _names_type(node: ast.expr, placement: Placement) -> bool:
    return (placement.module.dotted(node) or "").startswith("torch.")


def _sizes(nodes: list[ast.expr], placement: Placement) -> tuple[int, ...] | None:
    found = []
    for node in nodes:
        scope = placement.module.scope_of(node)
        function = scope if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) else None
        value = Constants(placement.workspace, placement.module, function).value(node)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            return None
        found.append(value)
    return tuple(found)
