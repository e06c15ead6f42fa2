"""Which kernels, configured kernels, factories or holders of them an expression of host code may stand for.

Names, attributes and calls are followed through scopes, modules, classes and functions; nothing is run. What
an expression may stand for is a tuple of values, with UNKNOWN or OTHERWISE among them where that is not all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.jit_expressions import Jit
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
    Operand,
    Other,
    Value,
    Values,
    is_open,
    kernels_in,
)
from advisor.program.launches.named_values import NamedValues
from advisor.program.names.scope_names import parameter_defaults
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below_in_scope

# Longer chains of names, calls and attributes are not followed, nor calls in calls in calls.
_DEPTH = 24
_FRAMES = 5
_MOST_STEPS = 4_000
_MOST_ITEMS = 64
# Grid, block, stream, shared memory, cooperative.
_MOST_PARTS = 5
_PARTIAL = frozenset({"functools.partial", "partial"})
# They return the function that they are given, with what it returned before.
_CACHES = frozenset({"functools.cache", "functools.lru_cache", "cache", "lru_cache"})
_SAME_ITEMS = frozenset({"list", "tuple", "sorted", "reversed", "iter"})


class Evaluation:
    """The values of expressions in one module and in those that it leads to."""

    def __init__(self, module: ModuleSyntax, resolver: Resolver) -> None:
        self.module, self.resolver, self.workspace = module, resolver, resolver.workspace
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
            ast.Dict: self._of_dict,
            ast.Tuple: self._of_list,
            ast.List: self._of_list,
            ast.Set: self._of_list,
            ast.ListComp: self._of_comprehension,
            ast.SetComp: self._of_comprehension,
            ast.GeneratorExp: self._of_comprehension,
            ast.DictComp: self._of_comprehension,
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

    def of_held(self, held: Held) -> Values:
        """What an item of a holder may stand for."""
        return self.of(held) if isinstance(held, Operand) else held

    def part(self, values: Values, place: Sequence[int]) -> Values:
        """What stands at a place of a nested tuple."""
        for number in place:
            values = self._picked(values, number)
        return values

    def elements(self, operand: Operand) -> Values:
        """What a loop over an expression may give its target."""
        node = operand.node
        if isinstance(node, ast.Call) and not node.keywords:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else None
            given = [replace(operand, node=one) for one in node.args]
            if isinstance(node.func, ast.Name) and given:
                if node.func.id in _SAME_ITEMS:
                    return self.elements(given[0])
                if node.func.id == "enumerate":
                    return (Items(((0, NOTHING), (1, self.elements(given[0])))),)
                if node.func.id == "zip":
                    return (Items(tuple((n, self.elements(one)) for n, one in enumerate(given))),)
            if isinstance(node.func, ast.Attribute) and name in ("items", "values"):
                held = self._all_items(self.of(replace(operand, node=node.func.value)))
                return (Items(((0, NOTHING), (1, held))),) if name == "items" else held
        return self._all_items(self.of(operand))

    def called(self, function: Function, call: Operand) -> Frame | None:
        """The frame of a call; None where calls lie too deep in each other."""
        definition, node = function.definition, call.node
        depth = call.frame.depth + 1 if call.frame else 1
        if not isinstance(node, ast.Call) or depth > _FRAMES:
            return None
        names = [one.arg for one in [*definition.args.posonlyargs, *definition.args.args]]
        if function.owner is not None:
            names = names[1:]
        positional = [*function.arguments, *self._positional(node, call)]
        given: dict[str, Operand] = {}
        if not isinstance(definition, ast.Lambda):
            defaults = parameter_defaults(definition)
            given = {n: Operand(one, function.module, function.frame) for n, one in defaults.items()}
        given.update(zip(names, positional, strict=False))
        given.update({one.arg: replace(call, node=one.value) for one in node.keywords if one.arg})
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
        if any(isinstance(one, ast.Yield | ast.YieldFrom) for one in nodes):
            return UNKNOWN
        values = [one.value for one in nodes if isinstance(one, ast.Return) and one.value]
        return joined(self.of(Operand(one, function.module, frame)) for one in values) or NOTHING

    def _positional(self, node: ast.Call, call: Operand) -> list[Operand]:
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

    def _of_dict(self, operand: Operand) -> Values:
        node = operand.node
        assert isinstance(node, ast.Dict)
        pairs = zip(node.keys, node.values, strict=True)
        return (Items(tuple((_key(key), replace(operand, node=value)) for key, value in pairs)),)

    def _of_list(self, operand: Operand) -> Values:
        node = operand.node
        assert isinstance(node, ast.Tuple | ast.List | ast.Set)
        held: list[tuple[object, Held]] = []
        before: int | None = 0
        for one in node.elts:
            if isinstance(one, ast.Starred):
                before = None
                held.append((None, self.elements(replace(operand, node=one.value))))
            else:
                held.append((before if before is None else len(held), replace(operand, node=one)))
        return (Items(tuple(held)),)

    def _of_comprehension(self, operand: Operand) -> Values:
        node = operand.node
        assert isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp)
        value = node.value if isinstance(node, ast.DictComp) else node.elt
        return (Items(((None, replace(operand, node=value)),)),)

    def _of_subscript(self, operand: Operand) -> Values:
        node = operand.node
        assert isinstance(node, ast.Subscript)
        target = replace(operand, node=node.value)
        written = _written(replace(operand, node=node.slice))
        base = self.of(target)
        found: list[Values] = [
            self._picked((one,), _key(node.slice)) for one in base if isinstance(one, Items)
        ]
        found.append(tuple(Configured(one, written, target) for one in kernels_in(base)))
        if is_open(base) or not any(found):
            found.append(_configured_unknown(written, target, base))
        return joined(found)

    def _picked(self, values: Values, key: object) -> Values:
        """The items at a literal key, or all where it is none or none has it."""
        found: list[Values] = []
        for value in values:
            if not isinstance(value, Items):
                found.append(UNKNOWN)
                continue
            at = [one for one in value.held if key is not None and one[0] == key]
            at = at or [one for one in value.held if key is None or one[0] is None] or list(value.held)
            found += [self.of_held(held) for _, held in at[:_MOST_ITEMS]]
        return joined(found) or UNKNOWN

    def _all_items(self, values: Values) -> Values:
        return self._picked(values, None)

    def _of_call(self, operand: Operand) -> Values:
        node, module = operand.node, operand.module
        assert isinstance(node, ast.Call)
        declarations = self.resolver.compiled_by(node, module)
        if declarations:
            return tuple(Kernel(one.node, one) for one in declarations)
        found = self._of_library_call(node, operand)
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
        return UNKNOWN

    def _of_library_call(self, node: ast.Call, operand: Operand) -> Values | None:
        """What a call of `partial`, `getattr`, a cache or `cuda.jit` gives, None for any other."""
        dotted = operand.module.dotted(node.func)
        if dotted in _PARTIAL and node.args:
            given = tuple(self._positional(node, operand)[1:])
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
            found = [_by_method(one, name, node, operand) for one in values if isinstance(one, Kernel)]
            rest = [one for one in values if not isinstance(one, Kernel)]
            if name == "configure" and is_open(values):
                unknown = Configured(
                    None, _given_parts(node, operand), replace(operand, node=node.func.value)
                )
                rest = [replace(unknown, otherwise=Other.UNKNOWN not in values)]
            return joined([tuple(found), tuple(rest)]) if found or name == "configure" else None
        if name in ("get", "pop", "setdefault") and node.args:
            values = self.of(replace(operand, node=node.func.value))
            return self._picked(values, _key(node.args[0])) if _holds_items(values) else None
        return None


def joined(values: Iterable[Values]) -> Values:
    """All values of several, each once."""
    return tuple(dict.fromkeys(one for each in values for one in each))


def _holds_items(values: Values) -> bool:
    return any(isinstance(one, Items) for one in values)


def _key(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


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


def _by_method(kernel: Kernel, method: str, call: ast.Call, operand: Operand) -> Value:
    """What `kernel.configure(…)`, `kernel.forall(…)` and `kernel.specialize(…)` give."""
    if method == "specialize":
        return kernel
    assert isinstance(call.func, ast.Attribute)
    target = replace(operand, node=call.func.value)
    if method == "forall":
        sizes = [*call.args[1:2], *(one.value for one in call.keywords if one.arg == "tpb")]
        block = replace(operand, node=sizes[0]) if sizes else None
        return Configured(kernel, Configuration(None, (None, block)), target)
    return Configured(kernel, _given_parts(call, operand), target)


def _given_parts(call: ast.Call, operand: Operand) -> Configuration:
    """The configuration that a call of `configure` gives."""
    named = {one.arg: replace(operand, node=one.value) for one in call.keywords if one.arg}
    given: list[Operand | None] = [replace(operand, node=one) for one in call.args]
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    parts = [] if starred else [*given, *(named.get(one) for one in PARTS[len(given) :])]
    while parts and parts[-1] is None:
        parts.pop()
    return Configuration(None, tuple(parts) or None)
