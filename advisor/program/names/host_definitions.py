"""Which assignments may have given a name its value at a place of host code."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.reaching_definitions import START
from advisor.program.syntax.tree_nodes import below_in_scope

_THE_SAME_ITEMS = frozenset({"tqdm", "trange", "iter", "list", "tuple", "reversed", "sorted", "track"})
_Position = tuple[int, int]
Scope = ast.Module | FunctionNode | ast.ClassDef


@dataclass(frozen=True)
class Binding:
    """One statement that gives a name a value; with `item` the name is one of the value's items.

    `value` is None where the statement does not show it.
    """

    statement: ast.AST
    value: ast.expr | None
    item: bool = False


class Bindings:
    """The bindings of a module's functions; each function is read once."""

    def __init__(self, module: ModuleSyntax) -> None:
        self.module = module
        self._found: dict[ast.AST, dict[str, list[Binding]]] = {}
        self._nodes: dict[ast.AST, list[ast.AST]] = {}

    def nodes(self, owner: ast.AST) -> list[ast.AST]:
        """The nodes of a function or module without those of the functions and classes in it."""
        if owner not in self._nodes:
            self._nodes[owner] = below_in_scope(owner)
        return self._nodes[owner]

    def owners(self) -> list[ast.AST]:
        """The module and every function in it."""
        return [self.module.tree, *self.module.functions]

    def reaching(self, name: str, at: ast.AST) -> list[Binding | None]:
        """What may have bound a name where it is read; None stands for a value from outside."""
        scope = self.module.scope_of(at)
        if isinstance(scope, ast.Lambda):
            return [None]
        owner: Scope = scope or self.module.tree
        bound = self._of(owner).get(name, [])
        given = scope is not None and not isinstance(scope, ast.ClassDef) and name in parameter_names(scope)
        if not bound and not given:
            return self._around(name, at) if scope is not None else []
        return self._reaching(name, bound, at, owner, given)

    def every(self, name: str, at: ast.AST) -> list[Binding]:
        """Every binding of a name in the function around a node, or else in the module."""
        scopes = (one for one in self.module.scopes(at) if not isinstance(one, ast.Lambda))
        owner: ast.AST = next(scopes, self.module.tree)
        return self._of(owner).get(name) or self._of(self.module.tree).get(name, [])

    def _reaching(
        self, name: str, bound: list[Binding], at: ast.AST, owner: Scope, given: bool
    ) -> list[Binding | None]:
        definitions = self.module.definitions(owner)
        found = definitions.reaching(name, at)
        if found is None:
            found = frozenset({START, *definitions.of(name)})
        # `a += b` changes the array that `a` is, and leaves it where it lies.
        changes = [one for one in found if isinstance(one, ast.AugAssign)]
        for one in changes:
            before = definitions.reaching(name, one.target) or frozenset()
            changes += [other for other in before - found if isinstance(other, ast.AugAssign)]
            found |= before
        found -= set(changes)
        known = {one.statement for one in bound}
        others = [Binding(one, None) for one in found if isinstance(one, ast.AST) and one not in known]
        live = [one for one in [*bound, *others] if one.statement in found]
        live.sort(key=lambda one: position(one.statement))
        from_outside = (given and START in found) or definitions.bound_by_others(name)
        return [*([None] if from_outside else []), *live]

    def _around(self, name: str, at: ast.AST) -> list[Binding | None]:
        """What functions around that of a node, or else the module, bind to a name: whenever they do."""
        for scope in self.module.scopes(at)[1:]:
            if isinstance(scope, ast.ClassDef):
                continue
            bound, given = self._of(scope).get(name, []), name in parameter_names(scope)
            if bound or given:
                unknown = given or isinstance(scope, ast.Lambda) or self._by_others(name, scope)
                return [*([None] if unknown else []), *bound]
        return [*self._of(self.module.tree).get(name, [])]

    def _by_others(self, name: str, scope: FunctionNode) -> bool:
        definitions = self.module.definitions(scope)
        bound = {one.statement for one in self._of(scope).get(name, [])}
        return definitions.bound_by_others(name) or not bound.issuperset(definitions.of(name))

    def _of(self, owner: ast.AST) -> dict[str, list[Binding]]:
        if owner not in self._found:
            found: dict[str, list[Binding]] = {}
            for node in self.nodes(owner):
                for name, binding in _bound(node):
                    found.setdefault(name, []).append(binding)
            for each in found.values():
                each.sort(key=lambda one: position(one.statement))
            self._found[owner] = found
        return self._found[owner]


def position(node: ast.AST) -> _Position:
    """The line and column where a node begins."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _bound(node: ast.AST) -> list[tuple[str, Binding]]:
    if isinstance(node, ast.Assign):
        return [pair for target in node.targets for pair in _targets(target, node.value, node)]
    if isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        return _targets(node.target, node.value, node)
    if isinstance(node, ast.For | ast.AsyncFor):
        return _items(node.target, node.iter, node)
    if isinstance(node, ast.With | ast.AsyncWith):
        named = [item.optional_vars for item in node.items if item.optional_vars is not None]
        return [pair for target in named for pair in _targets(target, None, node)]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(one.asname or one.name.split(".")[0], Binding(node, None)) for one in node.names]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [(node.name, Binding(node, None))]
    return []


def _targets(target: ast.expr, value: ast.expr | None, node: ast.AST) -> list[tuple[str, Binding]]:
    if isinstance(target, ast.Name):
        return [(target.id, Binding(node, value))]
    if not isinstance(target, ast.Tuple | ast.List):
        return []
    if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
        pairs = zip(target.elts, value.elts, strict=True)
        return [pair for inner, part in pairs for pair in _targets(inner, part, node)]
    return [
        (name.id, Binding(node, value, item=True))
        for inner in target.elts
        for name in ast.walk(inner)
        if isinstance(name, ast.Name)
    ]


def _items(target: ast.expr, values: ast.expr, node: ast.AST) -> list[tuple[str, Binding]]:
    """The bindings of a loop's target, `enumerate`, `zip` and progress bars seen through."""
    name = called(values)
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    if isinstance(values, ast.Call) and values.args:
        if name == "enumerate" and len(parts) == 2:
            counter = [
                (one.id, Binding(node, None)) for one in ast.walk(parts[0]) if isinstance(one, ast.Name)
            ]
            return [*counter, *_items(parts[1], values.args[0], node)]
        if name == "zip" and len(parts) == len(values.args):
            return [
                pair
                for inner, part in zip(parts, values.args, strict=True)
                for pair in _items(inner, part, node)
            ]
        if name in _THE_SAME_ITEMS:
            return _items(target, values.args[0], node)
        if name == "range":
            values = ast.copy_location(ast.Constant(value=0), values)
    return [
        (one.id, Binding(node, values, item=True)) for one in ast.walk(target) if isinstance(one, ast.Name)
    ]


def called(node: ast.AST) -> str:
    """The last part of the name that a call calls, empty for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""
