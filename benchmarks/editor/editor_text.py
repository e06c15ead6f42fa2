"""The file that the editor's benchmark writes in: all of `kernels/` as one module, one of them twice."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

_FOLDER = Path(__file__).parents[2] / "kernels"
_TWICE = ("vector_add",)
_HEAD = """\
import math
from collections.abc import Mapping

import numpy as np
from numba import cuda

Sizes = Mapping[str, int]
Arrays = dict[str, np.ndarray]
"""
_LEFT_OUT = ("WORKLOAD", "workload")


def benchmark_text() -> str:
    """A module of about 1,000 lines with 20 kernels and the functions that launch them.

    The names at the top of each module get the module's name in front, so that no two meet.
    """
    files = [file for file in sorted(_FOLDER.glob("*.py")) if "@cuda.jit" in file.read_text("utf-8")]
    named = [(file, file.stem) for file in files] + [
        (_FOLDER / f"{stem}.py", f"other_{stem}") for stem in _TWICE
    ]
    return _HEAD + "".join(f"\n\n{_part(file.read_text('utf-8'), prefix)}" for file, prefix in named)


def _part(text: str, prefix: str) -> str:
    """A module's definitions without its imports and its workload, its own names with the prefix."""
    lines = text.splitlines()
    own, kept = set[str](), []
    for node in ast.parse(text).body:
        names = _names(node)
        if isinstance(node, ast.Import | ast.ImportFrom) or names & set(_LEFT_OUT):
            continue
        own |= names
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
        blank = ["", ""] if isinstance(node, ast.FunctionDef) else []
        kept += [*blank, *lines[first - 1 : node.end_lineno]]
    return _renamed("\n".join(kept) + "\n", {name: f"{prefix}_{name}" for name in own})


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _renamed(text: str, names: dict[str, str]) -> str:
    """The text with other names, each where the tokenizer sees it."""
    lines = text.splitlines(keepends=True)
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(text).readline))):
        if token.type == tokenize.NAME and token.string in names:
            row, column = token.start
            line = lines[row - 1]
            lines[row - 1] = f"{line[:column]}{names[token.string]}{line[column + len(token.string) :]}"
    return "".join(lines)
