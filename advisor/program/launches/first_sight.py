"""What may be a kernel or a configured kernel at first sight, so that nothing else is evaluated.

Most calls launch nothing. To evaluate them all would parse every module that a file imports.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from advisor.program.effects.device_functions import Resolver
from advisor.program.launches.kernel_values import Configured, Operand, kernels_in
from advisor.program.launches.value_evaluation import Evaluation
from advisor.program.names.scope_bindings import Binding, scope_bindings
from advisor.program.names.workspace import KNOWN_LIBRARIES
from advisor.program.syntax.calls import last_name
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_DEPTH = 4
_BINDING = frozenset({ast.Assign, ast.NamedExpr, ast.For})
_CONFIGURES = frozenset({"configure", "forall", "partial"})


class FirstSight:
    """Looks at names and at how their values are written; only names of other modules are evaluated."""

    def __init__(self, module: ModuleSyntax, resolver: Resolver, evaluation: Evaluation) -> None:
        self._module, self._evaluation = module, evaluation
        self._declarations = resolver.declarations(module)
        self._imported: dict[str, bool] = {}

    @cached_property
    def _kernels(self) -> frozenset[str]:
        """The names of the module's kernels."""
        return frozenset(name for one in self._declarations for name in one.names)

    @cached_property
    def _factories(self) -> frozenset[str]:
        """The names of the functions and classes that define kernels."""
        own = [one.node for one in self._declarations if one.module is self._module]
        return frozenset(getattr(scope, "name", "") for one in own for scope in self._module.scopes(one))

    def is_configured(self, function: ast.expr) -> bool:
        """Whether what is called may be bound to a kernel with its configuration."""
        known = self._module.once(_configured_names, self._module.tree)
        if isinstance(function, ast.Attribute):
            return function.attr in known
        return isinstance(function, ast.Name) and function.id in known

    def gives_kernels(self, call: ast.Call) -> bool:
        """Whether an argument of a call may be a kernel, with its configuration or without."""
        given = [*call.args, *(one.value for one in call.keywords)]
        return any(self._may_be_kernel(one, _DEPTH) for one in given)

    def _may_be_kernel(self, node: ast.expr | None, depth: int) -> bool:
        if node is None or depth == 0:
            return False
        if isinstance(node, ast.Subscript):
            return self._may_be_kernel(node.value, depth - 1)
        if isinstance(node, ast.IfExp):
            return self._may_be_kernel(node.body, depth - 1) or self._may_be_kernel(node.orelse, depth - 1)
        if isinstance(node, ast.Tuple | ast.List):
            return any(self._may_be_kernel(one, depth - 1) for one in node.elts)
        if isinstance(node, ast.Call):
            names = {one.id for one in below(node.func) if isinstance(one, ast.Name)}
            names |= {one.attr for one in below(node.func) if isinstance(one, ast.Attribute)}
            return bool(names & (self._factories | self._kernels)) or "jit" in names
        return self._names_kernel(node, depth)

    def _names_kernel(self, node: ast.expr, depth: int) -> bool:
        last = (
            node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
        )
        if last is None:
            return False
        if last in self._kernels or self._is_imported_kernel(node):
            return True
        return isinstance(node, ast.Name) and any(
            self._may_be_kernel(one.node.iter if isinstance(one.node, ast.For) else one.value, depth - 1)
            for one in self._bindings(node)
        )

    def _is_imported_kernel(self, node: ast.expr) -> bool:
        """Whether a name that is imported from the workspace is a kernel there."""
        module = self._module
        root = node.value if isinstance(node, ast.Attribute) else node
        imported = module.imports.get(root.id) if isinstance(root, ast.Name) else None
        if imported is None or imported.module.partition(".")[0] in KNOWN_LIBRARIES:
            return False
        dotted = module.dotted(node) or ""
        if dotted not in self._imported:
            values = self._evaluation.of(Operand(node, module))
            configured = any(isinstance(one, Configured) for one in values)
            self._imported[dotted] = configured or bool(kernels_in(values))
        return self._imported[dotted]

    def _bindings(self, node: ast.Name) -> Iterator[Binding]:
        """What the innermost scope that binds a name binds it to."""
        for scope in [*self._module.scopes(node), None]:
            bindings = scope_bindings(self._module, scope).names.get(node.id)
            if bindings:
                yield from bindings
                return


def _configured_names(module: ModuleSyntax, _: ast.Module) -> frozenset[str]:
    """The names and attributes bound to what is written like a configured kernel, or to such a name."""
    bound: list[tuple[ast.expr, ast.expr]] = []
    for node in module.parents:
        if node.__class__ in _BINDING:
            value = node.iter if isinstance(node, ast.For) else getattr(node, "value", None)
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            bound += [(one, value) for one in targets if one is not None and value is not None]
    found: set[str] = set()
    for target, value in bound:
        if any(_configures(one) or last_name(one) in found for one in _alternatives(value)):
            found.update(name for one in below(target) if (name := last_name(one)))
    return frozenset(found)


def _alternatives(value: ast.expr) -> Iterator[ast.expr]:
    """An expression, what it chooses from, and what it holds."""
    waiting = [value]
    for one in waiting:
        yield one
        if isinstance(one, ast.IfExp):
            waiting += [one.body, one.orelse]
        elif isinstance(one, ast.BoolOp | ast.Dict):
            waiting += one.values
        elif isinstance(one, ast.Tuple | ast.List):
            waiting += one.elts


def _configures(node: ast.AST) -> bool:
    """Whether an expression has a configuration's brackets, or is a call that configures."""
    if isinstance(node, ast.Call):
        return last_name(node.func) in _CONFIGURES
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple | ast.Name | ast.Attribute)
