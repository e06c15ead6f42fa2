"""Whether a name of a kernel stands for an integer, as far as its bindings, uses and launches tell."""

from __future__ import annotations

import ast
from collections.abc import Collection
from pathlib import Path

from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.argument_arrays import number_type
from advisor.program.effects.device_functions import Resolver
from advisor.program.effects.local_values import LocalValues
from advisor.program.effects.use_analysis import UseAnalysis, ValueKinds
from advisor.program.names.scope_names import parameter_names
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode


def is_integer(place: Place, function: FunctionNode, name: str) -> bool:
    """Whether nothing shows that a name may be a float: parameters are integers unless a launch passes a
    float, or the function gives them another value.
    """
    module, kernel = place.module, place.kernel()
    launches = (place.launches() or []) if kernel is not None and kernel[1] is function else []
    numbers = {
        one
        for position, one in enumerate(LocalValues(function).parameters)
        if not module.bindings(one, function)
        and not any(number_type(site, position).startswith("float") for site in launches)
    }
    return value_kinds(module, function, numbers).is_integer(ast.Name(name, ast.Load()))


def is_local(module: SourceModule, function: FunctionNode, name: str) -> bool:
    """Whether a name is a function's own: a parameter, or bound in it."""
    return name in parameter_names(function) or bool(module.bindings(name, function))


def value_kinds(module: SourceModule, function: FunctionNode, integers: Collection[str]) -> ValueKinds:
    """What the values of a function are, by their uses too, where of its parameters that are numbers just
    some are integers. Functions of other files count as unknown.
    """
    resolver = Resolver(Workspace(Path()))

    def callee(called: ast.expr) -> FunctionNode | None:
        dotted = module.syntax.dotted(called)
        found = resolver.resolve(dotted, module.syntax) if dotted is not None else None
        return found.node if found is not None else None

    uses = UseAnalysis(callee).uses(function)
    for name, use in uses.items():
        use.integer = use.integer if use.dims else name in integers
    values = LocalValues(function)
    values.bound = {**module.syntax.assigned, **values.bound}
    return ValueKinds(values, uses, lambda _: None)
