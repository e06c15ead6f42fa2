"""Expressions that stand for `cuda.jit`, and the calls that hand a function to it.

Aliases, options, partial calls and conditional expressions are followed, and so are functions and classes of
the workspace that hand one of their parameters to `cuda.jit` or return it.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from advisor.program.kernels.compiling_calls import (
    is_for_device,
    is_mapping,
    spelled_out,
    without_arguments,
    written_outside,
)
from advisor.program.kernels.function_values import arguments_given, enclosing_method, function_of, scopes_of
from advisor.program.names.earlier_numba import jit_with_gpu_target
from advisor.program.names.object_attributes import values_of_attribute
from advisor.program.names.scope_bindings import Binding, scope_bindings
from advisor.program.names.scope_names import parameter_defaults, parameter_names
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.calls import attribute_by_name, calls_by_last_name, last_name
from advisor.program.syntax.dynamic_imports import names_of_unknown_modules
from advisor.program.syntax.module import FunctionNode, ModuleSyntax, assignments
from advisor.program.syntax.tree_nodes import below, below_in_scope

Use: TypeAlias = tuple[str, int, int]
Runnable: TypeAlias = FunctionNode | ast.Lambda | ast.ClassDef

_JIT = frozenset(
    {"numba.cuda.jit", "numba.cuda.autojit", "numba_cuda.numba.cuda.jit", "numba_cuda_mlir.cuda.jit"}
)
_PARTIAL = frozenset({"functools.partial", "partial"})
# The names of the parameter of `cuda.jit`, and of what it returns, that may be a function.
_FUNCTION_KEYWORDS = ("func_or_sig", "func")
_DEPTH = 4
_MOST_BASES = 8
# Functions that are called more often do not choose their compiler.
_MOST_CALLS = 64


@dataclass(frozen=True, slots=True)
class Compiler:
    """What stands for `cuda.jit`: itself, or what hands it what it is given (`wrapped`).

    `calls` carry its options, the outer ones last; `uses` are the places (path, line, column) of `cuda.jit`
    that it comes from, `parameter` is the one that holds it in the function around, and one that
    `makes_another` gives a function of its own, which calls the one that it is given.
    """

    form: str
    calls: tuple[ast.Call, ...] = ()
    uses: frozenset[Use] = frozenset()
    parameter: str | None = None
    makes_another: bool = False


@dataclass(frozen=True, slots=True)
class Compilation:
    """A call that compiles a function: its expression, and what compiles it."""

    function: ast.expr
    by: Compiler


class Jit:
    """Recognises `cuda.jit` in the modules of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._handed: dict[ast.AST, dict[str, Compilation]] = {}
        self._given_to: dict[tuple[ast.AST, str], Compiler | None] = {}

    def decorator(self, node: ast.expr, module: ModuleSyntax, depth: int = _DEPTH) -> Compiler | None:
        """What compiles when `node` stands for `cuda.jit`, with or without options, else None."""
        dotted = module.dotted(node)
        if dotted is not None and self.workspace.library_name(dotted, module) in _JIT:
            return Compiler("decorator", (), frozenset({_place(node, module)}))
        if isinstance(node, ast.Call):
            if self._names_the_gpu(node, module):
                return Compiler("decorator", (spelled_out(node, module),), frozenset({_place(node, module)}))
            if last_name(node.func) == "staticmethod" and node.args:
                return self.decorator(node.args[0], module, depth)
            if module.dotted(node.func) in _PARTIAL and node.args:
                inner = self.decorator(node.args[0], module, depth)
                options = ast.copy_location(ast.Call(node.func, node.args[1:], node.keywords), node)
                return inner and replace(inner, calls=(*inner.calls, spelled_out(options, module)))
            inner = self.decorator(node.func, module, depth)
            return inner and replace(inner, calls=(*inner.calls, spelled_out(node, module)))
        if isinstance(node, ast.IfExp):
            return self.decorator(node.body, module, depth) or self.decorator(node.orelse, module, depth)
        if depth <= 0:
            return None
        if isinstance(node, ast.Attribute) and dotted is None:
            return self._attribute(node, module, depth)
        if dotted is None:
            return None
        if isinstance(node, ast.Name):
            bindings = _local_bindings(node, module)
            if bindings is not None:
                return self._bound(node.id, bindings, module, depth)
            return self._named(node.id, module, depth)
        found = self.workspace.member(dotted, module) if not dotted.startswith("self.") else None
        if found is not None:
            return self._named(found[1], found[0], depth - 1)
        method = function_of(node, module, self.workspace)
        if method is not None:
            return self._wrapper(method[1], method[0], depth - 1)
        return self._attribute(node, module, depth) if isinstance(node, ast.Attribute) else None

    def compilations(self, call: ast.Call, module: ModuleSyntax, depth: int = _DEPTH) -> list[Compilation]:
        """What a call compiles, should these arguments be functions; none for calls of anything else."""
        if is_mapping(call, module):
            item = ast.copy_location(
                ast.Subscript(call.args[1], ast.Constant(None), ast.Load()), call.args[1]
            )
            return self.compilations(
                ast.copy_location(ast.Call(call.args[0], [item], []), call), module, depth
            )
        by = self.decorator(call.func, module, depth)
        if by is not None and by.form == "decorator":
            return self._first_argument(call, by)
        if depth <= 0:
            return []
        runnable = self._runnable(call.func, module, depth)
        if runnable is None:
            return self._of_returned(call, module, depth)
        definition, home = runnable
        handed = self._handed_on(definition, home, depth - 1)
        given = arguments_given(_run_by(definition), call)
        found = []
        for name, inner in handed.items():
            uses, parameter = inner.by.uses, None
            if inner.by.parameter is not None:
                # Other calls may give something that compiles for the CPU.
                by = self._given(inner.by.parameter, _run_by(definition), home, call, module, depth - 1)
                if by is None:
                    continue
                uses, parameter = by.uses, by.parameter
            if name in given:
                calls = (*_options_of(inner, given), without_arguments(call))
                found.append(Compilation(given[name], Compiler("wrapped", calls, uses, parameter)))
        return found or self._of_returned(call, module, depth)

    def uses(self, module: ModuleSyntax) -> list[Use]:
        """The places of `cuda.jit` in a module that may make kernels, in order; device functions are none."""
        if "jit" not in module.source.text:
            return []
        names = {name for name, imported in module.imports.items() if "jit" in (imported.name, name)}
        names |= {"jit"} if module.star_imports else set()
        found = [
            _place(node, module)
            for node in module.parents
            if (isinstance(node, ast.Attribute) and node.attr == "jit")
            or (isinstance(node, ast.Call) and attribute_by_name(node) == "jit")
            or (isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load))
            if (self._is_jit(node, module) or _may_be_jit(node, module)) and not is_for_device(node, module)
        ]
        return sorted(found)

    def _names_the_gpu(self, call: ast.Call, module: ModuleSyntax) -> bool:
        dotted = module.dotted(call.func) if "target" in module.source.text else None
        return dotted is not None and jit_with_gpu_target(call, self.workspace.library_name(dotted, module))

    def _is_jit(self, node: ast.expr, module: ModuleSyntax) -> bool:
        dotted = module.dotted(node)
        return dotted is not None and self.workspace.library_name(dotted, module) in _JIT

    def _first_argument(self, call: ast.Call, by: Compiler) -> list[Compilation]:
        keywords = [one.value for one in call.keywords if one.arg in _FUNCTION_KEYWORDS]
        given = [*call.args[:1], *keywords]
        return [Compilation(given[0], replace(by, form="call", calls=(*by.calls, call)))] if given else []

    def _of_returned(self, call: ast.Call, module: ModuleSyntax, depth: int) -> list[Compilation]:
        """What `make(…)(f)` compiles where `make` returns `cuda.jit(…)`."""
        made = _followed(call.func, module)
        runnable = self._runnable(made.func, module, depth) if isinstance(made, ast.Call) else None
        if runnable is None or not isinstance(made, ast.Call):
            return []
        for value in _returned(runnable[0]):
            by = self.decorator(value, runnable[1], depth - 1)
            if by is not None and by.form == "decorator":
                given = arguments_given(_run_by(runnable[0]), made)
                options = [written_outside(one, given, None) for one in by.calls]
                return self._first_argument(call, Compiler("decorator", tuple(options), by.uses))
        return []

    def _bound(self, name: str, bindings: list[Binding], module: ModuleSyntax, depth: int) -> Compiler | None:
        """What compiles behind a local name."""
        for one in bindings:
            found = None
            if isinstance(one.node, ast.arguments):
                found = self._parameter(name, module.parents.get(one.node), module)
            elif one.definition is not None:
                found = self._wrapper(one.definition, module, depth)
            elif one.value is not None and one.part is None:
                found = self._of_value(one.value, module, depth)
            if found:
                return found
        return None

    def _parameter(self, name: str, function: ast.AST | None, module: ModuleSyntax) -> Compiler | None:
        """What compiles behind a parameter: what a call in the module gives it, else its default; for that of
        an `__init__`, whose object may be any, what all of them give.
        """
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) or not module.mentions("numba"):
            return None
        key = function, name
        if key not in self._given_to:
            self._given_to[key] = None
            owner = module.parents.get(function)
            makes = function.name == "__init__" and isinstance(owner, ast.ClassDef)
            called = owner.name if makes and isinstance(owner, ast.ClassDef) else function.name
            calls = module.once(calls_by_last_name, module.tree).get(called, [])[:_MOST_CALLS]
            found = [self._given(name, function, module, one, module, _DEPTH - 1) for one in calls]
            known = [one for one in found if one is not None]
            if not calls:
                known = [by for by in [self._default(name, function, module)] if by is not None]
            if known and (not makes or len(known) == len(found) or not calls):
                uses = frozenset(use for one in known for use in one.uses)
                self._given_to[key] = replace(known[0], uses=uses, parameter=name)
        return self._given_to[key]

    def _given(
        self,
        name: str,
        function: FunctionNode | ast.Lambda | None,
        home: ModuleSyntax,
        call: ast.Call,
        module: ModuleSyntax,
        depth: int,
    ) -> Compiler | None:
        """What compiles of what a call gives a parameter, or of what it leaves it."""
        given = arguments_given(function, call).get(name)
        if given is not None:
            return self.decorator(given, module, depth)
        return self._default(name, function, home)

    def _default(
        self, name: str, function: FunctionNode | ast.Lambda | None, home: ModuleSyntax
    ) -> Compiler | None:
        """What compiles of a parameter's default."""
        if function is None or isinstance(function, ast.Lambda):
            return None
        default = parameter_defaults(function).get(name)
        return None if default is None else self.decorator(default, home)

    def _attribute(self, node: ast.Attribute, module: ModuleSyntax, depth: int) -> Compiler | None:
        """What compiles behind an attribute of an object or of a class of the workspace."""
        if "jit" not in module.source.text or depth <= 0:
            return None
        owner = self._class_of(node.value, module, depth)
        for _ in range(_MOST_BASES):
            if owner is None:
                return None
            definition, home = owner
            values = [value for _, value in values_of_attribute(home, definition, node.attr)]
            values += assignments(definition.body).get(node.attr, [])
            for value in values:
                found = self._of_value(value, home, depth)
                if found is not None:
                    return replace(found, parameter=None)
            bases = (
                [self._runnable(one, home, depth - 1) for one in definition.bases[:1]] if not values else []
            )
            owner = next(((c, m) for c, m in filter(None, bases) if isinstance(c, ast.ClassDef)), None)
        return None

    def _class_of(
        self, node: ast.expr, module: ModuleSyntax, depth: int
    ) -> tuple[ast.ClassDef, ModuleSyntax] | None:
        """The class that an expression is, or of which it is an object."""
        if depth <= 0:
            return None
        if isinstance(node, ast.Name) and node.id in ("self", "cls"):
            around = module.class_around(node)
            return None if around is None else (around, module)
        node = _followed(node, module)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            around = module.class_around(node)
            values = [] if around is None else values_of_attribute(module, around, node.attr)
            return self._class_of(values[0][1], module, depth - 1) if len(values) == 1 else None
        found = self._runnable(node.func if isinstance(node, ast.Call) else node, module, depth - 1)
        if found is None or not isinstance(found[0], ast.ClassDef):
            return None
        return found[0], found[1]

    def _named(self, name: str, module: ModuleSyntax, depth: int) -> Compiler | None:
        """What compiles behind a name of a module."""
        for value in module.assigned.get(name, ()):
            found = self._of_value(value, module, depth)
            if found:
                return found
        definition = module.top_level.get(name)
        if definition is not None:
            return self._wrapper(definition, module, depth)
        place = self.workspace.definition(name, module)
        if place is None or depth <= 0 or (place[0] is module and place[1] == name):
            return None
        return self._named(place[1], place[0], depth - 1)

    def _of_value(self, value: ast.expr, module: ModuleSyntax, depth: int) -> Compiler | None:
        if isinstance(value, ast.Lambda):
            return self._wrapper(value, module, depth)
        if depth <= 0 or not isinstance(value, ast.Call | ast.Name | ast.Attribute | ast.IfExp):
            return None
        if isinstance(value, ast.Call) and self._compiles_a_function(value, module, depth):
            # `cuda.jit` already applied to a function is a kernel, and no decorator.
            return None
        return self.decorator(value, module, depth - 1)

    def _compiles_a_function(self, call: ast.Call, module: ModuleSyntax, depth: int) -> bool:
        return any(
            function_of(one.function, module, self.workspace) is not None
            for one in self.compilations(call, module, depth - 1)
        )

    def _wrapper(self, definition: Runnable, module: ModuleSyntax, depth: int) -> Compiler | None:
        """What compiles when a definition serves as a decorator, with or without options."""
        made = list(self._made_by(definition, module, depth))
        if made:
            one = functools.reduce(_either, made)
            return Compiler("wrapped", _options_of(one, {}), one.by.uses)
        for value in _returned(definition):
            by = self.decorator(value, module, depth - 1) if depth > 0 else None
            if by is not None:
                calls = tuple(written_outside(one, {}, None) for one in by.calls)
                return Compiler("wrapped", calls, by.uses, makes_another=by.makes_another)
        if isinstance(definition, ast.Lambda) or not _receives_function(definition):
            return None
        uses = frozenset(
            _place(call.func, module)
            for call in module.inside(definition, ast.Call)
            if self._is_jit(call.func, module)
        )
        return Compiler("wrapped", (), uses, makes_another=True) if uses else None

    def _made_by(self, definition: Runnable, module: ModuleSyntax, depth: int) -> Iterator[Compilation]:
        """What a definition compiles of its parameter, or the function that it returns of its own."""
        yield from self._handed_on(definition, module, depth).values()
        for value in _returned(definition):
            inner = _function_inside(value, definition, module)
            if inner is not None:
                yield from self._handed_on(inner, module, depth).values()

    def _runnable(
        self, node: ast.expr, module: ModuleSyntax, depth: int
    ) -> tuple[Runnable, ModuleSyntax] | None:
        """The function or class of the workspace that a call of `node` runs, with its module."""
        node = _followed(node, module)
        if isinstance(node, ast.Lambda):
            return node, module
        if isinstance(node, ast.Call):
            outer = self._runnable(node.func, module, depth - 1) if depth > 0 else None
            if outer is None:
                return None
            inner = (_function_inside(value, *outer) for value in _returned(outer[0]))
            found = next((one for one in inner if one is not None), None)
            return None if found is None else (found, outer[1])
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        function = function_of(node, module, self.workspace) or enclosing_method(node, module)
        if function is not None:
            return function[1], function[0]
        dotted = module.dotted(node)
        place = self.workspace.member(dotted, module) if dotted else None
        found_class = place[0].top_level.get(place[1]) if place else None
        return (found_class, place[0]) if place and isinstance(found_class, ast.ClassDef) else None

    def _handed_on(self, definition: Runnable, module: ModuleSyntax, depth: int) -> dict[str, Compilation]:
        """The parameters of a definition that it hands to `cuda.jit`, each with how."""
        if definition in self._handed:
            return self._handed[definition]
        found = self._handed[definition] = {}
        function = _run_by(definition)
        if function is None or depth <= 0 or "jit" not in module.source.text:
            return found
        own = parameter_names(function)
        for call in module.inside(function, ast.Call):
            given = [*call.args, *(one.value for one in call.keywords)]
            if any(isinstance(one, ast.Name) and one.id in own for one in given):
                for one in self.compilations(call, module, depth):
                    if isinstance(one.function, ast.Name) and _is_parameter(one.function, function, module):
                        known = found.get(one.function.id)
                        found[one.function.id] = one if known is None else _either(known, one)
        return found


