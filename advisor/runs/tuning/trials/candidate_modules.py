"""Imports changed copies of the user's files in the place of the files themselves.

Whatever name a file is imported under, its text comes from the copy; everything else is the user's own. The
code says that it lies in the copy, so that Numba reads its lines there; the module's `__file__` stays.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any


class CandidateFinder(importlib.abc.MetaPathFinder):
    """Finds modules as the other finders do, and loads those of `copies` (file to copy) from their copies."""

    def __init__(self, copies: Mapping[Path, Path]) -> None:
        self._copies = {file.resolve(): copy for file, copy in copies.items()}

    def install(self) -> None:
        """Let imports of this process look here first from here on."""
        sys.meta_path.insert(0, self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a module whose file has a copy, None for all others."""
        for finder in sys.meta_path:
            find: Any = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if finder is not self and find is not None else None
            if spec is not None:
                copy = self._copies.get(Path(spec.origin).resolve()) if spec.origin else None
                if copy is None:
                    return None
                spec.loader, spec.cached = _CopyLoader(copy), None
                return spec  # type: ignore[no-any-return]
        return None


class _CopyLoader(importlib.abc.Loader):
    def __init__(self, copy: Path) -> None:
        self._copy = copy

    def exec_module(self, module: ModuleType) -> None:
        code = compile(self._copy.read_bytes(), str(self._copy), "exec", dont_inherit=True)
        exec(code, module.__dict__)
