"""The kernel that a launch means: its name is looked up as Python does, through the scopes around it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress

from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.declarations import Declaration
from advisor.program.kernels.function_values import function_of
from advisor.program.names.object_attributes import values_of_attribute
from advisor.program.names.scope_bindings import Binding, Definition, reaching, scope_bindings
from advisor.program.syntax.module import Import, ModuleSyntax, Scope
from advisor.program.syntax.tree_nodes import below_in_scope

# Names may stand for names, and factories may call factories; longer chains are not followed.
_DEPTH = 12


class _Unknown(Exception):
    """What stands there is not known, or one of several kernels."""


class _Otherwise(_Unknown):
    """What a name stands for is something else than a kernel of that name."""


class _NoKernel(_Otherwise):
    """What stands there is known not to be a kernel, so that no launch means it."""


def launched_kernel(
    target: ast.expr, module: ModuleSyntax, resolver: Resolver
) -> tuple[Declaration | None, bool]:
    """The declaration that a launch's `target` (a name or an attribute) stands for, and whether without one
    the target is known to be no kernel of that name.

    The declaration is None where it is not known, or not the same on every way to the launch.
    """
    try:
        return _Targets(resolver).of_expression(target, module, _DEPTH), False
    except _Unknown as unknown:
        return None, isinstance(unknown, _Otherwise)


class _Targets:
    """Follows expressions to the one declaration that they stand for, or raises _Unknown."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver, self.workspace = resolver, resolver.workspace
        # What is being asked for counts as unknown: a name may be bound to itself.
        self._known: dict[tuple[int, int | None], Declaration | _Unknown] = {}

    def of_expression(
        self, node: ast.expr, module: ModuleSyntax, depth: int, part: int | None = None
    ) -> Declaration:
        if depth <= 0:
            raise _Unknown
        key = (id(node), part)
        if key not in self._known:
            self._known[key] = _Otherwise()
            try:
                self._known[key] = self._of_expression(node, module, depth, part)
            except _Unknown as unknown:
                self._known[key] = unknown
        found = self._known[key]
        if isinstance(found, _Unknown):
            raise found
        return found

    def _of_expression(
        self, node: ast.expr, module: ModuleSyntax, depth: int, part: int | None
    ) -> Declaration:
        if part is not None:
            return self._of_call(node, module, depth - 1, part)
        if isinstance(node, ast.Name):
            return self._of_name(node, module, depth - 1)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node, module, depth - 1)
        if isinstance(node, ast.Call):
            return self._of_call(node, module, depth - 1, None)
        if isinstance(node, ast.Subscript):
            return self._of_item(node, module, depth - 1)
        if isinstance(node, ast.IfExp):
            return _one([self.of_expression(one, module, depth - 1) for one in (node.body, node.orelse)])
        raise _Unknown

    def _of_name(self, node: ast.Name, module: ModuleSyntax, depth: int) -> Declaration:
        scopes: list[Scope | None] = [*module.scopes(node), None]
        for number, scope in enumerate(scopes):
            if number and isinstance(scope, ast.ClassDef):
                continue
            known = scope_bindings(module, scope)
            if node.id in known.of_module:
                return self._in_module(node.id, module, None, depth)
            if node.id in known.of_outer or scope is None or node.id not in known.names:
                continue
            try:
                return self._bound(node.id, module, scope, node if number == 0 else None, depth)
            except _Unknown:
                self._not_of(node.id, module)
                raise
        return self._in_module(node.id, module, node if scopes[0] is None else None, depth)

    def _bound(
        self, name: str, module: ModuleSyntax, scope: Scope | None, at: ast.AST | None, depth: int
    ) -> Declaration:
        if isinstance(scope, ast.Lambda):
            raise _Otherwise
        live = reaching(module, scope, name, at)
        found = []
        for one in live:
            with suppress(_NoKernel):
                found.append(self._of_binding(one, module, depth))
        if not found:
            raise _NoKernel
        return _one(found)

    def _of_binding(self, binding: Binding, module: ModuleSyntax, depth: int) -> Declaration:
        if binding.imported is not None:
            return self._imported(binding.imported, module, depth - 1)
        if binding.definition is not None:
            return self._declared(binding.definition, module)
        if isinstance(binding.value, ast.Constant):
            raise _NoKernel
        if binding.value is None:
            raise _Otherwise
        return self.of_expression(binding.value, module, depth, binding.part)

    def _declared(self, definition: Definition, module: ModuleSyntax) -> Declaration:
        declaration = self.resolver.declaration_of(definition, module)
        if declaration is None:
            raise _NoKernel
        return declaration

    def _in_module(self, name: str, module: ModuleSyntax, at: ast.AST | None, depth: int) -> Declaration:
        """What a name means at a node of the module's own, or for None once all of it has run."""
        bindings = scope_bindings(module, None).names.get(name, [])
        if depth <= 0 or name in module.rebound:
            raise _Unknown
        # Of a name that is only imported the workspace knows more: re-exports, and what is no function.
        if any(one.imported is None for one in bindings):
            return self._bound(name, module, None, at, depth)
        place = self.workspace.definition(name, module)
        if place is None or (place[0] is module and place[1] == name):
            if bindings:
                self._not_of(name, module)
            raise _Unknown
        return self._in_module(place[1], place[0], None, depth - 1)

    def _imported(self, imported: Import, module: ModuleSyntax, depth: int) -> Declaration:
        target = self.workspace.find(imported, module)
        if target is not None and imported.name is not None:
            return self._in_module(imported.name, target, None, depth)
        self._not_of(imported.name or "", module)
        raise _Unknown

    def _not_of(self, name: str, module: ModuleSyntax) -> None:
        """Nothing; raises _Otherwise where the module has a kernel of this name, which is then not meant."""
        own = self.resolver.declarations(module)
        if any(name in one.names and module.scope_of(one.node) is None for one in own):
            raise _Otherwise

    def _of_attribute(self, node: ast.Attribute, module: ModuleSyntax, depth: int) -> Declaration:
        dotted = module.dotted(node)
        place = self.workspace.member(dotted, module) if dotted else None
        if place is not None:
            return self._in_module(place[1], place[0], None, depth)
        root = node.value.id if isinstance(node.value, ast.Name) else None
        if root in module.imports:
            self._not_of(node.attr, module)
            raise _Unknown
        owner = next((one for one in module.scopes(node) if isinstance(one, ast.ClassDef)), None)
        if root in ("self", "cls") and owner is not None:
            given = values_of_attribute(module, owner, node.attr)
            if given:
                return _one([self._given(value, module, depth) for _, value in given])
        return self._called(node.attr, owner if root in ("self", "cls") else root, module)

    def _given(self, value: ast.expr, module: ModuleSyntax, depth: int) -> Declaration:
        """What a method gives an attribute; a part of a tuple is written as its element."""
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
            number = value.slice.value
            if isinstance(value.value, ast.Tuple) and isinstance(number, int):
                return self.of_expression(value.value.elts[number], module, depth)
            return self.of_expression(value.value, module, depth, number if isinstance(number, int) else None)
        return self.of_expression(value, module, depth)

    def _of_item(self, node: ast.Subscript, module: ModuleSyntax, depth: int) -> Declaration:
        """The kernel that a list or a dictionary holds at a literal place, or at every place."""
        holder, wanted = node.value, node.slice
        held: list[tuple[ast.expr | None, ast.expr]] = []
        for value in self._containers(holder, module):
            if isinstance(value, ast.Dict):
                held += zip(value.keys, value.values, strict=True)
            elif isinstance(value, ast.Tuple | ast.List):
                held += [(ast.Constant(number), one) for number, one in enumerate(value.elts)]
            else:
                raise _Unknown
        written = ast.unparse(holder)
        for statement in module.inside(module.tree, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Subscript) and ast.unparse(target.value) == written:
                    held.append((target.slice, statement.value))
        if isinstance(wanted, ast.Constant):
            fixed = [
                value for key, value in held if isinstance(key, ast.Constant) and key.value == wanted.value
            ]
            held = [(None, value) for value in fixed] or held
        return _one([self.of_expression(value, module, depth) for _, value in held])

    def _containers(self, holder: ast.expr, module: ModuleSyntax) -> list[ast.expr]:
        """What a name or an attribute of `self` is bound to, an empty dictionary for one filled by a call."""
        if isinstance(holder, ast.Name):
            for scope in [*module.scopes(holder), None]:
                bindings = scope_bindings(module, scope).names.get(holder.id)
                if bindings:
                    if any(one.value is None or one.part is not None for one in bindings):
                        raise _Unknown
                    return [one.value for one in bindings if one.value is not None]
        owner = next((one for one in module.scopes(holder) if isinstance(one, ast.ClassDef)), None)
        if isinstance(holder, ast.Attribute) and owner is not None:
            given = values_of_attribute(module, owner, holder.attr)
            if given and isinstance(holder.value, ast.Name) and holder.value.id == "self":
                return [value for _, value in given]
        raise _Unknown

    def _called(self, name: str, owner: ast.ClassDef | str | None, module: ModuleSyntax) -> Declaration:
        """The declaration of an object's attribute: that of the class, else the only one of this name."""
        found = [one for one in self.resolver.declarations(module) if name in one.names]
        for declaration in found:
            scope = module.scope_of(declaration.node)
            if isinstance(scope, ast.ClassDef) and owner in (scope, scope.name):
                return declaration
        return _one(found)

    def _of_call(self, node: ast.expr, module: ModuleSyntax, depth: int, part: int | None) -> Declaration:
        if not isinstance(node, ast.Call):
            raise _Unknown
        if part is None:
            declaration = self.resolver.compiled_by(node, module)
            if declaration is not None:
                return declaration
            given = function_of(node.args[0], module, self.workspace) if node.args else None
            if given is not None:
                with suppress(_Unknown):
                    return self._declared(given[1], given[0])
        try:
            return self._made(node, module, depth, part)
        except _Unknown:
            # A wrapper that is not known hands on the kernel that it is given.
            if part is None and node.args and isinstance(node.args[0], ast.Name):
                return self.of_expression(node.args[0], module, depth)
            raise

    def _made(self, node: ast.Call, module: ModuleSyntax, depth: int, part: int | None) -> Declaration:
        """The kernel that a function of the workspace returns."""
        function, home = self._function(node.func, module)
        results = [one.value for one in below_in_scope(function) if isinstance(one, ast.Return) and one.value]
        return _one([self._returned(one, home, depth, part) for one in results])

    def _returned(self, value: ast.expr, module: ModuleSyntax, depth: int, part: int | None) -> Declaration:
        if part is not None and isinstance(value, ast.Tuple):
            if part >= len(value.elts):
                raise _Unknown
            return self.of_expression(value.elts[part], module, depth)
        return self.of_expression(value, module, depth, part)

    def _function(self, node: ast.expr, module: ModuleSyntax) -> tuple[ast.FunctionDef, ModuleSyntax]:
        """The function of the workspace that a call runs, with its module."""
        dotted = module.dotted(node) or ""
        if isinstance(node, ast.Name):
            scopes = [one for one in module.scopes(node) if not isinstance(one, ast.ClassDef)]
            here = [bound for one in scopes if (bound := scope_bindings(module, one).names.get(node.id))]
            if here:
                return _defined(here[0]), module
        if dotted.startswith(("self.", "cls.")):
            owner = next((one for one in module.scopes(node) if isinstance(one, ast.ClassDef)), None)
            methods = scope_bindings(module, owner).names if owner is not None else {}
            return _defined(methods.get(dotted.partition(".")[2], [])), module
        place = self.workspace.member(dotted, module) if dotted else None
        found = place[0].top_level.get(place[1]) if place else None
        if place is None or not isinstance(found, ast.FunctionDef):
            raise _Unknown
        return found, place[0]


def _defined(bindings: Sequence[Binding]) -> ast.FunctionDef:
    """The function that the last binding of a name defines."""
    last = bindings[-1].definition if bindings else None
    if not isinstance(last, ast.FunctionDef):
        raise _Unknown
    return last


def _one(found: Sequence[Declaration]) -> Declaration:
    """The one declaration of several, where all are the same; raises _Unknown for others."""
    if not found:
        raise _Unknown
    if any(one is not found[0] for one in found):
        raise _Otherwise
    return found[0]
