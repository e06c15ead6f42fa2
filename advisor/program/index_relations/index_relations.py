"""The relations between the sizes of a kernel, across its functions: extents, scalars, bounds of indices."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from advisor.model.compilation_unit import CompilationUnit
from advisor.program.index_relations.collected_relations import CollectedRelations
from advisor.program.index_relations.data_dependence import data_branches
from advisor.program.index_relations.expression_values import Expressions, Steps
from advisor.program.index_relations.function_walk import FunctionWalk, uses_axes
from advisor.program.index_relations.index_values import UNKNOWN, Items, Value, View, constant
from advisor.program.index_relations.parameter_values import parameter_value
from advisor.program.index_relations.real_tests import real_tests
from advisor.program.index_relations.relations import IndexRelations
from advisor.program.index_relations.unit_functions import UnitFunction, UnitNames
from advisor.program.names.scope_names import parameter_defaults
from advisor.program.syntax.literals import written_integer

_DEEPEST = 12
_MOST_CALLS = 400


def index_relations(unit: CompilationUnit, types: Sequence[str]) -> IndexRelations:
    """What the text of a kernel and its device functions says of sizes, for one typing of its parameters.

    `types` are texts like those of `ArgumentTypes`. What is not understood is left out.
    """
    names = UnitNames(unit)
    if names.kernel is None:
        return IndexRelations()
    parameters = [one.arg for one in (*names.kernel.tree.args.posonlyargs, *names.kernel.tree.args.args)]
    arguments = {name: parameter_value(name, text) for name, text in zip(parameters, types, strict=False)}
    walk = _UnitWalk(names, _arrays(arguments.values()))
    try:
        walk.function(names.kernel, arguments)
        real = real_tests(names, types)
        branches = data_branches(names, {*walk.reads, *names.guessed}) | real.branches
    except RecursionError:
        return IndexRelations()
    return walk.collected.relations(branches, real.indices)


def _arrays(values: Iterable[Value]) -> list[str]:
    found: list[str] = []
    stack: list[Value] = list(values)
    while stack:
        one = stack.pop()
        if isinstance(one, View):
            found.append(one.array)
        elif isinstance(one, Items):
            stack += one.items
    return found


class _UnitWalk:
    """Goes through a kernel and the functions that it calls, each once for the same arguments."""

    def __init__(self, names: UnitNames, arrays: Sequence[str]) -> None:
        self.names = names
        self.collected = CollectedRelations(arrays)
        self.reads: set[ast.AST] = set()
        self._contents: dict[tuple[str, int, int], Value] = {}
        self._steps = Steps()
        self._known: dict[tuple[str, tuple[tuple[str, Value], ...]], Value] = {}
        self._depth = 0

    def function(self, function: UnitFunction, arguments: Mapping[str, Value]) -> Value:
        """What a function returns for arguments."""
        key = function.text.name, tuple(sorted(arguments.items(), key=lambda one: one[0]))
        if key in self._known:
            return self._known[key]
        if self._depth >= _DEEPEST or len(self._known) >= _MOST_CALLS:
            return UNKNOWN
        # A function that calls itself returns what is not known.
        self._known[key] = UNKNOWN
        self._depth += 1
        self.collected.uses_axes(uses_axes(function.tree, "threadIdx"), uses_axes(function.tree, "blockIdx"))
        expressions = Expressions(function, self.names, arguments, self._contents, self._steps)
        walk = FunctionWalk(expressions, self.collected, self._call, self.reads)
        self._known[key] = walk.walk()
        self._depth -= 1
        return self._known[key]

    def _call(self, node: ast.Call, given: Sequence[Value], named: dict[str, Value]) -> Value:
        assert isinstance(node.func, ast.Name)
        function = self.names.functions[node.func.id]
        tree = function.tree
        parameters = [one.arg for one in (*tree.args.posonlyargs, *tree.args.args)]
        if any(isinstance(one, ast.Starred) for one in node.args):
            given = ()
        arguments = {name: _literal(default) for name, default in parameter_defaults(tree).items()}
        arguments.update(zip(parameters, given, strict=False))
        arguments.update((name, value) for name, value in named.items() if name in function.parameters)
        return self.function(function, arguments)


def _literal(node: ast.expr) -> Value:
    written = written_integer(node)
    return UNKNOWN if written is None else constant(written)
