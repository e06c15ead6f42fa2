"""The calls of a module that launch kernels: configured there, under a name, or in a helper's body."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.kernel_values import (
    Configuration,
    Configured,
    Function,
    Operand,
    Values,
    is_open,
    kernels_in,
)
from advisor.program.launches.value_evaluation import Evaluation
from advisor.program.names.scope_bindings import Binding, scope_bindings, values_at
from advisor.program.names.scope_names import parameter_names
from advisor.program.names.workspace import KNOWN_LIBRARIES
from advisor.program.syntax.calls import last_name
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below

# Helpers that call helpers are followed so far.
_HELPERS = 3
_BUILTINS = frozenset(dir(builtins))
_DEPTH = 4
_BINDING = frozenset({ast.Assign, ast.NamedExpr, ast.For})
_CONFIGURES = frozenset({"configure", "forall", "partial"})


@dataclass(frozen=True)
class ConfiguredCall:
    """A call that launches: the kernels that it may launch, their expression, and how they are configured.

    `is_all` tells whether there are no others, `otherwise` whether an unknown kernel is known to be none of
    the name that stands there, and `in_place` whether the call itself gives all arguments.
    """

    call: ast.Call
    target: Operand
    kernels: tuple[Declaration, ...]
    is_all: bool
    otherwise: bool
    configuration: Configuration
    arguments: tuple[Operand, ...]
    in_place: bool = True
    in_helper: bool = False

    @property
    def kernel(self) -> Declaration | None:
        """The one kernel that it launches, None where that is not known."""
        return self.kernels[0] if self.is_all and len(self.kernels) == 1 else None


class ConfiguredCalls:
    """Finds the calls of one module that launch."""

    def __init__(self, module: ModuleSyntax, resolver: Resolver) -> None:
        self.module = module
        self.evaluation = Evaluation(module, resolver)
        self.sight = FirstSight(module, resolver, self.evaluation)
        self._helpers: dict[tuple[str, ast.AST | None], list[Function]] = {}

    def all(self) -> Iterator[ConfiguredCall]:
        """The calls that launch or may launch a kernel, in order."""
        for call in self.module.calls:
            function = call.func
            if isinstance(function, ast.Subscript | ast.Call) or self.sight.is_configured(function):
                yield from self._of_values(call, self.evaluation.of(Operand(function, self.module)))
            if call.args and isinstance(function, ast.Name | ast.Attribute):
                yield from self._of_helpers(call, function)

    def _of_values(self, call: ast.Call, values: Values) -> Iterator[ConfiguredCall]:
        """What a call of values launches, once for each configuration."""
        found: dict[Configuration, list[Configured]] = {}
        for one in values:
            if isinstance(one, Configured):
                found.setdefault(one.configuration, []).append(one)
        is_all = len(found) == 1 and not is_open(values)
        written = [Operand(one, self.module) for one in call.args]
        own = tuple(inner for one in written for inner in self._unpacked(one))
        as_written = own == tuple(written)
        for configuration, same in found.items():
            kernels = tuple(one.kernel.declaration for one in same if one.kernel is not None)
            otherwise = any(one.otherwise for one in same) or bool(kernels)
            before = same[0].arguments
            yield ConfiguredCall(
                call,
                same[0].target,
                kernels,
                is_all,
                otherwise,
                configuration,
                (*before, *own),
                not before and as_written,
            )

    def _of_helpers(self, call: ast.Call, function: ast.Name | ast.Attribute) -> Iterator[ConfiguredCall]:
        """What functions that a call runs launch of what it gives them: each kernel once, as it is launched
        first. They often launch it again to measure it.
        """
        seen: set[int] = set()
        for helper in self._helper(call, function):
            for one in self._through(helper, call, Operand(call, self.module), _HELPERS):
                kernels = {id(kernel) for kernel in one.kernels}
                if not kernels <= seen:
                    seen |= kernels
                    yield one

    def _helper(self, call: ast.Call, function: ast.Name | ast.Attribute) -> list[Function]:
        """The functions of the workspace behind a callee that launch what they are given."""
        module = self.module
        last = function.id if isinstance(function, ast.Name) else function.attr
        if last in _BUILTINS:
            return []
        own = module.functions_by_name.get(last, ())
        if own and not any(self._launching(one, module) for one in own):
            return []
        if not own and not self._may_be_imported(function):
            return []
        if not self.sight.gives_kernels(call):
            return []
        key = ast.unparse(function), module.scope_of(function)
        if key not in self._helpers:
            values = self.evaluation.of(Operand(function, module))
            self._helpers[key] = [
                one
                for one in values
                if isinstance(one, Function) and self._launching(one.definition, one.module)
            ]
        return self._helpers[key]

    def _may_be_imported(self, function: ast.Name | ast.Attribute) -> bool:
        """Whether a callee may be a function of another module of the workspace."""
        module = self.module
        root = function if isinstance(function, ast.Name) else function.value
        if not isinstance(root, ast.Name):
            return False
        imported = module.imports.get(root.id)
        stars = module.star_imports if isinstance(function, ast.Name) else []
        imports = stars if imported is None else [imported]
        return any(
            one.module.partition(".")[0] not in KNOWN_LIBRARIES
            and self.evaluation.workspace.launches_anything(one, module)
            for one in imports
        )

    def _launching(self, definition: ast.AST, module: ModuleSyntax) -> list[ast.Call]:
        """The calls in a function that launch what it is given, or hand it on with all else."""
        return module.once(_launching, module.tree).get(definition, [])

    def _through(
        self, helper: Function, call: ast.Call, site: Operand, most: int
    ) -> Iterator[ConfiguredCall]:
        """What a helper launches when a call gives it kernels or configured kernels."""
        if not self._gives_kernels(site):
            return
        frame = self.evaluation.called(helper, site)
        if frame is None or most <= 0:
            return
        for inner in self._launching(helper.definition, helper.module):
            values = self.evaluation.of(Operand(inner.func, helper.module, frame))
            for one in values:
                if isinstance(one, Configured) and one.kernel is not None:
                    yield self._launched_there(one, inner, call, Operand(inner, helper.module, frame), values)
                elif isinstance(one, Function) and one.definition is not helper.definition:
                    further = Operand(inner, helper.module, frame)
                    yield from self._through(one, call, further, most - 1)

    def _launched_there(
        self, one: Configured, inner: ast.Call, call: ast.Call, at: Operand, values: Values
    ) -> ConfiguredCall:
        names = self.evaluation.names
        assert one.kernel is not None
        arguments: list[Operand] = list(one.arguments)
        for argument in inner.args:
            rest = None
            if isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Name):
                rest = names.rest(argument.value.id, at.frame)
            arguments += self._unpacked(replace(at, node=argument)) if rest is None else rest
        given = tuple(names.given(argument) for argument in arguments)
        is_all = len(values) == 1
        return ConfiguredCall(
            call, one.target, (one.kernel.declaration,), is_all, True, one.configuration, given, False, True
        )

    def _unpacked(self, argument: Operand) -> list[Operand]:
        """The arguments for which one stands: the items of a tuple that is written out, for `*items`."""
        if not isinstance(argument.node, ast.Starred):
            return [argument]
        held = self.evaluation.names.given(replace(argument, node=argument.node.value))
        if isinstance(held.node, ast.Name):
            values = values_at(held.module, held.node)
            if len(values) == 1 and values[0] is not None:
                held = replace(held, node=values[0])
        items = held.node.elts if isinstance(held.node, ast.Tuple) else []
        written_out = bool(items) and not any(isinstance(one, ast.Starred) for one in items)
        return [replace(held, node=one) for one in items] if written_out else [argument]

    def _gives_kernels(self, site: Operand) -> bool:
        """Whether an argument of a call may be a kernel, at first sight or once it is evaluated."""
        call = site.node
        assert isinstance(call, ast.Call)
        given = [*call.args, *(one.value for one in call.keywords)]
        for one in given:
            if isinstance(one, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.IfExp):
                values = self.evaluation.of(replace(site, node=one))
                if any(isinstance(value, Configured) for value in values) or kernels_in(values):
                    return True
        return False


def _launching(module: ModuleSyntax, _: ast.Module) -> dict[ast.AST, list[ast.Call]]:
    """For the functions of a module the calls whose callee is made of a parameter, or which hand one on as
    helpers do: with the starred rest of the arguments.
    """
    found: dict[ast.AST, list[ast.Call]] = {}
    for call in module.calls:
        name = _configured_name(call.func)
        called = name is not None and name not in module.functions_by_name and name not in module.imports
        starred = any(isinstance(one, ast.Starred) for one in call.args)
        if not called and not starred:
            continue
        for scope in module.scopes(call):
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                own = parameter_names(scope) - {"self", "cls"}
                if name in own or (starred and _hands_on(call, own)):
                    found.setdefault(scope, []).append(call)
    return found


def _hands_on(call: ast.Call, own: set[str]) -> bool:
    """Whether a call has a parameter and the starred rest of the arguments, as calls of helpers do."""
    names = any(isinstance(one, ast.Name) and one.id in own for one in call.args)
    starred = any(
        isinstance(one, ast.Starred) and isinstance(one.value, ast.Name) and one.value.id in own
        for one in call.args
    )
    return names and starred


def _configured_name(function: ast.expr) -> str | None:
    """The name that is configured or called, None for anything else."""
    if isinstance(function, ast.Subscript):
        function = function.value
    elif isinstance(function, ast.Call) and isinstance(function.func, ast.Attribute):
        function = function.func.value
    return function.id if isinstance(function, ast.Name) else None


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
    """The names and attributes bound to what is written like a configured kernel, to such a name, or to what
    a function gives that returns one.
    """
    bound: list[tuple[ast.expr, ast.expr]] = []
    giving: set[str] = set()
    for node in module.parents:
        if isinstance(node, ast.Return) and any(map(_configures, _alternatives(node.value))):
            giving.add(getattr(module.scope_of(node), "name", ""))
        if node.__class__ in _BINDING:
            value = node.iter if isinstance(node, ast.For) else getattr(node, "value", None)
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            bound += [(one, value) for one in targets if one is not None and value is not None]
    found: set[str] = set()
    for target, value in bound:
        if any(
            _configures(one)
            or last_name(one) in found
            or (isinstance(one, ast.Call) and last_name(one.func) in giving)
            for one in _alternatives(value)
        ):
            found.update(name for one in below(target) if (name := last_name(one)))
    return frozenset(found)


def _alternatives(value: ast.expr | None) -> Iterator[ast.expr]:
    """An expression, what it chooses from, and what it holds."""
    waiting = [] if value is None else [value]
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
