"""The functions of a compilation unit with their syntax, and what their free names stand for."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from advisor.model.compilation_unit import CompilationUnit, FunctionText
from advisor.model.text.syntax_trees import expression_tree, syntax_tree
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.reaching_definitions import ReachingDefinitions
from advisor.program.syntax.tree_nodes import below, dotted_parts, with_parents

# A constant of more characters is an array, of which no size is read.
_LONGEST_CONSTANT = 400


@dataclass(frozen=True)
class UnitFunction:
    """One function of the unit and what reaches the names in it."""

    text: FunctionText
    tree: ast.FunctionDef

    @cached_property
    def reaching(self) -> ReachingDefinitions:
        """What reaches each place of the body."""
        return ReachingDefinitions(self.tree)

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of all parameters."""
        return frozenset(parameter_names(self.tree))

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node around each node."""
        return with_parents(self.tree)[1]

    def place(self, line: int) -> tuple[str, int]:
        """The path and the line of a line of the text."""
        return self.text.path, self.text.line + line - 1


class UnitNames:
    """What the names mean that the functions of a unit share; `kernel` is None where none can be read."""

    def __init__(self, unit: CompilationUnit) -> None:
        self.functions: dict[str, UnitFunction] = {}
        self.kernel: UnitFunction | None = None
        for text in unit.functions:
            tree = _definition(text.source)
            if tree is None:
                continue
            self.functions[text.name] = UnitFunction(text, tree)
            if not text.device:
                self.kernel = self.functions[text.name]
        self._aliases: Mapping[str, str] = unit.aliases
        self._texts: Mapping[str, str] = unit.constants
        self._constants: dict[str, ast.expr | None] = {}
        self._placeholders = {one.name for one in unit.placeholders}

    @property
    def guessed(self) -> list[ast.Name]:
        """The places where functions read a name whose value is a guess."""
        loads = (one for function in self.functions.values() for one in loads_below(function.tree))
        return [one for one in loads if one.id in self._placeholders]

    def dotted(self, node: ast.expr) -> str:
        """The name below a library that an expression stands for, `numba.cuda.grid`; empty for others.

        Names of the language, such as `int`, stand for themselves.
        """
        parts = dotted_parts(node)
        if parts is None:
            return ""
        root = self._aliases.get(parts[0])
        if root is None:
            return parts[0] if len(parts) == 1 and parts[0] not in self._texts else ""
        return ".".join((root, *parts[1:]))

    def constant(self, name: str) -> ast.expr | None:
        """The expression of a constant of the unit; None for other names and for long ones."""
        if name not in self._constants:
            text = self._texts.get(name, "")
            self._constants[name] = _expression(text) if 0 < len(text) <= _LONGEST_CONSTANT else None
        return self._constants[name]

    def is_constant_array(self, name: str) -> bool:
        """Whether a name stands for an array whose elements the unit states."""
        return "(" in self._texts.get(name, "") or "[" in self._texts.get(name, "")


def _definition(source: str) -> ast.FunctionDef | None:
    try:
        body = syntax_tree(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = body[0] if len(body) == 1 else None
    return found if isinstance(found, ast.FunctionDef) else None


def _expression(text: str) -> ast.expr | None:
    try:
        return expression_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def loads_below(node: ast.AST) -> list[ast.Name]:
    """The names that an expression reads."""
    return [one for one in below(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
