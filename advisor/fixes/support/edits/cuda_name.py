"""The text that stands for numba.cuda in a file."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule


def cuda_text(module: SourceModule) -> str | None:
    """`cuda`, `numba.cuda` or what else a file calls the module; None where it imports it in another way.

    Only imports of the module itself, also within `try` and `if`, are known in its functions.
    """
    return module.answer(_cuda_text, module.tree)


def _cuda_text(module: SourceModule, _tree: ast.Module) -> str | None:
    for origin in module.nodes(ast.ImportFrom):
        if origin.module == "numba" and not origin.level and module.syntax.scope_of(origin) is None:
            for alias in origin.names:
                if alias.name == "cuda":
                    return alias.asname or "cuda"
    for line in module.nodes(ast.Import):
        for alias in line.names if module.syntax.scope_of(line) is None else ():
            if alias.name == "numba.cuda":
                return alias.asname or "numba.cuda"
            if alias.name == "numba" and "numba.cuda." in module.text and not alias.asname:
                return "numba.cuda"
    return None