def _may_be_jit(node: ast.expr, module: ModuleSyntax) -> bool:
    """Whether the `jit` of a module that a call imports may be that of Numba, for all that is known."""
    base = node.value if isinstance(node, ast.Attribute) else None
    if not isinstance(base, ast.Name) or not module.mentions("numba"):
        return False
    return base.id in module.once(names_of_unknown_modules, module.tree)


def _place(node: ast.expr, module: ModuleSyntax) -> Use:
    return module.path, node.lineno, node.col_offset


def _local_bindings(node: ast.Name, module: ModuleSyntax) -> list[Binding] | None:
    """The bindings of a name in the innermost scope around it that binds it, None for the module's names."""
    for scope in scopes_of(node, module):
        known = scope_bindings(module, scope)
        if node.id in known.of_module:
            return None
        bindings = known.names.get(node.id)
        if bindings and bindings[0].imported is None:
            return bindings
    return None


def _followed(node: ast.expr, module: ModuleSyntax) -> ast.expr:
    """The one value that a name is bound to, where that is a call or a lambda; else the node itself."""
    if not isinstance(node, ast.Name):
        return node
    bindings = _local_bindings(node, module)
    values = module.assigned.get(node.id, []) if bindings is None else [one.value for one in bindings]
    value = values[0] if len(values) == 1 else None
    return value if isinstance(value, ast.Call | ast.Lambda) else node


