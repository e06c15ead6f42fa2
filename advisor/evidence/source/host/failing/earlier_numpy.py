"""Names that NumPy had for Python's own types, and has no longer, in the host code around launches."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import Place
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.model.records import Record
from advisor.program.launches.launches import Launch
from advisor.program.resolution.undefined_names import expects_errors
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below_in_scope

# NumPy 1.24 removed them; `numpy.bool` and `numpy.long` came back with other meanings in 2.0.
GONE_NAMES = frozenset({"numpy.complex", "numpy.float", "numpy.int", "numpy.object", "numpy.str"})

# A program with one of these may give NumPy the name, or ask whether it is there.
_PREPARES = frozenset({"hasattr", "setattr", "vars"})


def earlier_numpy_records(module: ModuleSyntax, launches: Sequence[Launch]) -> Iterator[Record]:
    """A `name` record for each such name in a function that launches kernels, or outside of all functions, at
    its first place and for the first of the kernels; none where the program gives NumPy the name, or is
    prepared for its lack.
    """
    seen: set[tuple[str, ast.AST]] = set()
    for launch in launches:
        if launch.kernel is None:
            continue
        function = module.function_around(launch.node)
        if function is not None and expects_errors(function):
            continue
        scopes = [module.tree] if function is None else [module.tree, function]
        for scope, node in ((one, name) for one in scopes for name in _gone_in(one, module)):
            word = ast.unparse(node)
            if (word, scope) in seen:
                continue
            seen.add((word, scope))
            place = Place(module, node, (), ())
            record = record_at("name", launch.kernel.key, place, word, f"name:{word}")
            record.know("source", name=word, undefined=False, gone=False, gone_from_numpy=True)
            yield record


def _gone_in(scope: ast.AST, module: ModuleSyntax) -> list[ast.Attribute]:
    return [] if any(map(module.mentions, _PREPARES)) else module.once(_names, scope)


def _names(module: ModuleSyntax, scope: ast.AST) -> list[ast.Attribute]:
    found = [
        node
        for node in below_in_scope(scope)
        if isinstance(node, ast.Attribute) and module.dotted(node) in GONE_NAMES
    ]
    if any(isinstance(one.ctx, ast.Store) for one in found):
        return []
    found = [one for one in found if not any(isinstance(above, ast.Try) for above in _above(one, module))]
    return sorted(found, key=lambda one: (one.lineno, one.col_offset))


def _above(node: ast.AST, module: ModuleSyntax) -> Iterator[ast.AST]:
    while (above := module.parents.get(node)) is not None:
        yield above
        node = above
