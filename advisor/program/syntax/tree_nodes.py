"""The nodes of a syntax tree, faster than `ast.walk`: contexts, operators and texts are left out."""

from __future__ import annotations

import ast
from collections import defaultdict

_NO_CHILDREN = frozenset(
    {ast.Name, ast.Constant, ast.Global, ast.Nonlocal, ast.alias, ast.Pass, ast.Break, ast.Continue}
)
_SCOPES = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda})
_NO_NODES = frozenset({"ctx", "op", "ops", "id", "attr", "kind", "type_comment", "level", "module", "simple",
                       "is_async", "conversion"})  # fmt: skip


class _ChildFields(dict[type[ast.AST], tuple[str, ...]]):
    """For each class of nodes the fields that may hold nodes, worked out at the first meeting."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        fields = () if kind in _NO_CHILDREN else tuple(f for f in kind._fields if f not in _NO_NODES)
        self[kind] = fields
        return fields


_FIELDS = _ChildFields()


def below(root: ast.AST) -> list[ast.AST]:
    """`root` and every node below it, level by level."""
    found = [root]
    fields = _FIELDS
    add = found.append
    for node in found:
        for name in fields[node.__class__]:
            value = getattr(node, name, None)
            if value.__class__ is list:
                for item in value:
                    if isinstance(item, ast.AST):
                        add(item)
            elif isinstance(value, ast.AST):
                add(value)
    return found


def below_in_scope(root: ast.AST) -> list[ast.AST]:
    """The nodes of a module or of a definition's body, functions and classes in it without theirs."""
    body = getattr(root, "body", [])
    found: list[ast.AST] = list(body) if isinstance(body, list) else [body]
    fields = _FIELDS
    add = found.append
    for node in found:
        if node.__class__ in _SCOPES:
            continue
        for name in fields[node.__class__]:
            value = getattr(node, name, None)
            if value.__class__ is list:
                for item in value:
                    if isinstance(item, ast.AST):
                        add(item)
            elif isinstance(value, ast.AST):
                add(value)
    return found


def with_parents(root: ast.AST) -> tuple[list[ast.AST], dict[ast.AST, ast.AST]]:
    """The same nodes, and the parent of each but the root."""
    found = [root]
    parents: dict[ast.AST, ast.AST] = {}
    fields = _FIELDS
    add = found.append
    for node in found:
        for name in fields[node.__class__]:
            value = getattr(node, name, None)
            if value.__class__ is list:
                for item in value:
                    if isinstance(item, ast.AST):
                        add(item)
                        parents[item] = node
            elif isinstance(value, ast.AST):
                add(value)
                parents[value] = node
    return found, parents


def by_kind(root: ast.AST) -> dict[type[ast.AST], list[ast.AST]]:
    """The nodes below `root`, it among them, by their class; a missing class gives an empty list."""
    found: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    for node in below(root):
        found[node.__class__].append(node)
    return found


def dotted_root(node: ast.expr) -> ast.Name | None:
    """The name that `a.b.c` begins with, None for anything else."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def dotted_parts(node: ast.expr) -> list[str] | None:
    """The parts of `a.b.c`, None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return [node.id, *reversed(parts)]
