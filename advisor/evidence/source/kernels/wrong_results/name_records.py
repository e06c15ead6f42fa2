"""Records of names that a kernel, or a function that it calls, reads and nothing defines, and of names and
options around it that Numba has no longer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts, Place
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.model.records import Record
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.earlier_numba import GONE_OPTIONS, gone_imports, gone_name
from advisor.program.resolution.undefined_names import (
    expects_errors,
    likely_name,
    undefined_in_decorators,
    undefined_names,
)
from advisor.program.syntax.module import ModuleSyntax


def name_records(facts: KernelFacts, kernel: str) -> list[Record]:
    """One record for each such name, at the first place in each function that reads it, or is decorated with
    it; those that Numba has no longer at their import, or at the decorator.
    """
    found = []
    functions = {id(one.node): one for one in (facts.declaration, *facts.called)}
    for function in functions.values():
        names = undefined_names(function.node, function.module)
        decorating = undefined_in_decorators(function.node, function.module)
        for name in (*decorating, *names):
            record = _record(function.module, name, kernel, name.id)
            likely = likely_name(name.id, function.node)
            record.know(
                "source", name=name.id, undefined=True, likely=likely, gone=False, gone_from_numpy=False
            )
            found.append(record)
    for node, word in _gone_words(facts.declaration):
        record = _record(facts.declaration.module, node, kernel, word)
        record.know("source", name=word, undefined=False, gone=True, gone_from_numpy=False)
        found.append(record)
    return found


def _record(module: ModuleSyntax, node: ast.AST, kernel: str, name: str) -> Record:
    return record_at("name", kernel, Place(module, node, (), ()), name, f"name:{name}")


def _gone_words(declaration: Declaration) -> Iterator[tuple[ast.AST, str]]:
    """What the imports of a kernel's module and its own decorator ask of Numba in vain."""
    module = declaration.module
    if any(map(expects_errors, (declaration.node, *module.scopes(declaration.node)))):
        return
    yield from gone_imports(module)
    if declaration.form == "wrapped":
        return
    for decorator in declaration.node.decorator_list:
        dotted = module.dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
        name = gone_name(dotted) if dotted else None
        if name is not None:
            yield decorator, name
    for option in GONE_OPTIONS:
        value = declaration.options.get(option)
        if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
            yield value, option
