"""Whether a function reads elements of an array that it is given, and whether it stores to them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from advisor.facts.declarations import cuda_member
from advisor.facts.module import FunctionNode, ModuleSyntax
from advisor.facts.workspace import Workspace

# Whether elements may be read, and whether they may be stored to.
Traffic: TypeAlias = tuple[bool, bool]
_BOTH: Traffic = (True, True)
_NEITHER: Traffic = (False, False)
_READ: Traffic = (True, False)
_QUESTIONS = frozenset({"shape", "size", "ndim", "dtype", "strides"})
_READERS = frozenset({"abs", "bool", "complex", "float", "int", "max", "min", "print", "range", "round"})
_LIBRARIES = ("math.", "numpy.", "numba.float", "numba.int", "numba.uint")


@dataclass
class ArrayTraffic:
    """What functions do with arrays, through further names of rows and the functions they are handed to."""

    workspace: Workspace
    _known: dict[tuple[FunctionNode, str], Traffic] = field(default_factory=dict)

    def of(self, module: ModuleSyntax, function: FunctionNode, name: str) -> Traffic:
        """Whether a function may read elements of what a name stands for, and whether it may store to them;
        both where it hands the array to something unknown.
        """
        key = function, name
        if key not in self._known:
            # What is met again while it is being asked adds nothing.
            self._known[key] = _NEITHER
            uses = [one for one in module.inside(function, ast.Name) if one.id == name]
            self._known[key] = _joined(
                self._use(one, module, function) for one in uses if isinstance(one.ctx, ast.Load)
            )
        return self._known[key]

    def _use(self, name: ast.Name, module: ModuleSyntax, function: FunctionNode) -> Traffic:
        node: ast.expr = name
        parent = module.parents.get(name)
        while isinstance(parent, ast.Subscript) and parent.value is node:
            node, parent = parent, module.parents.get(parent)
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            return _BOTH if isinstance(parent, ast.AugAssign) else (False, True)
        if isinstance(parent, ast.Attribute):
            return _NEITHER if parent.attr in _QUESTIONS else _READ
        if isinstance(parent, ast.Call):
            return self._handed_on(node, parent, module)
        if isinstance(parent, ast.Return | ast.Starred | ast.NamedExpr | ast.keyword):
            return _BOTH
        if isinstance(parent, ast.Tuple):
            return self._in_tuple(node, parent, module, function)
        if isinstance(parent, ast.Assign):
            return _joined(self._named(target, module, function) for target in parent.targets)
        if isinstance(parent, ast.For):
            return _joined([_READ, self._named(parent.target, module, function)])
        return _READ

    def _named(self, target: ast.expr, module: ModuleSyntax, function: FunctionNode) -> Traffic:
        """What is done with a row or element under the name that an assignment gives it."""
        if isinstance(target, ast.Name):
            return self.of(module, function, target.id)
        return _READ if isinstance(target, ast.Subscript) else _BOTH

    def _in_tuple(
        self, node: ast.expr, parent: ast.Tuple, module: ModuleSyntax, function: FunctionNode
    ) -> Traffic:
        """The same for one of several values that are assigned together."""
        above = module.parents.get(parent)
        if isinstance(above, ast.Subscript):
            return _READ
        if not isinstance(above, ast.Assign) or len(above.targets) != 1:
            return _BOTH
        targets = above.targets[0]
        if not isinstance(targets, ast.Tuple) or len(targets.elts) != len(parent.elts):
            return _BOTH
        return self._named(targets.elts[parent.elts.index(node)], module, function)

    def _handed_on(self, node: ast.expr, call: ast.Call, module: ModuleSyntax) -> Traffic:
        """What a function does with an argument; both where it is not known."""
        if node not in call.args:
            return _BOTH
        if isinstance(call.func, ast.Name) and call.func.id == "len":
            return _NEITHER
        dotted = module.dotted(call.func)
        if dotted is None:
            return _BOTH
        if dotted in _READERS or dotted.startswith(_LIBRARIES):
            return _READ
        if (cuda_member(self.workspace.library_name(dotted, module)) or "").startswith("atomic."):
            return _BOTH if call.args.index(node) == 0 else _READ
        place = self.workspace.member(dotted, module)
        callee = place[0].top_level.get(place[1]) if place else None
        if place is None or not isinstance(callee, ast.FunctionDef):
            return _BOTH
        position = call.args.index(node)
        if position >= len(callee.args.args) or any(isinstance(one, ast.Starred) for one in call.args):
            return _BOTH
        return self.of(place[0], callee, callee.args.args[position].arg)


def _joined(parts: Iterable[Traffic]) -> Traffic:
    every = list(parts)
    return any(read for read, _ in every), any(stored for _, stored in every)
