"""The meaning of operations in a kernel, as affine forms and what they depend on."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import number
from advisor.evidence.source.kernel_walk.index_bounds import of_comparison, of_parts
from advisor.evidence.source.kernel_walk.kernel_facts import (
    Kind,
    Operands,
    OperationUse,
    Scalar,
    Tuple,
    Value,
)
from advisor.evidence.source.kernel_walk.subscripts import Subscripts

_NOT_WRITTEN = Operands()


class Expressions(Subscripts):
    """Evaluates expressions of one kernel and of the device functions it calls, and notes what they do."""

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        value = self.scalar(node.operand)
        if isinstance(node.op, ast.USub):
            negated = -value.constant if isinstance(value.constant, int | float) else None
            if value.kind == "float" and negated is not None:
                return Scalar(self.atoms.symbol(f"={negated!r}"), "float", constant=negated)
            return Scalar(-value.form, value.kind, constant=negated)
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(node.op, ast.Not):
            return self.with_outcomes(self.opaque([value], "bool"), self.outcomes(value).negated())
        return self.opaque([value], value.kind)

    def _binop(self, node: ast.BinOp) -> Value:
        left_value, right_value = self.value(node.left), self.value(node.right)
        if isinstance(left_value, Tuple) and isinstance(right_value, Tuple) and isinstance(node.op, ast.Add):
            return Tuple(left_value.items + right_value.items)
        left, right = self.as_scalar(left_value), self.as_scalar(right_value)
        kind = _kind(node.op, left.kind, right.kind)
        operation = type(node.op)
        if operation in (ast.Pow, ast.FloorDiv, ast.Mod, ast.Div):
            names = {
                ast.Pow: "power",
                ast.FloorDiv: "floor_divide",
                ast.Mod: "modulo",
                ast.Div: "true_divide",
            }
            return self._costly(node, names[operation], left, right, kind, wraps=_is_sum(node.left))
        if kind != "float":
            if operation is ast.Add:
                return Scalar(left.form + right.form, kind)
            if operation is ast.Sub:
                return Scalar(left.form - right.form, kind)
            if operation is ast.Mult:
                return Scalar(left.form * right.form, kind)
            if (
                operation is ast.LShift
                and isinstance(right.form.constant, int)
                and 0 <= right.form.constant < 31
            ):
                return Scalar(left.form * number(1 << right.form.constant), kind)
        result = self.opaque([left, right], kind)
        if kind != "float" and right.form.constant is not None:
            self.atoms.computed(result.form, left.form)
        if operation in (ast.BitAnd, ast.BitOr) and left.kind == right.kind == "bool":
            joined = ast.And() if operation is ast.BitAnd else ast.Or()
            return self.with_outcomes(result, of_parts(joined, (self.outcomes(left), self.outcomes(right))))
        return result

    def _power_call(self, node: ast.Call) -> Scalar | None:
        """`pow(x, y)` of Python's builtin, which is compiled as `x ** y` is; None with other arguments."""
        if len(node.args) != 2 or node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            return None
        left, right = (self.scalar(argument) for argument in node.args)
        return self._costly(node, "power", left, right, _kind(ast.Pow(), left.kind, right.kind))

    def _costly(
        self, node: ast.expr, operator: str, left: Scalar, right: Scalar, kind: Kind, wraps: bool = False
    ) -> Scalar:
        integers = None
        if left.kind and right.kind:
            integers = left.kind != "float" and right.kind != "float"
        result = self.opaque([left, right], kind)
        a, b = left.form.constant, right.form.constant
        if operator in ("floor_divide", "modulo") and a is not None and b:
            result = Scalar(number(a // b if operator == "floor_divide" else a % b), kind)
        elif operator == "modulo" and kind != "float":
            self.atoms.remainder(result.form, left.form)
        if a is None and b is not None and kind != "float":
            self.atoms.computed(result.form, left.form)
        if operator == "power":
            written = Operands(exponent=_exponent(left, right), base=_base(left), integers=integers)
        else:
            wraps = operator == "modulo" and wraps
            written = Operands(divisor=divisor_kind(right), integers=integers, wraps=wraps)
        self.note_operation(node, operator, operator, [left, right], written, result)
        return result

    def note_operation(
        self,
        node: ast.AST,
        operator: str,
        name: str,
        values: Sequence[Scalar],
        operands: Operands = _NOT_WRITTEN,
        result: Scalar | None = None,
    ) -> None:
        """Note an operation on `values` with a cost worth knowing."""
        depends: frozenset[str] = frozenset().union(*(self.depends(value) for value in values))
        atoms = result.form.atoms() if result else set()
        self.facts.operations.append(
            OperationUse(
                place=self.place(node),
                operator=operator,
                name=name,
                operands=operands,
                depends=depends,
                loaded=any(self.loaded(value) for value in values),
                truncated=self.truncating,
                constant_operands=all(value.constant is not None for value in values),
                result=next(iter(atoms), ""),
            )
        )

    def _compare(self, node: ast.Compare) -> Value:
        values = tuple(self.value(item) for item in (node.left, *node.comparators))
        return self.with_outcomes(self.opaque(values, "bool"), of_comparison(node.ops, values))

    def _boolop(self, node: ast.BoolOp) -> Value:
        values: list[Value] = []
        before = self.conditions
        for item in node.values:
            value = self.value(item)
            values.append(value)
            # The next part is evaluated only where this one did not decide.
            passed = self.condition(value, item, negated=isinstance(node.op, ast.Or))
            self.conditions = (*self.conditions, passed)
        self.conditions = before
        outcomes = of_parts(node.op, [self.outcomes(value) for value in values])
        return self.with_outcomes(self.opaque(values, "bool"), outcomes)

    def _ifexp(self, node: ast.IfExp) -> Value:
        test = self.value(node.test)
        before = self.conditions
        self.conditions = (*before, self.condition(test, node.test))
        body = self.value(node.body)
        self.conditions = (*before, self.condition(test, node.test, negated=True))
        other = self.value(node.orelse)
        self.conditions = before
        if isinstance(body, Scalar) and isinstance(other, Scalar):
            kind = body.kind if body.kind == other.kind else None
            return body if body == other else self.opaque([test, body, other], kind)
        return self.opaque([test, body, other])


def _base(value: Scalar) -> str:
    """What is raised to a power: minus one, two, constant or runtime."""
    known = value.form.constant if value.constant is None else value.constant
    if known is None:
        return "runtime"
    return {-1: "minus one", 2: "two"}.get(known, "constant") if isinstance(known, int) else "constant"


def _is_sum(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)


def _exponent(base: Scalar, exponent: Scalar) -> str | None:
    """How the exponent of `base ** exponent` is written; None where a whole base may meet a whole exponent,
    which is raised in a loop of multiplications.
    """
    written = exponent_kind(exponent)
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


def _kind(operation: ast.operator, left: Kind, right: Kind) -> Kind:
    if isinstance(operation, ast.Div):
        return "float"
    if left == "float" or right == "float":
        return "float"
    if left in ("int", "bool") and right in ("int", "bool"):
        return "int"
    return None
