"""Which kernels, configured kernels, factories or holders of them an expression of host code may stand for.

Names, attributes and calls are followed through scopes, modules, classes and functions; nothing is run. What
an expression may stand for is a tuple of values, with UNKNOWN or OTHERWISE among them where that is not all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.jit_expressions import Jit
from advisor.program.launches.held_items import Holders, literal_key
from advisor.program.launches.kernel_values import (
    NOTHING,
    OTHERWISE,
    PARTS,
    UNKNOWN,
    Class,
    Configuration,
    Configured,
    Frame,
    Function,
    Held,
    Items,
    Kernel,
    Object,
    Operand,
    Other,
    RecordType,
    Value,
    Values,
    is_open,
    joined,
    kernels_in,
)
from advisor.program.launches.named_values import NamedValues
from advisor.program.launches.records import Records
from advisor.program.names.scope_names import parameter_defaults
from advisor.program.syntax.dynamic_imports import imported_module
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below_in_scope

# Longer chains of names, calls and attributes are not followed, nor calls in calls in calls.
_DEPTH = 24
_FRAMES = 5
_MOST_STEPS = 4_000
# Grid, block, stream, shared memory, cooperative.
_MOST_PARTS = 5
_PARTIAL = frozenset({"functools.partial", "partial"})
# They return the function that they are given, with what it returned before.
_CACHES = frozenset({"functools.cache", "functools.lru_cache", "cache", "lru_cache"})


class Evaluation:
    """The values of expressions in one module and in those that it leads to."""

    def __init__(self, module: ModuleSyntax, resolver: Resolver) -> None:
        self.module, self.resolver, self.workspace = module, resolver, resolver.workspace
        self.holders, self.records = Holders(self), Records(self)
        self.names = NamedValues(self)
        self._jit = Jit(resolver.workspace)
        self._known: dict[tuple[ast.expr, Frame | None], Values] = {}
        self._fresh: dict[tuple[ast.expr, Frame | None], Values | None] = {}
        self._depth = self._steps = 0
        self._cut = False
        self._kinds: dict[type[ast.expr], Callable[[Operand], Values]] = {
            ast.Name: self.names.of_name,
            ast.Attribute: self.names.of_attribute,
            ast.Call: self._of_call,
            ast.Subscript: self._of_subscript,
            ast.IfExp: self._of_choice,
            ast.BoolOp: self._of_either,
            ast.NamedExpr: self._of_walrus,
            ast.Await: self._of_walrus,
            ast.Dict: self.holders.of_dict,
            ast.Tuple: self.holders.of_list,
            ast.List: self.holders.of_list,
            ast.Set: self.holders.of_list,
            ast.ListComp: self.holders.of_comprehension,
            ast.SetComp: self.holders.of_comprehension,
            ast.GeneratorExp: self.holders.of_comprehension,
            ast.DictComp: self.holders.of_comprehension,
            ast.BinOp: self.holders.of_sum,
            ast.Constant: lambda _: NOTHING,
            ast.Lambda: self._of_lambda,
        }

    def of(self, operand: Operand) -> Values:
        """What an expression may stand for."""
        key = operand.node, operand.frame
        known = self._known.get(key)
        if known is not None:
            return known
        outermost = self._depth == 0
        if outermost:
            self._fresh, self._steps, self._cut = {}, 0, False
        elif key in self._fresh:
            # What is being asked for is bound to itself.
            found = self._fresh[key]
            self._cut |= found is None
            return OTHERWISE if found is None else found
        self._steps += 1
        if self._depth >= _DEPTH or self._steps > _MOST_STEPS:
            self._cut = True
            return OTHERWISE
        self._fresh[key] = None
        self._depth += 1
        try:
            evaluate = self._kinds.get(type(operand.node))
            found = UNKNOWN if evaluate is None else evaluate(operand)
        finally:
            self._depth -= 1
        self._fresh[key] = found
        if outermost:
            self._keep(key, found)
        return found

    def _keep(self, key: tuple[ast.expr, Frame | None], found: Values) -> None:
        """What was found on the way holds for later questions, unless a circle or a limit cut it short."""
        self._known[key] = found
        if not self._cut:
            self._known.update({one: values for one, values in self._fresh.items() if values is not None})

    def called(self, function: Function, call: Operand) -> Frame | None:
        """The frame of a call; None where calls lie too deep in each other."""
        node = call.node
        if not isinstance(node, ast.Call):
            return None
        named = {one.arg: replace(call, node=one.value) for one in node.keywords if one.arg}
        return self.entered(function, self.positional(node, call), named, call.frame)

    def entered(
        self, function: Function, arguments: Sequence[Operand], named: Mapping[str, Operand], at: Frame | None
    ) -> Frame | None:
        """The frame of a function that is called with these arguments in another frame."""
        definition = function.definition
        depth = at.depth + 1 if at else 1
        if depth > _FRAMES:
            return None
        names = [one.arg for one in [*definition.args.posonlyargs, *definition.args.args]]
        if function.owner is not None:
            names = names[1:]
        positional = [*function.arguments, *arguments]
        given: dict[str, Operand] = {}
        if not isinstance(definition, ast.Lambda):
            defaults = parameter_defaults(definition)
            given = {n: Operand(one, function.module, function.frame) for n, one in defaults.items()}
        given.update(zip(names, positional, strict=False))
        given.update(named)
        rest = tuple(positional[len(names) :])
        return Frame(definition, given, rest, function.owner, function.frame, depth)

    def results(self, function: Function, frame: Frame | None) -> Values:
        """What a function may return in a frame."""
        definition = function.definition
        if frame is None:
            return UNKNOWN
        if isinstance(definition, ast.Lambda):
            return self.of(Operand(definition.body, function.module, frame))
        nodes = below_in_scope(definition)
        yields = [one for one in nodes if isinstance(one, ast.Yield | ast.YieldFrom)]
        if yields:
            return self.holders.yielded(yields, Operand(yields[0], function.module, frame))
        values = [one.value for one in nodes if isinstance(one, ast.Return) and one.value]
        return joined(self.of(Operand(one, function.module, frame)) for one in values) or NOTHING

    def positional(self, node: ast.Call, call: Operand) -> list[Operand]:
        """The positional arguments, `*args` of a frame replaced by what it was given."""
        found = []
        for one in node.args:
            if isinstance(one, ast.Starred):
                if not isinstance(one.value, ast.Name) or self.names.rest(one.value.id, call.frame) is None:
                    found.append(replace(call, node=one))
                    break
                found += self.names.rest(one.value.id, call.frame) or ()
            else:
                found.append(replace(call, node=one))
        return found

    def _of_choice(self, operand: Operand) -> Values:
        node = operand.node
        assert isinstance(node, ast.IfExp)
        return joined(self.of(replace(operand, node=one)) for one in (node.body, node.orelse))

    def _of_either(self, operand: Operand) -> Values:
        node = operand.node
        assert isinstance(node, ast.BoolOp)
        return joined(self.of(replace(operand, node=one)) for one in node.values)

    def _of_walrus(self, operand: Operand) -> Values:
        node = operand.node
        assert isinstance(node, ast.NamedExpr | ast.Await)
        return self.of(replace(operand, node=node.value))

    def _of_lambda(self, operand: Operand) -> Values:
        node = operand.node
        assert isinstance(node, ast.Lambda)
        return (Function(node, operand.module, operand.frame),)

    def _of_subscript(self, operand: Operand) -> Values:
        node = operand.node
        assert isinstance(node, ast.Subscript)
        target = replace(operand, node=node.value)
        written = _written(replace(operand, node=node.slice))
        base = self.of(target)
        found: list[Values] = [
            self.holders.picked((one,), literal_key(node.slice))
            for one in base
            if isinstance(one, Items) or (isinstance(one, Object) and one.is_tuple)
        ]
        found.append(tuple(Configured(one, written, target) for one in kernels_in(base)))
        if is_open(base) or not any(found):
            found.append(_configured_unknown(written, target, base))
        return joined(found)

    def _of_call(self, operand: Operand) -> Values:
        node, module = operand.node, operand.module
        assert isinstance(node, ast.Call)
        held = self.holders.of_call(node, operand)
        if held is not None:
            return held
        declarations = self.resolver.compiled_by(node, module)
        if declarations:
            return tuple(Kernel(one.node, one) for one in declarations)
        found = self._of_library_call(node, operand)
        if found is None:
            found = self.records.of_call(node, operand)
        if found is None:
            found = self._of_method(node, operand)
        if found is None:
            callee = self.of(replace(operand, node=node.func))
            found = joined(self._called_value(one, operand) for one in callee) or UNKNOWN
        if is_open(found) and not kernels_in(found) and node.args and isinstance(node.args[0], ast.Name):
            # A wrapper that is not known hands on the kernel that it is given.
            given = self.of(replace(operand, node=node.args[0]))
            if given and all(isinstance(one, Kernel) for one in given):
                return given
        return found

    def _called_value(self, value: Value, call: Operand) -> Values:
        if isinstance(value, Function):
            return self.results(value, self.called(value, call))
        if isinstance(value, Class):
            return (self.names.made(value, call),)
        if isinstance(value, RecordType):
            return (self.records.made(value, call),)
        return UNKNOWN

    def applied(self, function: Operand, argument: Held) -> Values:
        """What a call of a function with one argument gives, as `map` makes them."""
        by = self._jit.decorator(function.node, function.module)
        if by is not None and by.form == "decorator":
            return tuple(self._declared(one) for one in self.holders.of_held(argument))
        found: list[Values] = []
        for value in self.of(function):
            if not isinstance(value, Function) or not isinstance(argument, Operand):
                found.append(UNKNOWN)
                continue
            found.append(self.results(value, self.entered(value, [argument], {}, function.frame)))
        return joined(found)

    def _of_library_call(self, node: ast.Call, operand: Operand) -> Values | None:
        """What a call of `partial`, `getattr`, a cache or `cuda.jit` gives, None for any other."""
        imported = imported_module(node, operand.module)
        if imported is not None:
            return self.names.module(imported, operand.module)
        dotted = operand.module.dotted(node.func)
        if dotted in _PARTIAL and node.args:
            given = tuple(self.positional(node, operand)[1:])
            return tuple(
                replace(one, arguments=(*one.arguments, *given))
                if isinstance(one, Configured | Function)
                else one
                for one in self.of(replace(operand, node=node.args[0]))
            )
        if dotted in _CACHES and node.args and not isinstance(node.args[0], ast.Constant):
            return self.of(replace(operand, node=node.args[0]))
        if dotted == "getattr" and len(node.args) >= 2 and isinstance(node.args[1], ast.Constant):
            name = node.args[1].value
            given_from = replace(operand, node=node.args[0])
            return self.names.member(given_from, name) if isinstance(name, str) else UNKNOWN
        if isinstance(node.func, ast.Call) and operand.module.dotted(node.func.func) in _CACHES and node.args:
            return self.of(replace(operand, node=node.args[0]))
        return self._compiled(node, operand)

    def _compiled(self, node: ast.Call, operand: Operand) -> Values | None:
        """The kernel that `cuda.jit` makes of a function that a frame gives."""
        if not node.args or operand.frame is None or not isinstance(node.args[0], ast.Name):
            return None
        by = self._jit.decorator(node.func, operand.module)
        if by is None or by.form != "decorator":
            return None
        found = self.of(replace(operand, node=node.args[0]))
        return tuple(self._declared(one) for one in found)

    def _declared(self, value: Value) -> Value:
        if isinstance(value, Function) and not isinstance(value.definition, ast.Lambda):
            for module in (value.module, self.module):
                declaration = self.resolver.declaration_of(value.definition, module)
                if declaration is not None:
                    return Kernel(value.definition, declaration)
        return value

    def _of_method(self, node: ast.Call, operand: Operand) -> Values | None:
        """What a method of a kernel or of a holder of kernels gives, None for any other call."""
        if not isinstance(node.func, ast.Attribute):
            return None
        name = node.func.attr
        if name in ("configure", "forall", "specialize"):
            values = self.of(replace(operand, node=node.func.value))
            found = [self._by_method(one, name, node, operand) for one in values if isinstance(one, Kernel)]
            rest = [one for one in values if not isinstance(one, Kernel)]
            if name != "specialize" and is_open(values):
                target = replace(operand, node=node.func.value)
                unknown = Configured(None, self._configuration(name, node, operand), target)
                rest = [replace(unknown, otherwise=Other.UNKNOWN not in values)]
            return joined([tuple(found), tuple(rest)]) if found or name != "specialize" else None
        return self.holders.of_method(node, operand)

    def _by_method(self, kernel: Kernel, method: str, call: ast.Call, operand: Operand) -> Value:
        """What `kernel.configure(…)`, `kernel.forall(…)` and `kernel.specialize(…)` give."""
        if method == "specialize":
            return kernel
        assert isinstance(call.func, ast.Attribute)
        target = replace(operand, node=call.func.value)
        return Configured(kernel, self._configuration(method, call, operand), target)

    def _configuration(self, method: str, call: ast.Call, operand: Operand) -> Configuration:
        """What `configure(…)` and `forall(tasks, threads)` state; `forall` computes the grid itself."""
        if method != "forall":
            return _given_parts(call, operand, self.holders)
        sizes = [*call.args[1:2], *(one.value for one in call.keywords if one.arg == "tpb")]
        return Configuration(None, (None, replace(operand, node=sizes[0]) if sizes else None))


def _written(configuration: Operand) -> Configuration:
    """A configuration as it stands in the brackets."""
    node = configuration.node
    parts = None
    if isinstance(node, ast.Tuple) and not any(isinstance(one, ast.Starred) for one in node.elts):
        parts = tuple(replace(configuration, node=one) for one in node.elts)
    return Configuration(configuration, parts)


def _configured_unknown(written: Configuration, target: Operand, base: Values) -> Values:
    """What brackets after an unknown value may be: a kernel's configuration, where they look like one."""
    otherwise = Other.UNKNOWN not in base
    if written.parts is None or not 2 <= len(written.parts) <= _MOST_PARTS:
        return OTHERWISE if otherwise else UNKNOWN
    return (Configured(None, written, target, otherwise=otherwise),)


def _given_parts(call: ast.Call, operand: Operand, holders: Holders) -> Configuration:
    """The configuration that a call of `configure` gives."""
    named: dict[str, Operand] = {}
    for one in call.keywords:
        if one.arg:
            named[one.arg] = replace(operand, node=one.value)
            continue
        spread = holders.by_name(replace(operand, node=one.value))
        if spread is None:
            return Configuration(None, None)
        named.update(spread)
    given: list[Operand | None] = [replace(operand, node=one) for one in call.args]
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    parts = [] if starred else [*given, *(named.get(one) for one in PARTS[len(given) :])]
    while parts and parts[-1] is None:
        parts.pop()
    return Configuration(None, tuple(parts) or None)
