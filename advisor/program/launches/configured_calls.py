"""The calls of a module that launch kernels: configured there, under a name, or in a helper's body."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, replace

from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.first_sight import FirstSight
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
from advisor.program.names.scope_names import parameter_names
from advisor.program.names.workspace import KNOWN_LIBRARIES
from advisor.program.syntax.module import ModuleSyntax

# Helpers that call helpers are followed so far.
_HELPERS = 3
_BUILTINS = frozenset(dir(builtins))


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
        own = tuple(Operand(one, self.module) for one in call.args)
        for configuration, same in found.items():
            kernels = tuple(one.kernel.declaration for one in same if one.kernel is not None)
            otherwise = any(one.otherwise for one in same) or bool(kernels)
            before = same[0].arguments
            yield ConfiguredCall(
                call, same[0].target, kernels, is_all, otherwise, configuration, (*before, *own), not before
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
            arguments += [replace(at, node=argument)] if rest is None else rest
        given = tuple(names.given(argument) for argument in arguments)
        is_all = len(values) == 1
        return ConfiguredCall(
            call, one.target, (one.kernel.declaration,), is_all, True, one.configuration, given, False, True
        )

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
