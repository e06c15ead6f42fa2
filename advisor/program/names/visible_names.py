"""Which scope a name belongs to where it is used, and which of the scope's definitions it may have there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from advisor.program.names.library_names import CPU_COMPILERS
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.assigned_values import value_given
from advisor.program.syntax.bound_names import target_names
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.reaching_definitions import START, Definition, ReachingDefinitions
from advisor.program.syntax.statement_places import COMPREHENSIONS, LOOPS, Position, begin
from advisor.program.syntax.tree_nodes import below, dotted_root

Owner: TypeAlias = ast.Module | FunctionNode | ast.ClassDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Without a signature these compile at the first call.
_COMPILED_WHEN_CALLED = CPU_COMPILERS | {"numba.cuda.jit"}


@dataclass(frozen=True, slots=True)
class VisibleName:
    """What a name may stand for: the definitions of `scope`, START for a parameter or what is never bound."""

    scope: Owner
    definitions: frozenset[Definition]

    @property
    def bound(self) -> list[ast.AST]:
        """The definitions in order of their places."""
        return sorted((one for one in self.definitions if isinstance(one, ast.AST)), key=begin)

    @property
    def unbound(self) -> bool:
        """Whether no scope binds the name, so that it can only be Python's own."""
        return isinstance(self.scope, ast.Module) and not self.bound


