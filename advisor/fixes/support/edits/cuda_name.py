"""The text that stands for numba.cuda in a file."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule


def cuda_text(module: SourceModule) -> str | None:
    """`cuda`, `numba.cuda` or what else a file calls the module; None where it imports it in another way."""
    for origin in module.nodes(cst.ImportFrom):
        if origin.module is None or isinstance(origin.names, cst.ImportStar) or not _is_top(module, origin):
            continue
        for alias in origin.names:
            if module.written(origin.module) == "numba" and module.written(alias.name) == "cuda":
                return module.written(alias.asname.name) if alias.asname else "cuda"
    for line in module.nodes(cst.Import):
        for alias in line.names if _is_top(module, line) else ():
            if module.written(alias.name) == "numba.cuda":
                return module.written(alias.asname.name) if alias.asname else "numba.cuda"
            if module.written(alias.name) == "numba" and "numba.cuda." in module.text and not alias.asname:
                return "numba.cuda"
    return None


def _is_top(module: SourceModule, line: cst.CSTNode) -> bool:
    """Whether an import is a statement of the module itself, so that it is known everywhere behind it."""
    statement = module.parent(line)
    return statement is not None and module.parent(statement) is module.module
