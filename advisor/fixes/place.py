"""A finding's place as a fix looks at it: its nodes, its kernel, the launches, and what is known of them."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from advisor.fixes.known_facts import KnownFacts, Row
from advisor.fixes.support.edits.source_module import SourceModule, read_module
from advisor.fixes.support.launches.launch_sites import LaunchSite, launch_site, may_launch
from advisor.model.findings import Edit, Finding
from advisor.model.records import Value
from advisor.model.text.source_text import Span

_Node = TypeVar("_Node", bound=ast.AST)


_MOST_MODULES = 64
_WORD = re.compile(r"\w+")
_DEFINED = re.compile(r"^[ \t]*def[ \t]+(\w+)", re.MULTILINE)


class Modules:
    """The parsed files of a check by path; a file is parsed when a fix first asks for it, and forgotten when
    many others came after it.

    `unread` are the lines of some files that could not be read, and that are blank in these texts.
    """

    def __init__(self, texts: Mapping[str, str], unread: Mapping[str, frozenset[int]] | None = None) -> None:
        self.texts = texts
        self._unread = unread or {}
        self._read: dict[str, SourceModule | None] = {}
        self._forgotten = 0

    def get(self, path: str) -> SourceModule | None:
        """The module at a path, None for a text that is not known or cannot be read."""
        if path not in self._read:
            if len(self._read) >= _MOST_MODULES:
                self._forget(next(iter(self._read)))
            unread = self._unread.get(path, frozenset())
            self._read[path] = read_module(self.texts[path], unread, path) if path in self.texts else None
        return self._read[path]

    def _forget(self, path: str) -> None:
        del self._read[path]
        self._forgotten += 1
        if self._forgotten % _MOST_MODULES == 0:
            # Walks through kernels refer to themselves, and a check has the search for garbage paused.
            gc.collect()

    def naming(self, function: str) -> Sequence[str]:
        """The paths of the files that name a function of another file, and define none so called."""
        return self._naming.get(function, ())

    @cached_property
    def _naming(self) -> dict[str, list[str]]:
        defined = {path: set(_DEFINED.findall(text)) for path, text in self.texts.items()}
        functions = set().union(*defined.values())
        found: dict[str, list[str]] = {}
        for path, text in self.texts.items():
            for word in functions.intersection(_WORD.findall(text)) - defined[path]:
                found.setdefault(word, []).append(path)
        return found


@dataclass(frozen=True)
class Place:
    """A finding's place in its module. `parameters` are the numbers at the top of the fix's module."""

    finding: Finding
    module: SourceModule
    modules: Modules = field(repr=False)
    facts: KnownFacts = field(repr=False)
    parameters: Mapping[str, Value] = field(default_factory=dict)

    @property
    def span(self) -> Span:
        """The lines and columns of the finding."""
        return self.finding.span

    @property
    def begin(self) -> int:
        """The offset where the finding begins."""
        return self.module.offset(self.span.line, self.span.column - 1)

    @property
    def end(self) -> int:
        """The offset where the finding ends."""
        return self.module.offset(self.span.end_line, self.span.end_column - 1)

    def is_at(self, row: Row) -> bool:
        """Whether a record stands where the finding does."""
        return (row.path, row.span) == (self.finding.path, self.span)

    def exactly(self, kind: type[_Node]) -> _Node | None:
        """The node of a kind that begins and ends where the finding does."""
        return self.module.node_at(kind, self.begin, self.end)

    def within(self, kind: type[_Node]) -> list[_Node]:
        """The nodes of a kind that lie in the finding."""
        return list(self.module.nodes_between(kind, self.begin, self.end))

    def function(self) -> ast.FunctionDef | None:
        """The innermost function that the finding lies in, or whose name or decorator it is."""
        return _function_around(self.module, self.begin)

    def kernel(self) -> tuple[SourceModule, ast.FunctionDef] | None:
        """The kernel that the finding is about and its file, also where the finding stands at a launch."""
        row = self.kernel_row()
        return self.function_of(row) if row else None

    def function_of(self, kernel: Row) -> tuple[SourceModule, ast.FunctionDef] | None:
        """The function of a row of the entity `kernel` and its file, None where its file is not known."""
        module = self.modules.get(kernel.path)
        if module is None:
            return None
        function = _function_around(module, module.offset(kernel.span.line, kernel.span.column - 1))
        return (module, function) if function is not None else None

    def kernel_row(self) -> Row | None:
        """What is known of the kernel (metrics of the entity `kernel`), None where it is not clear which."""
        return self.facts.kernel_of(self.finding)

    def rows(self, entity: str) -> list[Row]:
        """What is known of the kernel's accesses, launches, loops, atomics …"""
        kernel = self.kernel_row()
        return self.facts.of_kernel(entity, kernel) if kernel else []

    def launches(self) -> list[LaunchSite] | None:
        """All launches of the kernel that were found, in all files; None where one of them cannot be read.

        A launch that the facts give to the kernel although its name stands for another function is left out.
        """
        found = []
        kernel = self.kernel()
        for row in self.rows("launch"):
            module = self.modules.get(row.path)
            site = launch_site(module, row) if module else None
            if site is None:
                return None
            if kernel is None or may_launch(site.module, site.subscript, kernel[1]):
                found.append(site)
        return found

    def in_file(self, module: SourceModule, edits: Iterator[Edit] | list[Edit]) -> list[Edit]:
        """Edits of a module as edits of this fix: with its path where it is not the finding's own file."""
        if module is self.module:
            return list(edits)
        path = next(path for path in self._paths() if self.modules.get(path) is module)
        return [replace(edit, path=path) for edit in edits]

    def _paths(self) -> list[str]:
        row = self.kernel_row()
        return [*([row.path] if row else []), *(launch.path for launch in self.rows("launch"))]


def _function_around(module: SourceModule, offset: int) -> ast.FunctionDef | None:
    """The innermost function around an offset, None for one that is `async`: that is no kernel's."""
    found = module.function_around(offset)
    return found if isinstance(found, ast.FunctionDef) else None
