"""Calls of a kernel in host code that give no grid and no block."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.model.records import Record
from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.scope_bindings import bound_at
from advisor.program.resolution.undefined_names import expects_errors
from advisor.program.syntax.module import ModuleSyntax


def unconfigured_call_records(module: ModuleSyntax, resolver: Resolver) -> Iterator[Record]:
    """A record for each call of a kernel of the module by its name, outside of all functions that may be
    compiled.
    """
    declarations = resolver.declarations(module)
    kernels = {one.node.name: one for one in declarations if _is_certain(one, module)}
    compiled = {one.node for one in declarations}
    if not kernels:
        return
    for call in module.calls:
        kernel = kernels.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if kernel is None or not _stands_for(call.func, kernel, module):
            continue
        scopes = module.scopes(call)
        if any(scope in compiled or _may_be_compiled(scope) or expects_errors(scope) for scope in scopes):
            continue
        span = module.span(call)
        key = f"{module.path}:{span.line}:{span.column}:bare_call"
        record = Record("bare_call", key, module.path, span, kernel.name, kernel.key)
        record.know("source", unconfigured=True)
        yield record


def _is_certain(kernel: Declaration, module: ModuleSyntax) -> bool:
    """Whether a name of the module is that kernel's alone, and it is no device function."""
    name = kernel.node.name
    return (
        kernel.module is module
        and kernel.form == "decorator"
        and kernel.device is False
        and not kernel.has_open_options
        and len(kernel.node.decorator_list) == 1
        and module.parents.get(kernel.node) is module.tree
        and len(module.functions_by_name.get(name, ())) == 1
    )


def _stands_for(name: ast.expr, kernel: Declaration, module: ModuleSyntax) -> bool:
    """Whether a name is bound to a kernel where it is read, and to nothing else."""
    bound = bound_at(module, name) if isinstance(name, ast.Name) else []
    return len(bound) == 1 and bound[0] is not None and bound[0].node is kernel.node


def _may_be_compiled(scope: ast.AST) -> bool:
    return bool(getattr(scope, "decorator_list", None))
