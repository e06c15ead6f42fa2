"""The functions of the workspace that a call may run: the definitions that reach the called name."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from typing import TypeAlias

from advisor.program.kernels.function_values import function_of
from advisor.program.kernels.jit_expressions import Jit
from advisor.program.names.library_names import star_member
from advisor.program.names.module_exports import exported, exports, original_name
from advisor.program.names.scope_names import parameter_names
from advisor.program.names.visible_names import is_imported, visible
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.assigned_values import value_given
from advisor.program.syntax.definition_flow import is_star
from advisor.program.syntax.module import FunctionNode, Import, ModuleSyntax
from advisor.program.syntax.reaching_definitions import START, Definition

Placed: TypeAlias = tuple[ModuleSyntax, FunctionNode]
_MOST_IMPORTS = 8
_AS_WRITTEN = frozenset({"numba.jit", "numba.njit", "functools.cache", "functools.lru_cache"})


class CalledFunctions:
    """Answers for the calls of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._jit = Jit(workspace)

    def of(
        self, func: ast.expr, module: ModuleSyntax, function: FunctionNode | None = None
    ) -> list[Placed] | None:
        """The functions that a called name may stand for in a function of a module; None where there may be
        others.
        """
        if isinstance(func, ast.Attribute):
            dotted = module.dotted(func)
            place = self.workspace.place(dotted, module) if dotted else None
            if place is None or not is_imported(module, func, function):
                return None
            return self._exported(*place, module, _MOST_IMPORTS)
        seen = visible(module, func.id, func, function) if isinstance(func, ast.Name) else None
        if seen is None or not isinstance(func, ast.Name):
            return None
        if START in seen.definitions:
            given = isinstance(seen.scope, FunctionNode) and func.id in parameter_names(seen.scope)
            if given or hasattr(builtins, func.id):
                return None
        return self._all(func.id, seen.bound, module, module, _MOST_IMPORTS)

    def _exported(
        self, home: ModuleSyntax, name: str, importer: ModuleSyntax, most: int
    ) -> list[Placed] | None:
        """The functions behind a name of a module when all of it has run."""
        found = exported(home, name, importer, self.workspace) if most > 0 else None
        return None if found is None else self._all(name, found, home, importer, most - 1)

    def _all(
        self, name: str, bound: Iterable[Definition], home: ModuleSyntax, importer: ModuleSyntax, most: int
    ) -> list[Placed] | None:
        """The functions that definitions in a module give a name; None where one gives it something else."""
        found: list[Placed] = []
        for one in bound:
            if not isinstance(one, ast.AST):
                continue
            if isinstance(one, ast.ImportFrom):
                target = self.workspace.find(Import(one.module or "", None, one.level), home)
                if is_star(one) and not (
                    exports(target, name, self.workspace) if target else star_member(one.module or "", name)
                ):
                    continue
                given = self._exported(target, original_name(name, one), importer, most) if target else None
            else:
                own = self._function(one, name, home)
                given = None if own is None else [(home, own)]
            if given is None:
                return None
            found += given
        return found or None

    def _function(self, definition: ast.AST, name: str, module: ModuleSyntax) -> FunctionNode | None:
        """The function that a definition, or `name = cuda.jit(…)(function)`, gives a name."""
        if isinstance(definition, ast.FunctionDef):
            plain = all(self._compiles(one, module) for one in definition.decorator_list)
            return definition if plain else None
        value = value_given(definition, name)
        if isinstance(value, ast.Call) and self._compiles(value.func, module):
            given = function_of(value.args[0], module, self.workspace) if value.args else None
            inner = given[1] if given is not None and given[0] is module else None
            return inner if inner is not None and not inner.decorator_list else None
        return None

    def _compiles(self, node: ast.expr, module: ModuleSyntax) -> bool:
        """Whether an expression stands for a decorator that compiles a function as it is written, or keeps
        what it has returned.
        """
        if self._jit.decorator(node, module) is not None:
            return True
        inner = node.func if isinstance(node, ast.Call) else node
        return module.dotted(inner) in _AS_WRITTEN
