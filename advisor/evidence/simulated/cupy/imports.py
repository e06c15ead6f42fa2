"""Acts when modules are imported: before them, behind them, or in their place."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, TypeAlias

Act: TypeAlias = "Callable[[ModuleType], None]"


class Imports(importlib.abc.MetaPathFinder):
    """Finds modules as others do; those of `behind` are acted on when their code has run.

    Modules of `instead` are empty ones that the function fills.
    """

    def __init__(self, behind: Mapping[str, Act], instead: Mapping[str, Act]) -> None:
        self._behind, self._instead = dict(behind), dict(instead)
        self._within: set[str] = set()

    def install(self) -> None:
        """Stand before all other finders of this process from here on."""
        sys.meta_path.insert(0, self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a module that is acted on, None for all others."""
        if name in self._instead:
            return importlib.machinery.ModuleSpec(name, _Filled(self._instead[name]))
        if name not in self._behind or name in self._within:
            return None
        self._within.add(name)
        try:
            spec = self._spec(name, path, target)
        finally:
            self._within.discard(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Followed(spec.loader, self._behind[name])
        return spec

    def _spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> importlib.machinery.ModuleSpec | None:
        for finder in list(sys.meta_path):
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        return None


class _Filled(importlib.abc.Loader):
    def __init__(self, fill: Act) -> None:
        self._fill = fill

    def exec_module(self, module: ModuleType) -> None:
        self._fill(module)


class _Followed(importlib.abc.Loader):
    def __init__(self, loader: Any, then: Act) -> None:
        self._loader, self._then = loader, then

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        found: ModuleType | None = self._loader.create_module(spec)
        return found

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._then(module)
