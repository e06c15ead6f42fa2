"""What a program does, found out in a process that runs many: what it prints, and the arrays of its `main`.

Kernels that are written alike are compiled once. The text of this module is what `SimulatedRuns` is given.
"""

from __future__ import annotations

import ast
import io
from contextlib import redirect_stdout
from typing import Any

import numpy as np

_KERNELS: dict[str, Any] = {}


def outcome(text: str) -> tuple[str, list[Any]]:
    """What a program prints, and the arrays that its `main` returns. Errors are raised."""
    tree = ast.parse(text)
    heads = (ast.Import, ast.ImportFrom, ast.Assign)
    before = "".join(ast.unparse(one) for one in tree.body if isinstance(one, heads) or _is_device(one))
    keys: dict[str, str] = {}
    for number, one in enumerate(tree.body):
        if isinstance(one, ast.FunctionDef) and one.decorator_list and not _is_device(one):
            keys[one.name] = before + ast.unparse(one)
            if keys[one.name] in _KERNELS:
                name = ast.parse(f"{one.name} = _KERNELS[{keys[one.name]!r}]").body[0]
                tree.body[number] = ast.fix_missing_locations(ast.copy_location(name, one))
    space: dict[str, Any] = {"__name__": "program", "_KERNELS": _KERNELS}
    exec(compile(tree, "program.py", "exec"), space)
    _KERNELS.update((key, space[name]) for name, key in keys.items())
    printed = io.StringIO()
    with redirect_stdout(printed):
        arrays = space["main"](np.arange(space.get("LENGTH", 4096), dtype=np.float32) % 13)
    return printed.getvalue(), arrays


def _is_device(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any(isinstance(one, ast.Call) for one in node.decorator_list)
