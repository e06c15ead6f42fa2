"""How the operands of a costly operation are written, and of which kind its result is."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.kernel_facts import Kind, Scalar


def base_kind(value: Scalar) -> str:
    """What is raised to a power: minus one, two, constant or runtime."""
    known = value.form.constant if value.constant is None else value.constant
    if known is None:
        return "runtime"
    return {-1: "minus one", 2: "two"}.get(known, "constant") if isinstance(known, int) else "constant"


def is_sum(node: ast.expr) -> bool:
    """Whether an expression is a sum or a difference."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)


def power_exponent(base: Scalar, exponent: Scalar) -> str | None:
    """How the exponent of `base ** exponent` is written; None where a whole base may meet a whole exponent,
    which is raised in a loop of multiplications.
    """
    written = exponent_kind(exponent)
    if base.kind == "complex" and written != "integer literal":
        return "of a complex number"
    return None if written == "runtime" and base.kind == "int" and exponent.kind is None else written


def exponent_kind(exponent: Scalar) -> str:
    """How an exponent is written: integer literal, half, float literal, runtime integer or runtime."""
    constant = exponent.constant
    if constant is not None and not isinstance(constant, str):
        if type(constant) is int:
            return "integer literal"
        return "half" if abs(constant) == 0.5 else "float literal"
    return "runtime integer" if exponent.kind == "int" else "runtime"


def divisor_kind(divisor: Scalar) -> str:
    """How a divisor is given: power_of_two, constant or runtime."""
    value = divisor.constant if divisor.constant is not None else divisor.form.constant
    if isinstance(value, int) and value > 0 and value & (value - 1) == 0:
        return "power_of_two"
    if value is not None:
        return "constant"
    return "constant" if divisor.form.atoms() == {"warpsize"} else "runtime"


def result_kind(operation: ast.operator, left: Kind, right: Kind) -> Kind:
    """The kind of what an operation gives; None where it is not known."""
    if "complex" in (left, right):
        return "complex"
    if isinstance(operation, ast.Div):
        return "float"
    if left == "float" or right == "float":
        return "float"
    if left == right == "bool" and isinstance(operation, ast.BitAnd | ast.BitOr | ast.BitXor):
        return "bool"
    if left in ("int", "bool") and right in ("int", "bool"):
        return "int"
    return None
