"""Who a kernel is and where a run was made: hashes of sources, versions of tools, the commit."""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import subprocess
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from advisor import __version__
from advisor.model.text.syntax_trees import syntax_tree

_PACKAGES = ("numba", "numba-cuda", "numpy")
_GIT_SECONDS = 10.0


class Definition(NamedTuple):
    """A function of a file: qualified name without `<locals>`, the line of its `def`, its text's hash."""

    name: str
    line: int
    source_hash: str


@lru_cache(maxsize=256)
def functions(text: str) -> tuple[Definition, ...]:
    """The functions of a Python file, none where it does not parse.

    A function's text goes from its first decorator to its end, as the record of launches hashes it.
    """
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    lines = text.splitlines()
    found: list[Definition] = []
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, scope = waiting.pop()
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{scope}{child.name}"
                found.append(Definition(name, child.lineno, _hash(child, lines)))
                inner = f"{name}."
            elif isinstance(child, ast.ClassDef):
                inner = f"{scope}{child.name}."
            waiting.append((child, inner))
    return tuple(sorted(found, key=lambda one: one.line))


def _hash(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> str:
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    body = "\n".join(lines[first - 1 : node.end_lineno])
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def toolchain(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The versions of what compiles and runs kernels in this environment, and those given."""
    found = {"advisor": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {**found, **(more or {})}


def git_state(folder: Path) -> tuple[str | None, bool | None]:
    """The commit that is checked out and whether files that git knows differ from it; None without git."""
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if not commit:
        return None, None
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return commit.strip(), None if changes is None else bool(changes.strip())


def _git(folder: Path, *arguments: str) -> str | None:
    """What git prints, None where it fails; it takes no locks and starts no program of the repository."""
    try:
        ended = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_GIT_SECONDS,
            check=False,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ended.stdout if ended.returncode == 0 else None
