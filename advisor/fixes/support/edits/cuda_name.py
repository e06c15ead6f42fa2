"""The text that stands for numba.cuda in a file."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule


def cuda_text(module: SourceModule) -> str | None:
    """`cuda`, `numba.cuda` or what else a file calls the module; None where it imports it in another way.

    Only imports at the top of the module itself are known everywhere behind them.
    """
    return module.answer(_cuda_text, module.tree)


def _cuda_text(module: SourceModule, tree: ast.Module) -> str | None:
    for origin in tree.body:
        if isinstance(origin, ast.ImportFrom) and origin.module == "numba" and not origin.level:
            for alias in origin.names:
                if alias.name == "cuda":
                    return alias.asname or "cuda"
    for line in tree.body:
        for alias in line.names if isinstance(line, ast.Import) else ():
            if alias.name == "numba.cuda":
                return alias.asname or "numba.cuda"
            if alias.name == "numba" and "numba.cuda." in module.text and not alias.asname:
                return "numba.cuda"
    return None
