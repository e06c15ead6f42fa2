"""The names that a node of a syntax tree binds in its scope."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import Any

_NONE: frozenset[str] = frozenset()


def bound_names(node: ast.AST) -> Collection[str]:
    """The names that a node itself binds in its scope, `del` included."""
    named = _BOUND.get(node.__class__)
    return _NONE if named is None else named(node)


def target_names(target: ast.AST) -> set[str]:
    """The names that a target binds; those in an index or before a dot are only read."""
    if isinstance(target, ast.Name):
        return {target.id}
    if isinstance(target, ast.Starred):
        return target_names(target.value)
    if isinstance(target, ast.Tuple | ast.List):
        return {name for one in target.elts for name in target_names(one)}
    return set()


def _of_targets(node: ast.Assign | ast.Delete) -> Collection[str]:
    if len(node.targets) == 1:
        return target_names(node.targets[0])
    return {name for target in node.targets for name in target_names(target)}


def _of_target(node: ast.AugAssign | ast.For | ast.AsyncFor | ast.NamedExpr) -> Collection[str]:
    return target_names(node.target)


def _of_annotated(node: ast.AnnAssign) -> Collection[str]:
    return target_names(node.target) if node.value is not None else _NONE


def _of_with(node: ast.With | ast.AsyncWith) -> Collection[str]:
    return {name for item in node.items if item.optional_vars for name in target_names(item.optional_vars)}


def _of_import(node: ast.Import | ast.ImportFrom) -> Collection[str]:
    return {alias.asname or alias.name.partition(".")[0] for alias in node.names if alias.name != "*"}


_Named = (
    ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar
)


def _of_name(node: _Named) -> Collection[str]:
    return {node.name} if node.name else _NONE


def _of_rest(node: ast.MatchMapping) -> Collection[str]:
    return {node.rest} if node.rest else _NONE


def _of_type_alias(node: Any) -> Collection[str]:  # of Python 3.12 and later
    return target_names(node.name)


_BOUND: dict[type[ast.AST], Callable[[Any], Collection[str]]] = {
    **dict.fromkeys((ast.Assign, ast.Delete), _of_targets),
    **dict.fromkeys((ast.AugAssign, ast.For, ast.AsyncFor, ast.NamedExpr), _of_target),
    ast.AnnAssign: _of_annotated,
    **dict.fromkeys((ast.With, ast.AsyncWith), _of_with),
    **dict.fromkeys((ast.Import, ast.ImportFrom), _of_import),
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), _of_name),
    **dict.fromkeys((ast.ExceptHandler, ast.MatchAs, ast.MatchStar), _of_name),
    ast.MatchMapping: _of_rest,
    **({ast.TypeAlias: _of_type_alias} if hasattr(ast, "TypeAlias") else {}),
}
