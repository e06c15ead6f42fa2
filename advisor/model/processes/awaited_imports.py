"""Calls a function when a module is imported that is not yet."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Collection, Sequence
from types import ModuleType
from typing import Any


def after_import(names: Collection[str], then: Callable[[], None], before: Collection[str] = ()) -> None:
    """Call `then` once: when the first of some modules has been imported, at once where one has been.

    It is also called when the first of the modules `before` is looked for, so that what it does to imports
    holds for that one.
    """
    if any(_is_imported(name) for name in (*names, *before)):
        then()
    else:
        sys.meta_path.insert(0, _Awaiting(names, before, then))


def _is_imported(name: str) -> bool:
    module = sys.modules.get(name)
    return module is not None and not getattr(module.__spec__, "_initializing", False)


class _Awaiting(importlib.abc.MetaPathFinder):
    """Finds the awaited modules as others do, with a loader that calls `then` at their import.

    Who only asks whether one of `names` can be found gets an answer, and nothing else happens.
    """

    def __init__(self, names: Collection[str], before: Collection[str], then: Callable[[], None]) -> None:
        self._names, self._before, self._then = frozenset(names), frozenset(before), then
        self._asking = False

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of an awaited module, None for all others."""
        if self._asking or name not in self._names | self._before:
            return None
        if name in self._before:
            self._imported()
        self._asking = True
        try:
            found = (finder.find_spec(name, path, target) for finder in list(sys.meta_path))
            spec = next((one for one in found if one is not None), None)
        finally:
            self._asking = False
        if name in self._names and spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._imported)
        return spec

    def _imported(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
            self._then()


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: Any, then: Callable[[], None]) -> None:
        self._loader, self._then = loader, then

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        found: ModuleType | None = self._loader.create_module(spec)
        return found

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._then()