def visible(
    module: ModuleSyntax, name: str, use: ast.AST, function: FunctionNode | None = None
) -> VisibleName | None:
    """What a name may stand for at a node, None where that is not told: a comprehension's variable, or names
    that functions bind by `global` or `nonlocal`.

    A node that stands nowhere in the module counts as one somewhere in `function`.
    """
    written = use in module.parents
    around = list(scopes_around(module, use)) if written else _of_function(module, function)
    inner: ast.AST | None = None
    for scope in around:
        if isinstance(scope, ast.Lambda):
            if name in parameter_names(scope) or _binds_inside(scope, name):
                return None
        elif isinstance(scope, COMPREHENSIONS):
            if any(name in target_names(one.target) for one in scope.generators):
                return None
        elif isinstance(scope, ast.ClassDef) and (inner is not None or around[0] is not scope):
            pass  # the names of a class are seen by its own statements only
        elif isinstance(scope, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            definitions = module.definitions(scope)
            if definitions.bound_by_others(name):
                return None
            if _belongs(scope, definitions, name):
                found = _seen(module, definitions, name, use if inner is None and written else inner)
                return (
                    None if isinstance(scope, ast.ClassDef) and START in found else VisibleName(scope, found)
                )
        if isinstance(scope, (*_FUNCTIONS, ast.ClassDef)):
            inner = scope
    return VisibleName(module.tree, frozenset({START}))


def value_at(module: ModuleSyntax, name: ast.Name) -> ast.expr | None:
    """The expression whose value a name has where it stands; None where it may have others."""
    seen = visible(module, name.id, name)
    if seen is None or len(seen.bound) != 1 or (START in seen.definitions and seen.scope is not module.tree):
        return None
    return value_given(seen.bound[0], name.id)


def is_imported(module: ModuleSyntax, node: ast.expr, function: FunctionNode | None = None) -> bool:
    """Whether the name that `a.b.c` begins with can only be what an import binds."""
    root = dotted_root(node)
    seen = None if root is None else visible(module, root.id, root, function)
    bound = [] if seen is None else seen.bound
    return bool(bound) and all(isinstance(one, ast.Import | ast.ImportFrom) for one in bound)


def scopes_around(module: ModuleSyntax, node: ast.AST) -> Iterator[ast.AST]:
    """The scopes in which the names of a node are looked up, comprehensions too, innermost first."""
    inner, around, before = node, module.parents.get(node), node
    while around is not None:
        if isinstance(around, ast.Lambda):
            if inner is around.body:
                yield around
        elif isinstance(around, COMPREHENSIONS):
            first = around.generators[0]
            if inner is not first or before is not first.iter:
                yield around
        elif isinstance(around, ast.Module) or (
            isinstance(around, (*_FUNCTIONS, ast.ClassDef)) and inner in module.once(_body, around)
        ):
            yield around
        before, inner, around = inner, around, module.parents.get(around)


def _body(_module: ModuleSyntax, scope: FunctionNode | ast.ClassDef) -> frozenset[ast.AST]:
    return frozenset(scope.body)


def _of_function(module: ModuleSyntax, function: FunctionNode | None) -> list[ast.AST]:
    if function is None:
        return [module.tree]
    return [function, *scopes_around(module, function)]


def _belongs(scope: ast.AST, definitions: ReachingDefinitions, name: str) -> bool:
    """Whether a scope is the one that a name belongs to, also where only a star import may bind it."""
    if isinstance(scope, _FUNCTIONS) and name in parameter_names(scope):
        return True
    return definitions.binds(name) or (isinstance(scope, ast.Module) and bool(definitions.of(name)))


def _seen(
    module: ModuleSyntax, definitions: ReachingDefinitions, name: str, at: ast.AST | None
) -> frozenset[Definition]:
    """The definitions of a scope that are seen from a node of its own, or from inside a function or class in
    it, whose body runs where it stands or later.
    """
    every = definitions.of(name)
    found = None if at is None else definitions.reaching(name, at)
    if found is None or at is None:
        return frozenset({START, *every})
    if not isinstance(at, (*_FUNCTIONS, ast.ClassDef)):
        return found
    around = module.parents.get(at)
    while around is not None and around is not definitions.scope:
        if isinstance(around, LOOPS):
            return frozenset({START, *every})
        around = module.parents.get(around)
    later = [one for one in every if begin(one) > begin(at)]
    if around is definitions.scope and _is_rebound(module, definitions, name, at):
        return frozenset(later)
    return found.union(later)


def _is_rebound(
    module: ModuleSyntax, definitions: ReachingDefinitions, name: str, function: FunctionNode | ast.ClassDef
) -> bool:
    """Whether a function below in the same block takes the name before anything can call `function`."""
    if isinstance(function, ast.ClassDef):
        return False
    following = module.once(_defined_before_calls, definitions.scope).get(function)
    place = following.get(name) if following is not None else None
    return place is not None and place > begin(function)


def _defined_before_calls(module: ModuleSyntax, scope: ast.AST) -> dict[ast.stmt, dict[str, Position]]:
    """For each function of a scope's block the functions that are defined in the same series of statements
    that call nothing: name → place of the last.
    """
    found: dict[ast.stmt, dict[str, Position]] = {}
    series: dict[str, Position] = {}
    for statement in getattr(scope, "body", ()):
        if isinstance(statement, ast.FunctionDef) and _calls_nothing(statement, module):
            series[statement.name] = begin(statement)
            found[statement] = series
        elif not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
            series = {}
    return found


def _calls_nothing(function: ast.FunctionDef, module: ModuleSyntax) -> bool:
    """Whether the definition itself runs no function: decorators that compile at the first call only."""
    given = [*function.args.defaults, *(one for one in function.args.kw_defaults if one is not None)]
    if not all(isinstance(one, ast.Constant) for one in given) or function.returns is not None:
        return False
    for decorator in function.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        if call is not None and (
            call.args or any(not isinstance(one.value, ast.Constant) for one in call.keywords)
        ):
            return False
        if module.dotted(decorator if call is None else call.func) not in _COMPILED_WHEN_CALLED:
            return False
    return True


def _binds_inside(scope: ast.Lambda, name: str) -> bool:
    return any(isinstance(one, ast.NamedExpr) and one.target.id == name for one in below(scope.body))


def fills_in(definition: ast.AST, name: str, module: ModuleSyntax) -> bool:
    """Whether a definition of a name is reached only where the name is None, or nothing, before."""
    inner, outer = definition, module.parents.get(definition)
    if not isinstance(outer, ast.If) or inner not in outer.body:
        return False
    match outer.test:
        case ast.Compare(left=ast.Name(id=found), ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return found == name
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=found)):
            return found == name
    return False
