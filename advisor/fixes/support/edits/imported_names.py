"""Names under which a file knows a module, and the edit that imports one."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit


def name_of(module: SourceModule, wanted: str) -> str | None:
    """The name that `import wanted [as name]` gives a module at the top of a file, None where it is not."""
    for statement in module.tree.body:
        for alias in statement.names if isinstance(statement, ast.Import) else ():
            if alias.name == wanted:
                return alias.asname or wanted
    return None


def import_edit(module: SourceModule, wanted: str) -> Edit | None:
    """The edit that adds `import wanted` before the first import of a file; None where there is none."""
    for statement in module.tree.body:
        if not isinstance(statement, ast.Import | ast.ImportFrom) or not module.begins_line(statement):
            continue
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            continue
        begin, _ = module.range_of(statement)
        return Edit(begin, begin, f"import {wanted}{module.line_end}")
    return None
