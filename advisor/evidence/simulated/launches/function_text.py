"""The text of a function in its file, by which a record knows whether the code has changed since."""

from __future__ import annotations

import ast
import hashlib
from functools import lru_cache
from pathlib import Path

from advisor.model.text.syntax_trees import syntax_tree
from advisor.program.kernels.cuda_texts import kernel_in_text, kernel_lines


@lru_cache(maxsize=256)
def _functions(text: str) -> dict[int, tuple[int, str]]:
    """For each function's first line, decorators included, the line of its `def` and its text's hash."""
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    lines = text.splitlines()
    found: dict[int, tuple[int, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
            body = "\n".join(lines[first - 1 : node.end_lineno])
            found[first] = (node.lineno, hashlib.sha256(body.encode()).hexdigest()[:16])
    return found


def definition(text: str, first_line: int) -> tuple[int, str] | None:
    """The line of the `def` and the hash of the function that begins at a line, None for no function."""
    return _functions(text).get(first_line)


def hash_at(text: str, def_line: int) -> str | None:
    """The hash of the function whose `def` stands at a line, None for no function."""
    return next((found for line, found in _functions(text).values() if line == def_line), None)


# The suffixes of files whose text is CUDA C++ itself.
_CUDA_FILES = (".cu", ".cuh")


def cuda_lines(path: str, text: str, name: str, text_hash: str) -> list[int]:
    """The lines at which a file, or literals of it, hold a kernel of CUDA C++ of this name and text."""
    if path.endswith(_CUDA_FILES):
        kernel = kernel_in_text(text, name)
        return [kernel.line] if kernel is not None and kernel.text_hash == text_hash else []
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return kernel_lines(tree, text.splitlines(), name, text_hash)


def read_source(path: Path) -> str | None:
    """The text of a Python file, None where it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
