"""Values that the source fixes: constants followed through names, modules and small functions."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from advisor.model.devices import load_devices
from advisor.program.kernels.called_functions import CalledFunctions
from advisor.program.names.library_names import star_member
from advisor.program.names.module_exports import exported, exports, original_name
from advisor.program.names.object_attributes import enclosing_class, stored_before
from advisor.program.names.scope_names import parameter_defaults, parameter_names
from advisor.program.names.visible_names import VisibleName, fills_in, is_imported, visible
from advisor.program.names.workspace import KNOWN_LIBRARIES, Workspace
from advisor.program.syntax.assigned_values import value_given
from advisor.program.syntax.definition_flow import is_star
from advisor.program.syntax.module import FunctionNode, Import, ModuleSyntax
from advisor.program.syntax.reaching_definitions import START
from advisor.program.syntax.tree_nodes import dotted_root
from advisor.program.syntax.written_code import as_written
from advisor.program.values.call_sites import values_given, values_given_to_method
from advisor.program.values.changed_lists import ListValue, may_change
from advisor.program.values.command_line import needs_arguments, without_arguments
from advisor.program.values.constant_calls import FunctionRun
from advisor.program.values.constant_folding import (
    FUNCTIONS,
    LARGEST,
    UNKNOWN,
    DictValue,
    ObjectValue,
    agreed,
    binary,
    compare,
    is_instance,
    is_open,
    same,
    spread,
    unary,
)
from advisor.program.values.object_values import CACHES, Objects, decorator_names

_DEPTH = 12
_MOST_VALUES = 4
# What `cuda.get_current_device()` says, by the property of devices that it is.
_DEVICE_ATTRIBUTES = {"MAX_THREADS_PER_BLOCK": "max_threads_per_block", "WARP_SIZE": "warp_size"}
# The longest value of six public repositories takes 675 steps (a kernel of larnd-sim).
_MOST_STEPS = 5_000
# Expressions whose value is that of others elsewhere, which may be asked for again and again.
_ELSEWHERE = (ast.Name, ast.Attribute, ast.Call)


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
        plain_start: bool = False,
        called_here: bool = False,
    ) -> None:
        """With `called_here` the calls in the module are taken for all calls of the function.

        With a `plain_start` the program is taken to be started without arguments, and functions to be called
        with the defaults of parameters that no call in sight gives a known value.
        """
        self.workspace, self.module, self.function = workspace, module, function
        self.bindings = dict(bindings or {})
        self.depth = depth
        self._called = CalledFunctions(workspace)
        self._objects = Objects(self)
        self._question = question or _Question()
        self._plain_start = plain_start
        self._called_here = called_here or plain_start
        self._scope: object = (id(module), function) if not bindings else object()

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
        plain = without_arguments(node, self.module) if self._plain_start else None
        if plain is not None:
            return self.within(self.module).value(plain)
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
        if isinstance(node, ast.Tuple):
            return [spread(one, self.value) for one in _chosen_items(node, most)]
        if isinstance(node, ast.Name) and node.id not in self.bindings:
            seen = visible(self.module, node.id, node, self.function)
            every = [] if seen is None else self._possible_values(node.id, seen, most)
            return every[::-1][:most]
        return [self.value(node)]

    def _possible_values(self, name: str, seen: VisibleName, most: int) -> list[object]:
        """The values that the definitions of a name give it, of a tuple whose items are chosen each."""
        found: list[object] = []
        for definition, value in self._values(name, seen):
            given = value_given(definition, name) if definition is not None and is_open(value) else None
            found += self.possible(given, most)[::-1] if isinstance(given, ast.Tuple) else [value]
        return found

    def _constant(self, node: ast.Constant) -> object:
        return node.value if isinstance(node.value, int | float | str | bool | None) else UNKNOWN

    def _tuple(self, node: ast.Tuple) -> object:
        return spread(node.elts, self.value)

    def _list(self, node: ast.List) -> object:
        found = spread(node.elts, self.value)
        return ListValue(found) if isinstance(found, tuple) else found

    def _dict(self, node: ast.Dict) -> object:
        found: dict[object, object] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            name = UNKNOWN if key is None else self.value(key)
            if not isinstance(name, int | str):
                return UNKNOWN
            found[name] = self.value(item)
        return DictValue(tuple(found.items()))

    def _name(self, node: ast.Name) -> object:
        # Without a function the bindings are all names of one that is followed.
        if self.function is None and node.id in self.bindings:
            return self.bindings[node.id]
        seen = visible(self.module, node.id, node, self.function)
        if seen is None or seen.unbound:
            return UNKNOWN
        return agreed([value for _, value in self._values(node.id, seen)])

    def _values(self, name: str, seen: VisibleName) -> Iterator[tuple[ast.AST | None, object]]:
        """The value that each definition gives a name; nothing for those that leave it as it is."""
        function = seen.scope if isinstance(seen.scope, ast.FunctionDef | ast.AsyncFunctionDef) else None
        for definition, value in self._given_values(name, seen):
            yield definition, UNKNOWN if may_change(value, name, self.module, function) else value

    def _given_values(self, name: str, seen: VisibleName) -> Iterator[tuple[ast.AST | None, object]]:
        function = seen.scope if isinstance(seen.scope, ast.FunctionDef | ast.AsyncFunctionDef) else None
        bound = seen.bound
        if START in seen.definitions and function is not None and name in parameter_names(function):
            given = self._parameter(name, function)
            filled = [one for one in bound if fills_in(one, name, self.module)]
            if given is not None or not filled:
                yield None, given
            if given is not None and given is not UNKNOWN:
                bound = [one for one in bound if one not in filled]
        if len(seen.definitions) > _MOST_VALUES:
            yield None, UNKNOWN
            return
        for definition in bound:
            if isinstance(definition, ast.ImportFrom):
                values = self._imported(name, definition)
                yield from ((definition, value) for value in values)
                continue
            given = value_given(definition, name)
            inner = self.within(self.module, function, self.bindings if function is self.function else None)
            value = inner._changed(name, definition) if given is None else inner.value(given)
            missing = given is not None and is_open(value) and needs_arguments(given, self.module)
            if not (self._plain_start and missing):
                yield definition, value

    def _changed(self, name: str, definition: ast.AST) -> object:
        """The value that `name += …` gives a name, UNKNOWN for any other definition."""
        if not isinstance(definition, ast.AugAssign) or self.depth <= 0:
            return UNKNOWN
        seen = visible(self.module, name, definition, self.function)
        before = UNKNOWN if seen is None else agreed([value for _, value in self._values(name, seen)])
        return binary(definition.op, before, self.value(definition.value))

    def _parameter(self, name: str, function: FunctionNode) -> object:
        found = self.bindings.get(name, UNKNOWN) if function is self.function else UNKNOWN
        called = self._called_here or function is not self.function or function.name == "__init__"
        if found is UNKNOWN and called:
            found = self._given_by_calls(function, name)
        default = parameter_defaults(function).get(name) if self._plain_start else None
        return self.within(self.module).value(default) if found is UNKNOWN and default is not None else found

    def _imported(self, name: str, statement: ast.ImportFrom) -> list[object]:
        """What `from m import …` gives a name; nothing where `*` does not bind it."""
        target = self.workspace.find(Import(statement.module or "", None, statement.level), self.module)
        if is_star(statement):
            if target is None:
                root = (statement.module or "").partition(".")[0]
                library = root in KNOWN_LIBRARIES and not statement.level
                return [] if library and not star_member(statement.module or "", name) else [UNKNOWN]
            return [self._exported(target, name)] if exports(target, name, self.workspace) else []
        original = original_name(name, statement)
        return [UNKNOWN if target is None else self._exported(target, original)]

    def _exported(self, module: ModuleSyntax, name: str) -> object:
        """The value that a name of a module has when all of it has run."""
        found = exported(module, name, self.module, self.workspace) if self.depth > 1 else None
        if found is None:
            return UNKNOWN
        inner = self.within(module)
        seen = VisibleName(module.tree, found)
        return UNKNOWN if seen.unbound else agreed([value for _, value in inner._values(name, seen)])

    def _given_by_calls(self, function: FunctionNode, name: str) -> object:
        """The value that all calls of a function in its module give a parameter; UNKNOWN for several."""
        found: object = UNKNOWN
        if self.depth <= 1 or name not in {one.arg for one in function.args.args}:
            return found
        default = parameter_defaults(function).get(name)
        for caller, given in self._calls_giving(function, name):
            node = given or default
            value = UNKNOWN if node is None else self.within(self.module, caller).value(node)
            told = isinstance(value, ObjectValue) or not is_open(value)
            if not told or not (found is UNKNOWN or same(found, value)):
                return UNKNOWN
            found = value
        return found

    def _calls_giving(
        self, function: FunctionNode, parameter: str
    ) -> list[tuple[FunctionNode | None, ast.expr | None]]:
        owner = enclosing_class(self.module, function)
        if owner is not None:
            return values_given_to_method(self.module, function, owner, parameter)
        called = function.name in self.module.calls_by_name
        return values_given(self.module, function, parameter) if called else []

    def within(
        self,
        module: ModuleSyntax,
        function: FunctionNode | None = None,
        bindings: Mapping[str, object] | None = None,
    ) -> Constants:
        """The values of another scope, for the same question."""
        return Constants(
            self.workspace, module, function, bindings, self.depth - 1, self._question, self._plain_start,
            self._called_here,
        )  # fmt: skip

    def _attribute(self, node: ast.Attribute) -> object:
        if node.attr in _DEVICE_ATTRIBUTES:
            return device_attribute(node.attr)
        dotted = self.module.dotted(node)
        if dotted in self.bindings:
            return self.bindings[dotted]
        if dotted in (f"self.{node.attr}", f"cls.{node.attr}"):
            stored = stored_before(self.module, node)
            if stored is not None:
                return self.value(stored)
            return self._objects.of_own(node.attr, assigned=dotted.startswith("self."))
        if dotted == "math.pi":
            return math.pi
        place = self._member(node, dotted) if dotted is not None else None
        value = UNKNOWN if place is None else self._exported(*place)
        if value is UNKNOWN:
            value = self._objects.of_owner(node)
        return UNKNOWN if may_change(value, node.attr, self.module, None) else value

    def _member(self, node: ast.expr, dotted: str) -> tuple[ModuleSyntax, str] | None:
        """The module of the workspace and the name in it that `module.name` stands for."""
        return self.workspace.place(dotted, self.module) if self._is_imported(node) else None

    def _is_imported(self, node: ast.expr) -> bool:
        """Whether the name that an expression begins with can only be what an import binds."""
        root = dotted_root(node)
        bound = root is None or root.id in self.bindings
        return not bound and is_imported(self.module, node, self.function)

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

    def _boolop(self, node: ast.BoolOp) -> object:
        value: object = UNKNOWN
        for item in node.values:
            value = self.value(item)
            if value is UNKNOWN or bool(value) is isinstance(node.op, ast.Or):
                break
        return value

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
        if isinstance(value, DictValue):
            return value.at(index)
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
        if (dotted in FUNCTIONS or dotted == "isinstance") and self._is_library(node.func):
            return self._of_library(dotted, node, arguments)
        made = self._objects.made(node)
        if made is not None:
            return made
        if dotted == "dict" and not node.args and self._is_library(node.func):
            return DictValue(tuple((one.arg, self.value(one.value)) for one in node.keywords))
        place = self._function(node.func) or self._objects.called_method(node.func)
        if place is None:
            return self._looked_up(node, arguments)
        home, function = place
        if enclosing_class(*place) is not None and "staticmethod" not in decorator_names(function):
            arguments = [UNKNOWN, *arguments]
        keywords = {keyword.arg: self.value(keyword.value) for keyword in node.keywords if keyword.arg}
        if self.depth <= 1:
            return UNKNOWN
        run = FunctionRun(function, lambda inner, names: self.within(home, None, names).value(inner))
        return run.returned(arguments, keywords)

    def _looked_up(self, node: ast.Call, arguments: Sequence[object]) -> object:
        """What `get` of a dictionary gives."""
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "get" or node.keywords:
            return UNKNOWN
        owner = self.value(node.func.value) if arguments else UNKNOWN
        if not isinstance(owner, DictValue) or is_open(arguments[0]):
            return UNKNOWN
        return owner.at(arguments[0]) if owner.has(arguments[0]) else (*arguments, UNKNOWN)[1]

    def _namedexpr(self, node: ast.NamedExpr) -> object:
        return self.value(node.value)

    @staticmethod
    def _of_library(dotted: str, node: ast.Call, arguments: Sequence[object]) -> object:
        """What a function of Python or of a library gives."""
        if node.keywords:
            return UNKNOWN
        if dotted == "isinstance":
            return is_instance(arguments[0], node.args[1]) if len(node.args) == 2 else UNKNOWN
        if dotted == "len" and isinstance(arguments[0], tuple):
            return len(arguments[0])
        return UNKNOWN if any(is_open(argument) for argument in arguments) else FUNCTIONS[dotted](*arguments)

    def _is_library(self, func: ast.expr) -> bool:
        """Whether a function with a library's or a builtin's name is not one of the source."""
        if isinstance(func, ast.Attribute):
            return self._is_imported(func)
        assert isinstance(func, ast.Name)
        if func.id in self.bindings:
            return False
        seen = visible(self.module, func.id, func, self.function)
        if seen is None or not (seen.bound or seen.unbound):
            return False
        imports = [one for one in seen.bound if isinstance(one, ast.ImportFrom)]
        own = [one for one in imports if not is_star(one)]
        if len(imports) < len(seen.bound) or (func.id not in self.module.imports and own):
            return False
        return bool(own) or not any(self._imported(func.id, one) for one in imports)

    def _function(self, func: ast.expr) -> tuple[ModuleSyntax, ast.FunctionDef] | None:
        """The function of the workspace that a call runs, where it can be no other."""
        root = dotted_root(func)
        if root is None or root.id in self.bindings:
            return None
        found = CalledFunctions(self.workspace).of(func, self.module, self.function)
        if found is None or len(found) != 1:
            return None
        home, function = found[0]
        if not isinstance(function, ast.FunctionDef) or decorator_names(function) - CACHES:
            return None
        return (home, function) if home.scope_of(function) is None else None


def _chosen_items(node: ast.Tuple, most: int) -> Iterator[list[ast.expr]]:
    """The items of a tuple for each outcome of the conditions that choose them, at most `most`; items that
    the same condition chooses go together.
    """
    tests = list(dict.fromkeys(as_written(one.test) for one in node.elts if isinstance(one, ast.IfExp)))
    for outcome in itertools.islice(itertools.product((True, False), repeat=len(tests)), most):
        holds = dict(zip(tests, outcome, strict=True))
        yield [
            (one.body if holds[as_written(one.test)] else one.orelse) if isinstance(one, ast.IfExp) else one
            for one in node.elts
        ]


@cache
def device_attribute(name: str) -> object:
    """What Numba's device objects say under a name where all devices agree on it, else UNKNOWN."""
    field = _DEVICE_ATTRIBUTES[name]
    numbers = {getattr(device, field) for device in load_devices().values()}
    only = numbers.pop() if len(numbers) == 1 else None
    return UNKNOWN if only is None else only
