"""Names whose value rests on a number of the source, and whether launches alone use them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import inside
from advisor.fixes.support.host.host_uses import belongs


class NamesOfSizes:
    """The names that get another value when some numbers or parts of expressions of a file are changed.

    `names` are those of the module, which other files may use; `uses` are all places where one is read.
    """

    def __init__(self, module: SourceModule, changed: Iterable[ast.expr]) -> None:
        self.module = module
        self.names: set[str] = set()
        self.uses: list[ast.Name] = []
        self._lines: list[ast.Assign | ast.AnnAssign] = []
        for node in changed:
            self._follow(node)

    def are_used_in(self, allowed: Iterable[ast.AST]) -> bool:
        """Whether the names are used in these nodes only, and in the values of such names."""
        known = [*allowed, *(line.value for line in self._lines if line.value is not None)]
        return all(any(inside(self.module, use, one) for one in known) for use in self.uses)

    def _follow(self, node: ast.expr) -> None:
        """Note the assignment that a node is part of, and those that use what it assigns."""
        line = self.module.statement_of(node)
        if not isinstance(line, ast.Assign | ast.AnnAssign) or line in self._lines:
            return
        self._lines.append(line)
        scope = self.module.scope_of(line)
        for target in line.targets if isinstance(line, ast.Assign) else [line.target]:
            for name in self.module.nodes_in(ast.Name, target):
                if scope is None:
                    self.names.add(name.id)
                for use in self.module.names[name.id]:
                    if use is not name and belongs(self.module, use, scope):
                        self.uses.append(use)
                        self._follow(use)