def _run_by(definition: Runnable) -> FunctionNode | ast.Lambda | None:
    """The function that a call of a definition runs: of a class its `__init__`."""
    if not isinstance(definition, ast.ClassDef):
        return definition
    methods = (one for one in definition.body if isinstance(one, ast.FunctionDef))
    return next((one for one in methods if one.name == "__init__"), None)


def _returned(definition: Runnable) -> list[ast.expr]:
    if isinstance(definition, ast.ClassDef):
        return []
    if isinstance(definition, ast.Lambda):
        return [definition.body]
    return [one.value for one in below_in_scope(definition) if isinstance(one, ast.Return) and one.value]


def _function_inside(
    value: ast.expr, definition: Runnable, module: ModuleSyntax
) -> FunctionNode | ast.Lambda | None:
    """The function that a definition defines itself and returns."""
    if isinstance(value, ast.Lambda):
        return value
    if not isinstance(value, ast.Name):
        return None
    own = [one for one in module.functions_by_name.get(value.id, ()) if module.scope_of(one) is definition]
    return own[-1] if own else None


def _is_parameter(name: ast.Name, function: FunctionNode | ast.Lambda, module: ModuleSyntax) -> bool:
    """Whether a name inside of a function means a parameter of it that is bound to nothing else."""
    for scope in scopes_of(name, module):
        bindings = scope_bindings(module, scope).names.get(name.id)
        if bindings and not isinstance(scope, ast.ClassDef):
            return scope is function and len(bindings) == 1
    return False


