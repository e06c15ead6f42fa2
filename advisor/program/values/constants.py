"""Values that the source fixes: constants followed through names, modules and small functions."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from advisor.program.names.object_attributes import enclosing_class, values_of_attribute
from advisor.program.names.reaching_values import reaching_in_module, reaching_values
from advisor.program.names.scope_names import parameter_defaults
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax, assignments
from advisor.program.values.block_limit import largest_block
from advisor.program.values.call_sites import values_given
from advisor.program.values.constant_calls import FunctionRun
from advisor.program.values.constant_folding import (
    FUNCTIONS,
    LARGEST,
    UNKNOWN,
    binary,
    compare,
    is_instance,
    is_open,
    merge,
    same,
    spread,
    unary,
)

_DEPTH = 12
_MOST_VALUES = 4
# The longest value of six public repositories takes 675 steps (a kernel of larnd-sim).
_MOST_STEPS = 5_000
# Expressions whose value is that of others elsewhere, which may be asked for again and again.
_ELSEWHERE = (ast.Name, ast.Attribute, ast.Call)


@dataclass
class _Stores:
    """How often a function binds a name, and the values that plain assignments give it."""

    count: int = 0
    values: list[ast.expr] = field(default_factory=list)


@dataclass
class _Question:
    """What is known of the expressions that one value rests on, by scope and depth, and the steps so far.

    Deeper down less may be found, so that what is known there holds only there.
    """

    known: dict[tuple[object, ast.expr, int], object] = field(default_factory=dict)
    steps: int = 0
    open: bool = False


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
        question: _Question | None = None,
    ) -> None:
        self.workspace, self.module, self.function = workspace, module, function
        self.bindings = dict(bindings or {})
        self.depth = depth
        self._question = question or _Question()
        self._scope: object = (id(module), function) if not bindings else object()
        self._local: dict[str, _Stores] | None = None

    def value(self, node: ast.expr) -> object:
        """The value of an expression: a number, text, tuple (perhaps with UNKNOWN in it) or UNKNOWN."""
        if self.depth <= 0:
            return UNKNOWN
        if self._question.open:
            return self._once(node)
        self._question.known, self._question.steps, self._question.open = {}, 0, True
        try:
            return self._once(node)
        finally:
            self._question.open = False

    def _once(self, node: ast.expr) -> object:
        """The value of an expression, worked out once for each question; UNKNOWN after too many steps."""
        question = self._question
        question.steps += 1
        if question.steps > _MOST_STEPS:
            return UNKNOWN
        if not isinstance(node, _ELSEWHERE):
            return self._evaluated(node)
        key = (self._scope, node, self.depth)
        if key not in question.known:
            question.known[key] = self._evaluated(node)
        return question.known[key]

    def _evaluated(self, node: ast.expr) -> object:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        try:
            result = method(node) if method else UNKNOWN
        except (ArithmeticError, ValueError, TypeError, RecursionError, IndexError, KeyError):
            return UNKNOWN
        if isinstance(result, int) and abs(result) > LARGEST:
            return UNKNOWN
        return result

    def possible(self, node: ast.expr, most: int) -> list[object]:
        """The values that the branches of the source give an expression, each by itself; at most `most`."""
        if isinstance(node, ast.IfExp):
            return [*self.possible(node.body, most), *self.possible(node.orelse, most)][:most]
        if isinstance(node, ast.Name) and node.id not in self.bindings:
            return [UNKNOWN if one is None else self.value(one) for one in self._local_values(node)[:most]]
        return [self.value(node)]

    def _local_values(self, node: ast.Name) -> Sequence[ast.expr | None]:
        """What the enclosing function, or the module around none, may have bound to a name at `node`; None
        stands for any value.
        """
        if self.function is None:
            return reaching_in_module(self.module, node.id, node)
        if self._local is None:
            self._local = self.module.once(_local_names, self.function)
        stores = self._local.get(node.id)
        if stores is None:
            return []
        if stores.count == 1:
            return stores.values or [None]
        reaching = reaching_values(self.module, self.function, node.id, node)
        return (
            (stores.values if len(stores.values) == stores.count else [None])
            if reaching is None
            else reaching or [None]
        )

    def _constant(self, node: ast.Constant) -> object:
        return node.value if isinstance(node.value, int | float | str | bool) else UNKNOWN

    def _tuple(self, node: ast.Tuple | ast.List) -> object:
        return spread(node.elts, self.value)

    _list = _tuple

    def _name(self, node: ast.Name) -> object:
        if node.id in self.bindings:
            return self.bindings[node.id]
        local = self._local_values(node)
        if local:
            return self._deeper()._agreed(local)
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
                given = self._given_by_calls(outer[0])
                return self._in(self.module, outer[0], given).value(ast.Name(id=name))
        place = self.workspace.definition(name, self.module)
        if place is None:
            return UNKNOWN
        module, defined = place
        if defined in module.rebound:
            return UNKNOWN
        return self._in(module)._agreed(module.assigned.get(defined, []))

    def _given_by_calls(self, factory: FunctionNode) -> dict[str, object]:
        """The values that all calls of a function in its module give its parameters, for functions in it."""
        found: dict[str, object] = {}
        if factory.name not in self.module.calls_by_name or self.depth <= 1:
            return found
        defaults = parameter_defaults(factory)
        for argument in factory.args.args:
            calls = values_given(self.module, factory, argument.arg)
            nodes = [(caller, given or defaults.get(argument.arg)) for caller, given in calls]
            values = [
                self._in(self.module, caller).value(node) if node else UNKNOWN for caller, node in nodes
            ]
            if values and not is_open(values[0]) and all(same(values[0], other) for other in values[1:]):
                found[argument.arg] = values[0]
        return found

    def _in(
        self,
        module: ModuleSyntax,
        function: FunctionNode | None = None,
        bindings: Mapping[str, object] | None = None,
    ) -> Constants:
        """The values of another scope, for the same question."""
        return Constants(self.workspace, module, function, bindings, self.depth - 1, self._question)

    def _agreed(self, values: Sequence[ast.expr | None]) -> object:
        if not values or len(values) > _MOST_VALUES:
            return UNKNOWN
        result = UNKNOWN if values[0] is None else self.value(values[0])
        for value in values[1:]:
            result = merge(result, UNKNOWN if value is None else self.value(value))
        return result

    def _deeper(self) -> Constants:
        deeper = self._in(self.module, self.function, self.bindings)
        deeper._local, deeper._scope = self._local, self._scope
        return deeper

    def _attribute(self, node: ast.Attribute) -> object:
        if node.attr == "MAX_THREADS_PER_BLOCK":
            return largest_block()
        dotted = self.module.dotted(node)
        if dotted in self.bindings:
            return self.bindings[dotted]
        if dotted == "math.pi":
            return math.pi
        if dotted is None or dotted.startswith(("self.", "cls.")):
            return self._of_object(node.attr) if dotted == f"self.{node.attr}" else UNKNOWN
        place = self.workspace.member(dotted, self.module)
        if place is None or place[1] in place[0].rebound:
            return UNKNOWN
        return self._in(place[0])._agreed(place[0].assigned.get(place[1], []))

    def _of_object(self, name: str) -> object:
        """The value that every method of the class around gives `self.name`."""
        owner = enclosing_class(self.module, self.function)
        given = values_of_attribute(self.module, owner, name) if owner is not None else []
        if not given or len(given) > _MOST_VALUES:
            return UNKNOWN
        results = [self._in(self.module, method).value(value) for method, value in given]
        first = results[0]
        for other in results[1:]:
            first = merge(first, other)
        return first

    def _unaryop(self, node: ast.UnaryOp) -> object:
        value = self.value(node.operand)
        return UNKNOWN if value is UNKNOWN else unary(node.op, value)

    def _binop(self, node: ast.BinOp) -> object:
        return binary(node.op, self.value(node.left), self.value(node.right))

    def _ifexp(self, node: ast.IfExp) -> object:
        test = self.value(node.test)
        if test is not UNKNOWN:
            return self.value(node.body if test else node.orelse)
        left, right = self.value(node.body), self.value(node.orelse)
        return left if same(left, right) else UNKNOWN

    def _compare(self, node: ast.Compare) -> object:
        left = self.value(node.left)
        for operation, item in zip(node.ops, node.comparators, strict=True):
            right = self.value(item)
            holds = compare(operation, left, right)
            if holds is not True:
                return holds
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
        if dotted == "isinstance":
            return is_instance(arguments[0], node.args[1]) if len(node.args) == 2 else UNKNOWN
        if dotted == "len" and isinstance(arguments[0], tuple):
            return len(arguments[0])
        known = FUNCTIONS.get(dotted)
        if known is not None and dotted not in self.module.top_level:
            return UNKNOWN if any(is_open(argument) for argument in arguments) else known(*arguments)
        place = self.workspace.member(dotted, self.module)
        function = place[0].top_level.get(place[1]) if place else None
        if place is None or not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return UNKNOWN
        keywords = {keyword.arg: self.value(keyword.value) for keyword in node.keywords if keyword.arg}
        if self.depth <= 1:
            return UNKNOWN
        run = FunctionRun(function, lambda inner, names: self._in(place[0], None, names).value(inner))
        return run.returned(arguments, keywords)


def _local_names(module: ModuleSyntax, function: FunctionNode) -> dict[str, _Stores]:
    found: dict[str, _Stores] = {}
    for name in module.inside(function, ast.Name):
        if name.ctx.__class__ is ast.Store:
            found.setdefault(name.id, _Stores()).count += 1
    for assignment in (*module.inside(function, ast.Assign), *module.inside(function, ast.AnnAssign)):
        for target, values in assignments([assignment]).items():
            found.setdefault(target, _Stores()).values += values
    return found
