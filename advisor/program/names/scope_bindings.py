"""What the statements of one scope bind to its names, each binding for itself and in order."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TypeAlias

from advisor.program.names.scope_names import parameter_names
from advisor.program.names.visible_names import visible
from advisor.program.syntax.bound_names import target_names
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import Import, ModuleSyntax
from advisor.program.syntax.reaching_definitions import START
from advisor.program.syntax.tree_nodes import below_in_scope

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_IMPORTS = (ast.Import, ast.ImportFrom)
_THE_SAME_ITEMS = frozenset({"tqdm", "trange", "iter", "list", "tuple", "reversed", "sorted", "track"})


@dataclass(frozen=True, slots=True)
class Binding:
    """One place that binds a name: to the function or class defined there, to the value of an assignment (or
    the part of a tuple with the number `part`), to an import, to the items of what a loop runs over, or
    without these to something unknown.
    """

    node: ast.AST
    definition: Definition | None = None
    value: ast.expr | None = None
    part: int | None = None
    imported: Import | None = None
    items: ast.expr | None = None

    @property
    def line(self) -> int:
        """The line that binds, 0 for what holds from the scope's beginning."""
        return getattr(self.node, "lineno", 0)


# The nodes that bind names in their scope.
_BINDING = frozenset({
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.NamedExpr,
    ast.AugAssign, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.Delete, ast.ExceptHandler,
    ast.MatchAs, ast.MatchStar, ast.MatchMapping, *_IMPORTS,
})  # fmt: skip


@dataclass
class ScopeBindings:
    """The bindings of a scope's names in order of lines, and the names that it says are of outer scopes."""

    names: dict[str, list[Binding]] = field(default_factory=dict)
    of_module: set[str] = field(default_factory=set)
    of_outer: set[str] = field(default_factory=set)


def scope_bindings(module: ModuleSyntax, scope: Definition | ast.Lambda | None) -> ScopeBindings:
    """The bindings of a function, a class or, for None, of the module; each scope is read once."""
    return module.once(_read, module.tree if scope is None else scope)


def _read(module: ModuleSyntax, scope: ast.AST) -> ScopeBindings:
    """What the statements of a scope say, functions and classes in it left out."""
    found = ScopeBindings()
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        for name in parameter_names(scope):
            found.names[name] = [Binding(scope.args)]
    nodes = [] if isinstance(scope, ast.Lambda) else below_in_scope(scope)
    for node in nodes:
        if isinstance(node, ast.Global):
            found.of_module.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            found.of_outer.update(node.names)
        elif node.__class__ in _BINDING:
            for name, binding in _bound(node, module):
                found.names.setdefault(name, []).append(binding)
    for bindings in found.names.values():
        bindings.sort(key=lambda one: one.line)
    return found


def _bound(node: ast.AST, module: ModuleSyntax) -> list[tuple[str, Binding]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [(node.name, Binding(node, definition=node))]
    if isinstance(node, ast.Assign):
        return [one for target in node.targets for one in _targets(node, target, node.value)]
    if isinstance(node, ast.AnnAssign | ast.NamedExpr):
        return _targets(node, node.target, node.value) if node.value is not None else []
    if isinstance(node, _IMPORTS):
        names = [alias.asname or alias.name.split(".")[0] for alias in node.names]
        return [(name, Binding(node, imported=module.imports.get(name))) for name in names]
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        return [(node.name, Binding(node))]
    if isinstance(node, ast.MatchMapping) and node.rest:
        return [(node.rest, Binding(node))]
    if isinstance(node, ast.For | ast.AsyncFor):
        return _items(node, node.target, node.iter)
    unknown: list[ast.AST] = []
    if isinstance(node, ast.AugAssign):
        unknown = [node.target]
    elif isinstance(node, ast.With | ast.AsyncWith):
        unknown = [item.optional_vars for item in node.items if item.optional_vars is not None]
    elif isinstance(node, ast.Delete):
        unknown = [*node.targets]
    return [
        (inner.id, Binding(node))
        for target in unknown
        for inner in ast.walk(target)
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load)
    ]


def _targets(node: ast.AST, target: ast.expr, value: ast.expr) -> list[tuple[str, Binding]]:
    if isinstance(target, ast.Name):
        return [(target.id, Binding(node, value=value))]
    if not isinstance(target, ast.Tuple | ast.List):
        return []
    parts = _parts_of(value, target.elts)
    star = next((n for n, one in enumerate(target.elts) if isinstance(one, ast.Starred)), len(target.elts))
    found = []
    for number, inner in enumerate(target.elts):
        if parts:
            named = inner.value if isinstance(inner, ast.Starred) else inner
            found += _targets(node, named, parts[number])
        elif isinstance(inner, ast.Name) and number < star:
            found.append((inner.id, Binding(node, value=value, part=number)))
        else:
            found += [(one.id, Binding(node)) for one in ast.walk(inner) if isinstance(one, ast.Name)]
    return found


