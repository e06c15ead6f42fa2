"""What names and attributes of host code stand for: looked up as Python does, through scopes and classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.program.kernels.declarations import Declaration
from advisor.program.kernels.functions_in_lists import place_in_target
from advisor.program.launches.kernel_values import (
    NOTHING,
    OTHERWISE,
    UNKNOWN,
    Class,
    Frame,
    Function,
    Items,
    Kernel,
    Module,
    Object,
    Operand,
    Other,
    Value,
    Values,
    is_open,
    joined,
)
from advisor.program.names.object_attributes import values_of_attribute
from advisor.program.names.scope_bindings import Binding, Definition, reaching, scope_bindings
from advisor.program.names.scope_names import parameter_defaults
from advisor.program.syntax.module import FunctionNode, Import, ModuleSyntax, Scope
from advisor.program.syntax.tree_nodes import dotted_root

if TYPE_CHECKING:
    from advisor.program.launches.value_evaluation import Evaluation

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_MOST_BASES = 8
# Modules may import a name from each other in a circle.
_MOST_IMPORTS = 8


class NamedValues:
    """The values of names and attributes, for the evaluation of expressions that they are part of."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._resolver, self._workspace = evaluation.resolver, evaluation.workspace

    def of_name(self, operand: Operand) -> Values:
        """What a name stands for where it is written."""
        node, module = operand.node, operand.module
        assert isinstance(node, ast.Name)
        of_comprehension = self._in_comprehension(node, operand)
        if of_comprehension is not None:
            return of_comprehension
        scopes: list[Scope | None] = [*module.scopes(node), None]
        for number, scope in enumerate(scopes):
            if number and isinstance(scope, ast.ClassDef):
                continue
            known = scope_bindings(module, scope)
            if node.id in known.of_module:
                return self._in_module(node.id, module, None)
            if node.id in known.of_outer or scope is None or node.id not in known.names:
                continue
            found = self._bound(node.id, scope, node if number == 0 else None, operand)
            return self._own(node.id, module, found)
        return self._in_module(node.id, module, node if scopes[0] is None else None)

    def of_attribute(self, operand: Operand) -> Values:
        """What an attribute stands for: a module's member, a class's or an object's."""
        node, module = operand.node, operand.module
        assert isinstance(node, ast.Attribute)
        return self.member(replace(operand, node=node.value), node.attr, module.dotted(node))

    def member(self, base: Operand, name: str, dotted: str | None = None) -> Values:
        """The member of what an expression stands for."""
        module = base.module
        root = dotted_root(base.node)
        imported = root is not None and root.id in module.imports
        if imported and dotted is None:
            head = module.dotted(base.node)
            dotted = f"{head}.{name}" if head else None
        place = self._workspace.member(dotted, module) if imported and dotted else None
        if place is not None:
            return self._in_module(place[1], place[0], None)
        values = self._evaluation.of(base)
        found = [self._member(one, name) for one in values]
        known = [one for each in found if each is not None for one in each]
        if known:
            return self._evaluation.holders.with_stores(
                tuple(dict.fromkeys(known)), f"{ast.unparse(base.node)}.{name}", base
            )
        if imported and is_open(values):
            return self._own(name, module, UNKNOWN)
        return self._called(name, root.id if root is not None else None, base)

    def made(self, of: Class, call: Operand) -> Object:
        """The object that a call of a class makes."""
        init = self.method(of, "__init__")
        if init is None:
            record = self._evaluation.records.type_of(of)
            return (
                Object(of) if record is None else replace(self._evaluation.records.made(record, call), of=of)
            )
        return Object(of, self._evaluation.called(replace(init, owner=Object(of)), call))

    def rest(self, name: str, frame: Frame | None) -> Sequence[Operand] | None:
        """What a frame gives `*name`, None where it has no such parameter."""
        while frame is not None:
            vararg = frame.function.args.vararg
            if vararg is not None and vararg.arg == name:
                return frame.rest
            frame = frame.outer
        return None

    def given(self, operand: Operand) -> Operand:
        """The expression that a call gave for a parameter that stands alone, else the expression itself."""
        while isinstance(operand.node, ast.Name):
            frame = _frame_of(operand.module.scope_of(operand.node), operand.frame)
            node = operand.node
            if frame is None or node.id not in _parameters(frame.function):
                break
            if len(scope_bindings(operand.module, frame.function).names.get(node.id, ())) != 1:
                break
            if node.id not in frame.given:
                break
            operand = frame.given[node.id]
        return operand

    def _own(self, name: str, module: ModuleSyntax, found: Values) -> Values:
        """Where the module has a kernel of a name that is unknown, that one is not meant."""
        if Other.UNKNOWN not in found:
            return found
        own = self._resolver.declarations(module)
        if any(name in one.names and module.scope_of(one.node) is None for one in own):
            return tuple(Other.OTHERWISE if one is Other.UNKNOWN else one for one in found)
        return found

    def _bound(self, name: str, scope: Scope | None, at: ast.AST | None, operand: Operand) -> Values:
        module = operand.module
        if isinstance(scope, ast.Lambda):
            return self._parameter(name, scope, operand)
        live = reaching(module, scope, name, at)
        return self._evaluation.holders.with_stores(self._of_bindings(name, live, operand), name, operand)

    def _of_bindings(self, name: str, bindings: Sequence[Binding], operand: Operand) -> Values:
        found = [self._of_binding(name, one, operand) for one in bindings]
        return tuple(dict.fromkeys(one for each in found for one in each)) or NOTHING

    def _of_binding(self, name: str, binding: Binding, operand: Operand) -> Values:
        module = operand.module
        if binding.imported is not None:
            return self._imported(binding.imported, module)
        function = module.parents.get(binding.node) if isinstance(binding.node, ast.arguments) else None
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            return self._parameter(name, function, operand)
        if binding.definition is not None:
            return (self._defined(binding.definition, module, operand.frame),)
        if isinstance(binding.node, ast.For | ast.AsyncFor):
            path = place_in_target(binding.node.target, name)
            elements = self._evaluation.holders.elements(replace(operand, node=binding.node.iter))
            return OTHERWISE if path is None else self._evaluation.holders.part(elements, path)
        if binding.value is None:
            return OTHERWISE
        values = self._evaluation.of(replace(operand, node=binding.value))
        return values if binding.part is None else self._evaluation.holders.part(values, (binding.part,))

    def _defined(self, definition: Definition, module: ModuleSyntax, frame: Frame | None) -> Value:
        """A kernel, a function or a class; a function for the GPU alone is what `cuda.jit` makes of it."""
        declaration = self._resolver.declaration_of(definition, module)
        if declaration is not None:
            return Kernel(definition, declaration)
        if isinstance(definition, ast.ClassDef):
            return Class(definition, module)
        around = module.scope_of(definition)
        return Function(definition, module, _frame_of(around, frame))

    def _parameter(self, name: str, scope: FunctionNode | ast.Lambda, operand: Operand) -> Values:
        """What a call gives a parameter: the one that led here, else those that make objects of the class."""
        frame = _frame_of(scope, operand.frame)
        if frame is not None:
            if name in frame.given:
                return self._evaluation.of(frame.given[name])
            if scope.args.vararg is not None and scope.args.vararg.arg == name:
                return (Items(tuple(enumerate(frame.rest))),)
        owner = operand.module.parents.get(scope)
        positional = [*scope.args.posonlyargs, *scope.args.args]
        if isinstance(owner, ast.ClassDef) and positional and positional[0].arg == name:
            known = Class(owner, operand.module)
            return (known,) if name == "cls" else (frame.owner if frame and frame.owner else Object(known),)
        if isinstance(owner, ast.ClassDef) and getattr(scope, "name", "") == "__init__":
            return self._given_to_class(name, owner, operand.module)
        default = None if isinstance(scope, ast.Lambda) else parameter_defaults(scope).get(name)
        if default is None:
            return OTHERWISE
        # Other calls may give something else.
        return tuple(dict.fromkeys([*self._evaluation.of(Operand(default, operand.module)), *OTHERWISE]))

    def _given_to_class(self, name: str, owner: ast.ClassDef, module: ModuleSyntax) -> Values:
        """What the module's calls of a class give a parameter of its `__init__`."""
        found: list[Value] = []
        for call in module.calls_by_name.get(owner.name, ()):
            made = self.made(Class(owner, module), Operand(call, module)).made
            given = made.given.get(name) if made else None
            found += self._evaluation.of(given) if given else OTHERWISE
        return tuple(dict.fromkeys(found)) or OTHERWISE

    def _in_module(
        self, name: str, module: ModuleSyntax, at: ast.AST | None, most: int = _MOST_IMPORTS
    ) -> Values:
        """What a name means at a node of the module's own, or for None once all of it has run."""
        bindings = scope_bindings(module, None).names.get(name, [])
        if most <= 0:
            return UNKNOWN
        here = Operand(ast.Name(name, ast.Load()), module)
        if name in module.bound_by_functions:
            bindings = [*bindings, *_bound_as_global(name, module)]
            return self._evaluation.holders.with_stores(self._of_bindings(name, bindings, here), name, here)
        # Of a name that is only imported the workspace knows more: re-exports, and what is no function.
        if any(one.imported is None for one in bindings):
            return self._bound(name, None, at, here)
        place = self._workspace.definition(name, module)
        if place is not None and not (place[0] is module and place[1] == name):
            return self._in_module(place[1], place[0], None, most - 1)
        imported = bindings[-1].imported if bindings else None
        if imported is not None:
            return self._imported(imported, module, most)
        return self._own(name, module, UNKNOWN) if bindings else UNKNOWN

    def module(self, dotted: str, module: ModuleSyntax) -> Values:
        """The module of the workspace with a dotted name, as a module imports it."""
        level = len(dotted) - len(dotted.lstrip("."))
        return self._imported(Import(dotted.lstrip("."), None, level), module)

    def _imported(self, imported: Import, module: ModuleSyntax, most: int = _MOST_IMPORTS) -> Values:
        target = self._workspace.find(imported, module)
        if target is not None and imported.name is not None:
            return self._in_module(imported.name, target, None, most - 1)
        if target is not None:
            return (Module(target, target.file),)
        return self._own(imported.name or "", module, UNKNOWN)

    def _member(self, value: Value, name: str) -> Values | None:
        """A member by its name, None where it has none that is seen."""
        if isinstance(value, Module):
            return self._in_module(name, value.syntax, None)
        if isinstance(value, Class | Object):
            return self._of_object(value, name)
        if isinstance(value, Kernel) and name == "py_func":
            return NOTHING
        return None

    def _of_object(self, value: Object | Class, name: str) -> Values | None:
        """A field of an object, else what its class has; with what statements elsewhere assign to it."""
        records = self._evaluation.records
        owner = Object(value) if isinstance(value, Class) else value
        found = None if isinstance(value, Class) else records.field(value, name)
        if owner.of is not None:
            given = self._of_class(owner.of, name, owner, only_methods=found is not None)
            found = given if found is None else joined([found, given or ()])
        return None if found is None else joined([found, records.assigned_elsewhere(owner, name)])

    def _of_class(self, of: Class, name: str, owner: Object, *, only_methods: bool = False) -> Values | None:
        """What methods assign to an attribute, else what the class or one of its bases binds it to."""
        for one in self.with_bases(of):
            given = values_of_attribute(one.module, one.definition, name)
            if given:
                frame = owner.made
                return joined(
                    self._evaluation.of(
                        Operand(value, one.module, frame if frame and frame.function is method else None)
                    )
                    for method, value in given
                )
            if only_methods:
                continue
            bindings = scope_bindings(one.module, one.definition).names.get(name)
            if bindings:
                return self._of_class_binding(name, bindings[-1], one, owner)
        return None

    def _of_class_binding(self, name: str, binding: Binding, of: Class, owner: Object) -> Values:
        base = Operand(ast.Name(name, ast.Load()), of.module)
        if not isinstance(binding.definition, ast.FunctionDef):
            return self._of_binding(name, binding, base)
        value = self._defined(binding.definition, of.module, None)
        if not isinstance(value, Function):
            return (value,)
        decorators = {_last(one) for one in binding.definition.decorator_list}
        if "staticmethod" in decorators:
            return (value,)
        method = replace(value, owner=owner)
        if decorators & {"property", "cached_property"}:
            frame = Frame(binding.definition, {}, (), owner, None, 1)
            return self._evaluation.results(method, frame)
        return (method,)

    def method(self, of: Class, name: str) -> Function | None:
        """The method of a class or of one of its bases."""
        for one in self.with_bases(of):
            for binding in scope_bindings(one.module, one.definition).names.get(name, ()):
                if isinstance(binding.definition, ast.FunctionDef):
                    return Function(binding.definition, one.module)
        return None

    def with_bases(self, of: Class) -> Iterator[Class]:
        """A class and the classes of the workspace that it inherits from."""
        waiting, seen = [of], 0
        while waiting and seen < _MOST_BASES:
            one = waiting.pop(0)
            seen += 1
            yield one
            for base in one.definition.bases:
                if isinstance(base, ast.Name | ast.Attribute):
                    found = self._evaluation.of(Operand(base, one.module))
                    waiting += [each for each in found if isinstance(each, Class)]

    def _called(self, name: str, root: str | None, base: Operand) -> Values:
        """The kernel of an unknown object's attribute: that of the class of this name, else the only one."""
        module = base.module
        owner = module.class_around(base.node)
        found = [one for one in self._resolver.declarations(module) if name in one.names]
        for declaration in found:
            scope = module.scope_of(declaration.node)
            if isinstance(scope, ast.ClassDef) and (scope is owner if root == "self" else scope.name == root):
                return (Kernel(declaration.node, declaration),)
        return _only(found)

    def _in_comprehension(self, node: ast.Name, operand: Operand) -> Values | None:
        """What a comprehension around a name gives it, None where none does."""
        inner: ast.AST = node
        parent = operand.module.parents.get(node)
        while isinstance(parent, ast.expr | ast.comprehension | ast.keyword) and not isinstance(
            parent, ast.Lambda
        ):
            if isinstance(parent, _COMPREHENSIONS):
                for one in parent.generators:
                    path = place_in_target(one.target, node.id)
                    if path is not None and one is not inner:
                        elements = self._evaluation.holders.elements(replace(operand, node=one.iter))
                        return self._evaluation.holders.part(elements, path)
            inner, parent = parent, operand.module.parents.get(parent)
        return None


def _bound_as_global(name: str, module: ModuleSyntax) -> list[Binding]:
    """What functions bind to a name of the module that they declare as `global`."""
    known = (scope_bindings(module, one) for one in module.functions)
    return [binding for one in known if name in one.of_module for binding in one.names.get(name, ())]


def _frame_of(scope: ast.AST | None, frame: Frame | None) -> Frame | None:
    """The frame of a function among one and those around it."""
    while frame is not None and frame.function is not scope:
        frame = frame.outer
    return frame


def _parameters(function: FunctionNode | ast.Lambda) -> set[str]:
    arguments = function.args
    return {one.arg for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}


def _last(decorator: ast.expr) -> str:
    return decorator.id if isinstance(decorator, ast.Name) else getattr(decorator, "attr", "")


def _only(found: Sequence[Declaration]) -> Values:
    if not found:
        return UNKNOWN
    if any(one is not found[0] for one in found):
        return OTHERWISE
    return (Kernel(found[0].node, found[0]),)
