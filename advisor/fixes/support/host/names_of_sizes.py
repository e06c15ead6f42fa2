"""Names whose value rests on a number of the source, and whether launches alone use them."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import inside
from advisor.fixes.support.host.host_uses import belongs, is_variable


class NamesOfSizes:
    """The names that get another value when some numbers or parts of expressions of a file are changed.

    `names` are those of the module, which other files may use; `uses` are all places where one is read.
    """

    def __init__(self, module: SourceModule, changed: Iterable[cst.CSTNode]) -> None:
        self.module = module
        self.names: set[str] = set()
        self.uses: list[cst.Name] = []
        self._lines: list[cst.Assign] = []
        for node in changed:
            self._follow(node)

    def are_used_in(self, allowed: Iterable[cst.CSTNode]) -> bool:
        """Whether the names are used in these nodes only, and in the values of such names."""
        known = [*allowed, *(line.value for line in self._lines)]
        return all(any(inside(self.module, use, one) for one in known) for use in self.uses)

    def _follow(self, node: cst.CSTNode) -> None:
        """Note the assignment that a node is part of, and those that use what it assigns."""
        line = self._assignment(node)
        if line is None or any(line is one for one in self._lines):
            return
        self._lines.append(line)
        scope = self.module.function_around(self.module.range_of(line)[0])
        for target in line.targets:
            for name in self.module.nodes_in(cst.Name, target.target):
                if scope is None:
                    self.names.add(name.value)
                for use in self._read(name, scope):
                    self.uses.append(use)
                    self._follow(use)

    def _assignment(self, node: cst.CSTNode) -> cst.Assign | None:
        above = self.module.parent(node)
        while above is not None and not isinstance(above, cst.BaseStatement):
            if isinstance(above, cst.Assign):
                return above
            above = self.module.parent(above)
        return None

    def _read(self, name: cst.Name, scope: cst.FunctionDef | None) -> list[cst.Name]:
        return [
            one
            for one in self.module.nodes(cst.Name)
            if one.value == name.value
            and one is not name
            and is_variable(self.module, one)
            and belongs(self.module, one, scope)
        ]
