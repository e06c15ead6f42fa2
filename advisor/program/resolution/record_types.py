"""The record types that modules declare, `np.dtype([("x", np.float32), …])`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from advisor.program.names.workspace import Workspace
from advisor.program.resolution.constant_values import ConstantValues
from advisor.program.resolution.library_values import Undetermined
from advisor.program.syntax.module import ModuleSyntax, Scope
from advisor.program.syntax.tree_nodes import dotted_parts

Values: TypeAlias = Callable[[ModuleSyntax, Sequence[Scope]], ConstantValues]


@dataclass(frozen=True)
class DeclaredRecord:
    """A record type and where it is declared; `name` is what it is assigned to, if that is a name."""

    name: str
    path: str
    line: int
    dtype: np.dtype[np.void]

    @property
    def numba_type(self) -> str:
        """The Numba type of such a record as text."""
        return record_text(self.dtype)

    def in_words(self) -> str:
        """The record type as "`particle` (line 3 of types.py)"."""
        name = f"`{self.name}`" if self.name else "the record type"
        return f"{name} (line {self.line} of {self.path})"


def record_text(dtype: np.dtype[np.void]) -> str:
    """The Numba type of records as text, `from_dtype([('x', '<f4')], False)`."""
    return f"from_dtype({dtype}, {dtype.isalignedstruct})"


def declared_records(
    modules: Iterable[ModuleSyntax], workspace: Workspace, values: Values
) -> Iterator[DeclaredRecord]:
    """The record types that modules and those that they import declare; `values` evaluates expressions."""
    seen: set[str] = set()
    for module in modules:
        for one in (module, *workspace.imported_with("dtype", module)):
            if one.file not in seen:
                seen.add(one.file)
                yield from _declared_in(one, workspace, values)


def _declared_in(module: ModuleSyntax, workspace: Workspace, values: Values) -> Iterator[DeclaredRecord]:
    for call in module.calls:
        dotted = module.dotted(call.func)
        if dotted is None or workspace.library_name(dotted, module) != "numpy.dtype":
            continue
        scopes = [one for one in module.scopes(call) if not isinstance(one, ast.ClassDef)]
        try:
            dtype = values(module, scopes).value(call)
        except Undetermined:
            continue
        if isinstance(dtype, np.dtype) and dtype.names and not dtype.hasobject:
            yield DeclaredRecord(_assigned(call, module), module.path, call.lineno, dtype)


def _assigned(call: ast.Call, module: ModuleSyntax) -> str:
    statement = module.parents.get(call)
    targets = statement.targets if isinstance(statement, ast.Assign) and statement.value is call else []
    parts = dotted_parts(targets[0]) if len(targets) == 1 else None
    return ".".join(parts) if parts else ""
