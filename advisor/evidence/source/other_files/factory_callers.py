"""The files that call functions in which kernels are made, found by words: none is parsed for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from advisor.evidence.source.test_paths import is_test_path
from advisor.model.storage.regular_files import content_of
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.scope_names import parameter_names
from advisor.program.resolution.factory_calls import Callers, called_name
from advisor.program.syntax.gate import searchable

# What no file is looked through for: the words that call it are everywhere.
_MOST_FILES = 32


def factories_around(declarations: Iterable[Declaration]) -> frozenset[str]:
    """The names that calls have of the functions with parameters in which kernels and device functions are
    made.
    """
    found = set()
    for one in declarations:
        for scope in one.module.scopes(one.node):
            if isinstance(scope, ast.FunctionDef) and parameter_names(scope) - {"self", "cls"}:
                found.add(called_name(scope, one.module))
    return frozenset(found)


def factory_callers(factories: Collection[str], files: Iterable[Path], root: Path) -> Callers:
    """For each name the files that call it; those of tests only where no others do."""
    if not factories:
        return {}
    words = sorted(re.escape(one).encode() for one in factories)
    calls = re.compile(rb"(?<!\w)(?<!def )(?<!class )(" + b"|".join(words) + rb")\s*\(")
    found: dict[str, list[Path]] = {}
    for file in sorted(set(files)):
        try:
            data = searchable(content_of(file), file.name)
        except OSError:
            continue
        for name in {one.decode() for one in calls.findall(data)}:
            found.setdefault(name, []).append(file)
    return {name: _speaking(those, root) for name, those in sorted(found.items())}


def _speaking(files: Sequence[Path], root: Path) -> tuple[Path, ...]:
    others = [one for one in files if not is_test_path(str(one).removeprefix(str(root)))]
    return tuple((others or files)[:_MOST_FILES])