def _parts_of(value: ast.expr, targets: list[ast.expr]) -> list[ast.expr]:
    """The part of a written tuple that each target gets, a starred one a list; none where it is not told."""
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    stars = [number for number, one in enumerate(targets) if isinstance(one, ast.Starred)]
    if any(isinstance(one, ast.Starred) for one in parts) or len(parts) < len(targets) - len(stars):
        return []
    if not stars:
        return parts if len(parts) == len(targets) else []
    first, behind = stars[0], len(parts) - (len(targets) - stars[0] - 1)
    rest = ast.copy_location(ast.List(parts[first:behind], ast.Load()), value)
    return [*parts[:first], rest, *parts[behind:]]


def _items(node: ast.AST, target: ast.expr, values: ast.expr) -> list[tuple[str, Binding]]:
    """The bindings of a loop's target, `enumerate`, `zip` and progress bars seen through."""
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    name = called_name(values)
    if isinstance(values, ast.Call) and values.args:
        if name == "enumerate" and len(parts) == 2:
            counters = [(one, Binding(node)) for one in target_names(parts[0])]
            return [*counters, *_items(node, parts[1], values.args[0])]
        if name == "zip" and len(parts) == len(values.args):
            pairs = zip(parts, values.args, strict=True)
            return [pair for inner, part in pairs for pair in _items(node, inner, part)]
        if name in _THE_SAME_ITEMS:
            return _items(node, target, values.args[0])
    return [(one, Binding(node, items=values)) for one in target_names(target)]


def bound_at(module: ModuleSyntax, name: ast.Name) -> list[Binding | None]:
    """What may have bound a name where it is read, in order of lines; None among them stands for a value from
    outside: that of a parameter, or one that is not told.
    """
    seen = visible(module, name.id, name)
    if seen is None:
        return [None]
    scope, found = seen.scope, seen.definitions
    by_node = module.once(_by_node, scope).get(name.id, {})
    given = START in found and any(isinstance(one, ast.arguments) for one in by_node)
    nodes = [one for one in found if isinstance(one, ast.AST)]
    known = sorted(place for one in nodes for place in by_node.get(one, []))
    unread = [Binding(one) for one in nodes if one not in by_node]
    every = [*(binding for _, binding in known), *unread]
    return [*([None] if given else []), *sorted(every, key=lambda one: one.line)]


def _by_node(module: ModuleSyntax, scope: ast.AST) -> dict[str, dict[ast.AST, list[tuple[int, Binding]]]]:
    """The bindings of each name by the node that binds it, with their place in the scope's order."""
    found: dict[str, dict[ast.AST, list[tuple[int, Binding]]]] = {}
    for name, bindings in module.once(_read, scope).names.items():
        nodes = found.setdefault(name, {})
        for place, one in enumerate(bindings):
            nodes.setdefault(one.node, []).append((place, one))
    return found


def values_at(module: ModuleSyntax, name: ast.Name) -> list[ast.expr | None]:
    """The expressions whose value a name may have where it is read, `value[0]` for the first part of one that
    is taken apart; None among them for any other value.
    """
    return [None if one is None else _whole_value(one) for one in bound_at(module, name)]


def _whole_value(binding: Binding) -> ast.expr | None:
    if binding.value is None or binding.part is None:
        return binding.value
    part = ast.Subscript(value=binding.value, slice=ast.Constant(value=binding.part), ctx=ast.Load())
    return ast.copy_location(part, binding.value)


def is_same_value(module: ModuleSyntax, name: ast.Name, other: ast.expr) -> bool:
    """Whether another expression is the same name, bound at the same single place, and by no parameter."""
    if not isinstance(other, ast.Name) or other.id != name.id:
        return False
    bound = bound_at(module, name)
    return len(bound) == 1 and bound[0] is not None and bound == bound_at(module, other)


def reaching(module: ModuleSyntax, scope: Definition | None, name: str, at: ast.AST | None) -> list[Binding]:
    """Those of a scope's bindings of a name that may hold at a node of the scope's own, or for None when the
    scope has run, as for a function in it; all of them where that is not told apart.
    """
    bindings = scope_bindings(module, scope).names.get(name, [])
    definitions = module.definitions(module.tree if scope is None else scope)
    found = definitions.at_end(name) if at is None else definitions.reaching(name, at)
    if definitions.bound_by_others(name):
        return [*bindings, Binding(definitions.scope)]
    if not found:
        return bindings
    live = [
        one
        for one in bindings
        if one.node in found or (START in found and isinstance(one.node, ast.arguments))
    ]
    return live or bindings
