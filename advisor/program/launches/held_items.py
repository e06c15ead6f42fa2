"""What lists, tuples, dictionaries and iterators of host code hold, and what statements put into them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from advisor.program.launches.kernel_values import (
    NOTHING,
    OTHERWISE,
    UNKNOWN,
    Held,
    Items,
    Object,
    Operand,
    Place,
    Values,
    joined,
)
from advisor.program.syntax.module import ModuleSyntax

if TYPE_CHECKING:
    from advisor.program.launches.value_evaluation import Evaluation

_MOST_ITEMS = 64
_SEQUENCES = frozenset({"list", "tuple", "iter"})
_OTHER_ORDER = frozenset({"sorted", "reversed", "set", "frozenset"})
_MAKING = frozenset({*_SEQUENCES, *_OTHER_ORDER, "enumerate", "zip", "map", "next", "dict"})
_Pairs = list[tuple[object, Held]]


@dataclass(frozen=True, slots=True)
class _Store:
    """A value that a statement puts into a holder under a key, or for `is_spread` all that it holds."""

    key: object
    value: ast.expr
    is_spread: bool = False


class Holders:
    """The items of holders, for the evaluation of the expressions that make them."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def of_held(self, held: Held) -> Values:
        """What an item of a holder may stand for."""
        return self._evaluation.of(held) if isinstance(held, Operand) else held

    def part(self, values: Values, place: Sequence[int]) -> Values:
        """What stands at a place of a nested tuple."""
        for number in place:
            values = self.picked(values, number)
        return values

    def elements(self, operand: Operand) -> Values:
        """What a loop over an expression may give its target."""
        return self.picked(self._evaluation.of(operand), None)

    def picked(self, values: Values, key: object) -> Values:
        """The items at a literal key, or all where it is none or none has it."""
        found: list[Values] = []
        for value in values:
            held = _held(value)
            if held is None:
                found.append(UNKNOWN)
                continue
            at = [one for one in held if key is not None and one[0] == key]
            at = at or [one for one in held if key is None or one[0] is None]
            at = [*at, *(one for one in held if one[0] is Place.ANYWHERE and one not in at)]
            found += [self.of_held(one) for _, one in (at or held)[:_MOST_ITEMS]]
        return joined(found) or UNKNOWN

    def by_name(self, operand: Operand) -> dict[str, Operand] | None:
        """The expressions that a dictionary holds by texts, None where it may hold others."""
        values = self._evaluation.of(operand)
        if len(values) != 1 or not isinstance(values[0], Items):
            return None
        found: dict[str, Operand] = {}
        for key, held in values[0].held:
            if not isinstance(key, str) or not isinstance(held, Operand) or key in found:
                return None
            found[key] = held
        return found

    def of_dict(self, operand: Operand) -> Values:
        """The values of a written dictionary by their keys."""
        node = operand.node
        assert isinstance(node, ast.Dict)
        return self._in_order(
            [
                (literal_key(key), replace(operand, node=value), key is None)
                for key, value in zip(node.keys, node.values, strict=True)
            ]
        )

    def of_list(self, operand: Operand) -> Values:
        """The items of a written list, tuple or set by their numbers."""
        node = operand.node
        assert isinstance(node, ast.Tuple | ast.List | ast.Set)
        held: _Pairs = []
        before: int | None = 0
        for one in node.elts:
            if isinstance(one, ast.Starred):
                before = None
                held.append((None, self.elements(replace(operand, node=one.value))))
            else:
                held.append((before if before is None else len(held), replace(operand, node=one)))
        return (Items(tuple(held)),)

    def of_comprehension(self, operand: Operand) -> Values:
        """The one expression that a comprehension makes its items of."""
        node = operand.node
        assert isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp)
        value = node.value if isinstance(node, ast.DictComp) else node.elt
        return (Items(((None, replace(operand, node=value)),)),)

    def of_sum(self, operand: Operand) -> Values:
        """What two lists hold one behind the other, or two dictionaries, the second before the first."""
        node = operand.node
        assert isinstance(node, ast.BinOp)
        if not isinstance(node.op, ast.Add | ast.BitOr):
            return UNKNOWN
        sides = [replace(operand, node=one) for one in (node.left, node.right)]
        if not all(any(isinstance(one, Items) for one in self._evaluation.of(side)) for side in sides):
            return UNKNOWN
        if isinstance(node.op, ast.BitOr):
            return self._in_order([(None, side, True) for side in sides])
        return (Items(tuple((None, self.elements(side)) for side in sides)),)

    def yielded(self, yields: Sequence[ast.Yield | ast.YieldFrom], at: Operand) -> Values:
        """What a generator gives one by one, in an order that is not followed."""
        found = []
        for one in yields:
            if one.value is not None:
                value = replace(at, node=one.value)
                of = self.elements if isinstance(one, ast.YieldFrom) else self._evaluation.of
                found.append(of(value))
        return (Items(((None, joined(found) or NOTHING),)),)

    def of_call(self, node: ast.Call, operand: Operand) -> Values | None:
        """What a function of Python itself makes of holders or takes from them, None for any other call."""
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in _MAKING or name in operand.module.bound_anywhere:
            return None
        if name == "dict":
            return self._of_dict_call(node, operand)
        if not node.args or any(isinstance(one, ast.Starred) for one in node.args):
            return None
        given = [replace(operand, node=one) for one in node.args]
        if name == "map":
            return self._of_map(given) if len(given) == 2 else UNKNOWN
        if name == "next":
            return joined([self.elements(given[0]), *(self._evaluation.of(one) for one in given[1:])])
        if name in _SEQUENCES:
            values = self._evaluation.of(given[0])
            return values if any(_held(one) is not None for one in values) else UNKNOWN
        if name == "zip":
            row = Items(tuple((number, self.elements(one)) for number, one in enumerate(given)))
            return (Items(((None, (row,)),)),)
        items = self.elements(given[0])
        if name == "enumerate":
            items = (Items(((0, NOTHING), (1, items))),)
        return (Items(((None, items),)),)

    def of_method(self, node: ast.Call, operand: Operand) -> Values | None:
        """What a method of a holder gives, None for any other call."""
        if not isinstance(node.func, ast.Attribute):
            return None
        name, base = node.func.attr, replace(operand, node=node.func.value)
        if name in ("get", "pop", "setdefault") and node.args:
            values, key = self._evaluation.of(base), literal_key(node.args[0])
            if not any(isinstance(one, Items) for one in values):
                return None
            keys = {key for one in values for key, _ in _held(one) or ()}
            default = self._evaluation.of(replace(operand, node=node.args[1])) if node.args[1:] else ()
            if key is not None and keys and not keys & {None, Place.ANYWHERE, key} and default:
                return default
            found = self.picked(values, key) if keys else ()
            return joined([found, () if key is not None and key in keys else default]) or UNKNOWN
        if name in ("items", "values", "copy") and not node.args:
            values = self._evaluation.of(base)
            if not any(isinstance(one, Items) for one in values):
                return None
            held = values if name == "copy" else self.picked(values, None)
            return (Items(((None, (Items(((0, NOTHING), (1, held))),)),)),) if name == "items" else held
        return None

    def with_stores(self, values: Values, written: str, operand: Operand) -> Values:
        """Holders with what the module's statements put into them: `kernels["name"] = …`."""
        if not any(isinstance(one, Items) for one in values):
            return values
        stores = operand.module.once(_item_stores, operand.module.tree).get(written)
        if not stores:
            return values
        held: _Pairs = []
        for one in stores:
            value = replace(operand, node=one.value)
            added = self._spread(value, one.key) if one.is_spread else [(one.key, value)]
            # Items that are put behind others have other numbers there.
            held += [(None, item) for _, item in added] if one.key is None else added
        return tuple(Items((*one.held, *held)) if isinstance(one, Items) else one for one in values)

    def _spread(self, operand: Operand, unknown: object) -> _Pairs:
        """What a holder hands on to another, where it is none something under the key `unknown`."""
        found: _Pairs = []
        for one in self._evaluation.of(operand):
            held = _held(one)
            found += [(unknown, OTHERWISE)] if held is None else held
        return found

    def _in_order(self, pairs: Sequence[tuple[object, Operand, bool]]) -> Values:
        """A dictionary filled with pairs and, where the third says so, with all that others hold: the later
        ones replace those before them.
        """
        held: _Pairs = []
        for key, value, is_spread in pairs:
            added = self._spread(value, None) if is_spread else [(key, value)]
            for new, one in added:
                if new is None or new is Place.ANYWHERE:
                    # It may replace each of those before.
                    held += [(old, one) for old in dict.fromkeys(k for k, _ in held) if old is not None]
                elif not is_spread or [k for k, _ in added].count(new) == 1:
                    held = [(old, other) for old, other in held if old != new]
                held.append((new, one))
        return (Items(tuple(held)),)

    def _of_dict_call(self, node: ast.Call, operand: Operand) -> Values:
        """What `dict(other, name=…)` holds."""
        pairs: list[tuple[object, Operand, bool]] = []
        for argument in node.args:
            if isinstance(argument, ast.List | ast.Tuple) and all(
                isinstance(one, ast.Tuple) and len(one.elts) == 2 for one in argument.elts
            ):
                written = [one.elts for one in argument.elts if isinstance(one, ast.Tuple)]
                pairs += [(literal_key(key), replace(operand, node=value), False) for key, value in written]
            else:
                pairs.append((None, replace(operand, node=argument), True))
        pairs += [(one.arg, replace(operand, node=one.value), one.arg is None) for one in node.keywords]
        return self._in_order(pairs)

    def _of_map(self, given: Sequence[Operand]) -> Values:
        """What a function makes of each item."""
        function, values = given
        found: _Pairs = []
        for value in self._evaluation.of(values):
            held = _held(value)
            pairs = [(None, UNKNOWN)] if held is None else held[:_MOST_ITEMS]
            found += [(key, self._evaluation.applied(function, one)) for key, one in pairs]
        return (Items(tuple(found)),)


