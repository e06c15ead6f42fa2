"""Names under which a file knows a module, and the edit that imports one."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit


def name_of(module: SourceModule, wanted: str) -> str | None:
    """The name that `import wanted [as name]` gives a module at the top of a file, None where it is not."""
    for statement in module.module.body:
        for part in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(part, cst.Import):
                for alias in part.names:
                    if module.written(alias.name) == wanted:
                        return module.written(alias.asname.name) if alias.asname else wanted
    return None


def import_edit(module: SourceModule, wanted: str) -> Edit | None:
    """The edit that adds `import wanted` before the first import of a file; None where there is none."""
    for statement in module.module.body:
        if isinstance(statement, cst.SimpleStatementLine) and isinstance(
            statement.body[0], cst.Import | cst.ImportFrom
        ):
            first = statement.body[0]
            if (
                isinstance(first, cst.ImportFrom)
                and module.written(first.module or cst.Name("_")) == "__future__"
            ):
                continue
            begin, _ = module.range_of(statement)
            line_end = "\r\n" if "\r\n" in module.text else "\n"
            return Edit(begin, begin, f"import {wanted}{line_end}")
    return None