def _either(one: Compilation, other: Compilation) -> Compilation:
    """Either of two ways to compile a function: no option is certain, but that it may be for the device."""
    calls = (*one.by.calls, *other.by.calls)
    device = [
        ast.copy_location(ast.Call(call.func, [], [keyword]), call)
        for call in calls
        for keyword in call.keywords
        if keyword.arg == "device" and isinstance(keyword.value, ast.Constant) and keyword.value.value
    ]
    uses = one.by.uses | other.by.uses
    return replace(one, by=replace(one.by, calls=tuple(device[:1]), uses=uses))


def _options_of(inner: Compilation, given: Mapping[str, ast.expr]) -> tuple[ast.Call, ...]:
    return tuple(written_outside(one, given, inner.function) for one in inner.by.calls)


def _receives_function(definition: FunctionNode | ast.ClassDef) -> bool:
    """Whether a definition is likely to be a decorator: it hands on what it gets, or its own function."""
    if isinstance(definition, ast.ClassDef):
        names = {item.name for item in definition.body if isinstance(item, ast.FunctionDef)}
        return bool(names & {"__call__", "__getitem__"})
    arguments = {argument.arg for argument in definition.args.args}
    nested = [one for one in below(definition) if isinstance(one, ast.FunctionDef) and one is not definition]
    inner = {one.name for one in nested}
    for node in below(definition):
        if isinstance(node, ast.Call):
            handed = {argument.id for argument in node.args if isinstance(argument, ast.Name)}
            if handed & arguments or handed & inner:
                return bool(handed & arguments) or len(nested) > 0
    return False