def literal_key(node: ast.expr | None) -> object:
    """The value of a literal key, None for any other."""
    return node.value if isinstance(node, ast.Constant) else None


def _held(value: object) -> _Pairs | None:
    """The items of a holder, None for what is none."""
    if isinstance(value, Items):
        return list(value.held)
    if isinstance(value, Object) and value.is_tuple:
        return [(number, held) for number, (_, held) in enumerate(value.fields)]
    return None


def _item_stores(module: ModuleSyntax, _: ast.Module) -> dict[str, list[_Store]]:
    """What the statements of a module put into lists and dictionaries, by how these are written."""
    found: dict[str, list[_Store]] = {}
    for node in module.inside(module.tree, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name | ast.Attribute):
                key = target.slice.value if isinstance(target.slice, ast.Constant) else Place.ANYWHERE
                found.setdefault(ast.unparse(target.value), []).append(_Store(key, node.value))
    for call in module.calls:
        stores = _stores_of_call(call) if isinstance(call.func, ast.Attribute) else []
        if stores and isinstance(call.func, ast.Attribute):
            found.setdefault(ast.unparse(call.func.value), []).extend(stores)
    return found


def _stores_of_call(call: ast.Call) -> list[_Store]:
    """What a method puts into its holder: `kernels.append(…)`, `kernels.update(name=…)`."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name in ("append", "add", "appendleft") and len(call.args) == 1:
        return [_Store(None, call.args[0])]
    if name == "extend" and len(call.args) == 1:
        return [_Store(None, call.args[0], True)]
    if name in ("insert", "setdefault") and len(call.args) == 2:
        key = literal_key(call.args[0]) if name == "setdefault" else None
        return [_Store(Place.ANYWHERE if key is None else key, call.args[1])]
    if name == "update":
        given = [_Store(Place.ANYWHERE, one, True) for one in call.args]
        named = [_Store(one.arg or Place.ANYWHERE, one.value, one.arg is None) for one in call.keywords]
        return [*given, *named]
    return []
