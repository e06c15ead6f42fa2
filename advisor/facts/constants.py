"""Values that the source fixes: constants followed through names, modules and small helper functions."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

from advisor.facts.module import FunctionNode, ModuleSyntax, assignments
from advisor.facts.workspace import Workspace


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()

_DEPTH = 12
_LARGEST = 1 << 62
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}
_COMPARE: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,  # type: ignore[dict-item]
    ast.LtE: operator.le,  # type: ignore[dict-item]
    ast.Gt: operator.gt,  # type: ignore[dict-item]
    ast.GtE: operator.ge,  # type: ignore[dict-item]
}
_FUNCTIONS: dict[str, Callable[..., object]] = {
    "int": int, "float": float, "abs": abs, "round": round, "min": min, "max": max, "tuple": tuple, "len": len,
    "bool": bool, "math.sqrt": math.sqrt, "math.ceil": math.ceil, "math.floor": math.floor, "math.log2": math.log2,
    "math.pow": math.pow, "numpy.ceil": math.ceil, "numpy.floor": math.floor, "numpy.sqrt": math.sqrt,
    "numpy.int32": int, "numpy.int64": int, "numpy.uint32": int, "numpy.float32": float, "numpy.float64": float,
    "numba.int32": int, "numba.int64": int, "numba.float32": float,
}  # fmt: skip


class Constants:
    """Evaluates expressions as far as the source fixes them; parts that it does not fix are UNKNOWN.

    `function` is the scope an expression stands in, `bindings` the known values of its parameters.
    """

    def __init__(
        self,
        workspace: Workspace,
        module: ModuleSyntax,
        function: FunctionNode | None = None,
        bindings: Mapping[str, object] | None = None,
        depth: int = _DEPTH,
    ) -> None:
        self.workspace, self.module, self.function = workspace, module, function
        self.bindings = dict(bindings or {})
        self.depth = depth
        self._local: dict[str, list[ast.expr]] | None = None

    def value(self, node: ast.expr) -> object:
        """The value of an expression: a number, text, tuple (perhaps with UNKNOWN in it) or UNKNOWN."""
        if self.depth <= 0:
            return UNKNOWN
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        try:
            result = method(node) if method else UNKNOWN
        except (ArithmeticError, ValueError, TypeError, RecursionError, IndexError, KeyError):
            return UNKNOWN
        if isinstance(result, int) and abs(result) > _LARGEST:
            return UNKNOWN
        return result

    def local_values(self, name: str) -> list[ast.expr]:
        """Every expression that the enclosing function binds to `name` by plain assignment."""
        if self.function is None:
            return []
        if self._local is None:
            self._local = assignments(_every_statement(self.function.body))
        return self._local.get(name, [])

    def _constant(self, node: ast.Constant) -> object:
        return node.value if isinstance(node.value, int | float | str | bool) else UNKNOWN

    def _tuple(self, node: ast.Tuple) -> object:
        return tuple(self.value(item) for item in node.elts)

    def _list(self, node: ast.List) -> object:
        return tuple(self.value(item) for item in node.elts)

    def _name(self, node: ast.Name) -> object:
        if node.id in self.bindings:
            return self.bindings[node.id]
        local = self.local_values(node.id)
        if local:
            return self._deeper()._agreed(local, self.function, node)
        if self.function is not None and self._is_parameter(node.id):
            return UNKNOWN
        return self._global(node.id)

    def _is_parameter(self, name: str) -> bool:
        assert self.function is not None
        arguments = self.function.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return any(argument.arg == name for argument in every)

    def _global(self, name: str) -> object:
        if self.function is not None:
            outer = [
                scope for scope in self.module.scopes(self.function) if isinstance(scope, ast.FunctionDef)
            ]
            if outer:
                return Constants(self.workspace, self.module, outer[0], None, self.depth - 1).value(
                    ast.Name(id=name)
                )
        place = self.workspace.definition(name, self.module)
        if place is None:
            return UNKNOWN
        module, defined = place
        if defined in module.rebound:
            return UNKNOWN
        scope = Constants(self.workspace, module, None, None, self.depth - 1)
        return scope._agreed(module.assigned.get(defined, []), None, None)

    def _agreed(self, values: list[ast.expr], function: FunctionNode | None, use: ast.Name | None) -> object:
        if not values or len(values) > 4:
            return UNKNOWN
        del function, use
        results = [self.value(value) for value in values]
        first = results[0]
        return first if all(_same(first, other) for other in results[1:]) else UNKNOWN

    def _deeper(self) -> Constants:
        deeper = Constants(self.workspace, self.module, self.function, self.bindings, self.depth - 1)
        deeper._local = self._local
        return deeper

    def _attribute(self, node: ast.Attribute) -> object:
        dotted = self.module.dotted(node)
        if dotted == "math.pi":
            return math.pi
        if dotted is None or dotted.startswith(("self.", "cls.")):
            return UNKNOWN
        place = self.workspace.member(dotted, self.module)
        if place is None or place[1] in place[0].rebound:
            return UNKNOWN
        return Constants(self.workspace, place[0], None, None, self.depth - 1)._agreed(
            place[0].assigned.get(place[1], []), None, None
        )

    def _unaryop(self, node: ast.UnaryOp) -> object:
        value = self.value(node.operand)
        if value is UNKNOWN:
            return UNKNOWN
        if isinstance(node.op, ast.Not):
            return not value
        if isinstance(value, int | float):
            return (
                -value
                if isinstance(node.op, ast.USub)
                else value
                if isinstance(node.op, ast.UAdd)
                else UNKNOWN
            )
        return UNKNOWN

    def _binop(self, node: ast.BinOp) -> object:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(left, tuple) and isinstance(right, tuple) and isinstance(node.op, ast.Add):
            return left + right
        if (
            isinstance(left, tuple)
            and isinstance(right, int)
            and isinstance(node.op, ast.Mult)
            and right <= 4
        ):
            return left * right
        if not isinstance(left, int | float) or not isinstance(right, int | float):
            return UNKNOWN
        if isinstance(node.op, ast.Pow | ast.LShift) and abs(right) > 64:
            return UNKNOWN
        apply = _OPERATORS.get(type(node.op))
        return apply(left, right) if apply else UNKNOWN

    def _ifexp(self, node: ast.IfExp) -> object:
        test = self.value(node.test)
        if test is not UNKNOWN:
            return self.value(node.body if test else node.orelse)
        left, right = self.value(node.body), self.value(node.orelse)
        return left if _same(left, right) else UNKNOWN

    def _compare(self, node: ast.Compare) -> object:
        left = self.value(node.left)
        for comparison, item in zip(node.ops, node.comparators, strict=True):
            right = self.value(item)
            if left is UNKNOWN or right is UNKNOWN or type(comparison) not in _COMPARE:
                return UNKNOWN
            if not _COMPARE[type(comparison)](left, right):
                return False
            left = right
        return True

    def _subscript(self, node: ast.Subscript) -> object:
        value, index = self.value(node.value), self.value(node.slice)
        if isinstance(value, tuple) and isinstance(index, int):
            return value[index]
        return UNKNOWN

    def _call(self, node: ast.Call) -> object:
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            keyword.arg is None for keyword in node.keywords
        ):
            return UNKNOWN
        dotted = self.module.dotted(node.func)
        if dotted is None:
            return UNKNOWN
        arguments = [self.value(argument) for argument in node.args]
        known = _FUNCTIONS.get(dotted)
        if known is not None and dotted not in self.module.top_level:
            return UNKNOWN if any(_open(argument) for argument in arguments) else known(*arguments)
        place = self.workspace.member(dotted, self.module)
        function = place[0].top_level.get(place[1]) if place else None
        if place is None or not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return UNKNOWN
        keywords = {keyword.arg: self.value(keyword.value) for keyword in node.keywords if keyword.arg}
        bindings = _bind(
            function, arguments, keywords, Constants(self.workspace, place[0], None, None, self.depth - 1)
        )
        return _Helper(self.workspace, place[0], function, bindings, self.depth - 1).returned()


class _Helper:
    """Follows a small function without loops that count, and gives what it returns."""

    def __init__(
        self,
        workspace: Workspace,
        module: ModuleSyntax,
        function: FunctionNode,
        names: dict[str, object],
        depth: int,
    ) -> None:
        self.workspace, self.module, self.function, self.depth = workspace, module, function, depth
        self.names = names
        self.results: list[object] = []

    def returned(self) -> object:
        if self.depth <= 0:
            return UNKNOWN
        ended = self._run(self.function.body)
        if not self.results or not ended:
            return UNKNOWN
        first = self.results[0]
        for other in self.results[1:]:
            first = _merge(first, other)
        return first

    def _value(self, node: ast.expr) -> object:
        return Constants(
            self.workspace, self.module, None, _Total(self.names, self.function), self.depth
        ).value(node)

    def _run(self, body: list[ast.stmt]) -> bool:
        """Whether every path through `body` returns."""
        for statement in body:
            if isinstance(statement, ast.Return):
                self.results.append(self._value(statement.value) if statement.value else UNKNOWN)
                return True
            if isinstance(statement, ast.Raise):
                return True
            if isinstance(statement, ast.If):
                if self._branch(statement):
                    return True
            elif isinstance(statement, ast.Assign):
                value = self._value(statement.value)
                for target in statement.targets:
                    self._store(target, value)
            elif not isinstance(statement, ast.Expr | ast.Pass | ast.Assert | ast.Import | ast.ImportFrom):
                for name in stored_names(statement):
                    self.names[name] = UNKNOWN
        return False

    def _branch(self, statement: ast.If) -> bool:
        test = self._value(statement.test)
        if test is not UNKNOWN:
            return self._run(statement.body if test else statement.orelse)
        before = dict(self.names)
        first_ends = self._run(statement.body)
        first, self.names = self.names, before
        second_ends = self._run(statement.orelse)
        if first_ends and second_ends:
            return True
        if second_ends:
            self.names = first
        elif not first_ends:
            self.names = {
                name: _merge(first.get(name, UNKNOWN), self.names.get(name, UNKNOWN))
                for name in {*first, *self.names}
            }
        return False

    def _store(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            parts = value if isinstance(value, tuple) and len(value) == len(target.elts) else None
            for position, inner in enumerate(target.elts):
                self._store(inner, parts[position] if parts else UNKNOWN)


class _Total(dict[str, object]):
    """Bindings in which every local name of a helper is present, unknown when it has no value yet."""

    def __init__(self, names: Mapping[str, object], function: FunctionNode) -> None:
        super().__init__(dict.fromkeys(stored_names(function), UNKNOWN))
        self.update(names)


def _bind(
    function: FunctionNode, arguments: list[object], keywords: Mapping[str, object], outer: Constants
) -> dict[str, object]:
    names = [argument.arg for argument in function.args.args]
    bound: dict[str, object] = dict.fromkeys([*names, *(a.arg for a in function.args.kwonlyargs)], UNKNOWN)
    for name, default in zip(reversed(names), reversed(function.args.defaults), strict=False):
        bound[name] = outer.value(default)
    bound.update(zip(names, arguments, strict=False))
    bound.update({name: value for name, value in keywords.items() if name in bound})
    return bound


def stored_names(node: ast.AST) -> set[str]:
    """Every name that is bound anywhere below `node`."""
    return {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }


def _every_statement(body: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for statement in body:
        found.append(statement)
        if isinstance(statement, ast.For | ast.While):
            found += _every_statement(statement.body)
            found += _every_statement(statement.orelse)
            if isinstance(statement, ast.For):
                found += _unknown_loop_targets(statement)
    return found


def _unknown_loop_targets(statement: ast.For) -> list[ast.stmt]:
    unknown = ast.Call(func=ast.Name(id="next"), args=[], keywords=[])
    return [
        ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=ast.copy_location(unknown, statement))
        for name in stored_names(statement.target)
    ]


def _open(value: object) -> bool:
    return value is UNKNOWN or (isinstance(value, tuple) and any(_open(item) for item in value))


def _same(left: object, right: object) -> bool:
    return left is not UNKNOWN and type(left) is type(right) and left == right


def _merge(left: object, right: object) -> object:
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return tuple(_merge(a, b) for a, b in zip(left, right, strict=True))
    return left if _same(left, right) else UNKNOWN
