"""Kernels as the history identifies them, from Numba's compiled kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from advisor.evidence.simulated.launches.function_text import definition, read_source


class KernelDescriber:
    """Describes a kernel with the shape of its launch; paths are relative to `root` where they lie inside."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def __call__(self, kernel: Any, grid: Any, block: Any, shared: int) -> dict[str, Any]:
        """Name, path, line and hash of its text, types, grid, block and dynamic shared memory, as JSON."""
        code = getattr(kernel.py_func, "__code__", None)
        path, line, text_hash = None, None, None
        if code is not None:
            text = read_source(Path(code.co_filename))
            known = definition(text, code.co_firstlineno) if text is not None else None
            line, text_hash = known or (code.co_firstlineno, None)
            path = self._relative(code.co_filename)
        return {
            "name": getattr(kernel.py_func, "__qualname__", "kernel").replace(".<locals>", ""),
            "path": path,
            "line": line,
            "source_hash": text_hash,
            "types": [str(one) for one in kernel.argument_types],
            "grid": _extent(grid),
            "block": _extent(block),
            "dynamic_shared": shared,
        }

    def _relative(self, path: str) -> str:
        try:
            return Path(path).resolve().relative_to(self._root).as_posix()
        except (ValueError, OSError):
            return path


def _extent(shape: Any) -> list[int]:
    numbers = [int(one) for one in (shape if isinstance(shape, tuple | list) else (shape,))]
    return [*numbers, *[1] * (3 - len(numbers))]
