"""Objects that are made of the values of their fields: named tuples, dataclasses, namespaces."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.program.launches.kernel_values import (
    OTHERWISE,
    Class,
    Held,
    Object,
    Operand,
    RecordType,
    Values,
    is_open,
    joined,
)
from advisor.program.syntax.calls import last_name
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.values.constants import Constants

if TYPE_CHECKING:
    from advisor.program.launches.value_evaluation import Evaluation

_NAMED_TUPLE, _TYPED_TUPLE = "collections.namedtuple", "typing.NamedTuple"
_NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace"})
_DATACLASSES = frozenset({"dataclasses.dataclass"})
_REPLACE = frozenset({"dataclasses.replace", "copy.replace"})
_Field = tuple[str, Held | None]


class Records:
    """The fields of objects, for the evaluation of the expressions that make and read them."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def of_call(self, node: ast.Call, operand: Operand) -> Values | None:
        """The type that `namedtuple` makes, a namespace, or a record with other fields; None for any other
        call.
        """
        dotted = operand.module.dotted(node.func)
        if dotted in (_NAMED_TUPLE, _TYPED_TUPLE):
            made = self._named_tuple(node, operand)
            return OTHERWISE if made is None else (made,)
        if dotted in _NAMESPACES and not node.args and all(one.arg for one in node.keywords):
            return (Object(None, None, self._named(node, operand)),)
        replaced = isinstance(node.func, ast.Attribute) and node.func.attr == "_replace"
        if replaced and isinstance(node.func, ast.Attribute):
            return self._replaced(replace(operand, node=node.func.value), node, operand)
        if dotted in _REPLACE and len(node.args) == 1:
            return self._replaced(replace(operand, node=node.args[0]), node, operand)
        return None

    def type_of(self, of: Class) -> RecordType | None:
        """The fields of a class that has no `__init__` of its own: a dataclass, or one derived from a named
        tuple; None for any other.
        """
        found: dict[str, Held | None] = {}
        is_record = is_tuple = False
        for one in reversed(list(self._evaluation.names.with_bases(of))):
            bases = [Operand(base, one.module) for base in one.definition.bases]
            for base in bases:
                if isinstance(base.node, ast.Name | ast.Attribute | ast.Call):
                    known = [t for t in self._evaluation.of(base) if isinstance(t, RecordType)]
                    found.update(field for each in known for field in each.fields)
                    is_tuple |= any(each.is_tuple for each in known)
            typed = any(one.module.dotted(base.node) == _TYPED_TUPLE for base in bases)
            is_tuple |= typed
            if typed or _is_dataclass(one):
                is_record = True
                found.update(_fields(one))
        return RecordType(tuple(found.items()), is_tuple) if is_record or is_tuple else None

    def made(self, record: RecordType, call: Operand) -> Object:
        """The object that a call of a type makes."""
        node = call.node
        assert isinstance(node, ast.Call)
        names = [name for name, _ in record.fields]
        fields: dict[str, Held] = {}
        for name, argument in zip(names, self._evaluation.positional(node, call), strict=False):
            if isinstance(argument.node, ast.Starred):
                break
            fields[name] = argument
        fields.update(self._named(node, call))
        complete = not any(one.arg is None for one in node.keywords) and not any(
            isinstance(one, ast.Starred) for one in node.args
        )
        for name, default in record.fields:
            if name not in fields:
                known = () if default is None else self._evaluation.holders.of_held(default)
                fields[name] = default if complete and default is not None else joined([known, OTHERWISE])
        return Object(None, None, tuple((name, fields[name]) for name in names), record.is_tuple)

    def field(self, owner: Object, name: str) -> Values | None:
        """What a field of an object holds, None where it has no such field."""
        for known, held in owner.fields:
            if known == name:
                return self._evaluation.holders.of_held(held)
        record = None if owner.of is None or owner.made or owner.fields else self.type_of(owner.of)
        if record is None or owner.of is None or name not in dict(record.fields):
            return None
        # Of an object that is not seen being made, what the calls of its class give.
        calls = owner.of.module.calls_by_name.get(owner.of.definition.name, ())
        made = [self.made(record, Operand(call, owner.of.module)) for call in calls]
        found = joined(self._evaluation.holders.of_held(dict(one.fields)[name]) for one in made)
        default = dict(record.fields)[name]
        if found or default is None:
            return found or OTHERWISE
        return joined([self._evaluation.holders.of_held(default), OTHERWISE])

    def assigned_elsewhere(self, owner: Object, name: str) -> Values:
        """What statements outside of its methods assign to an attribute of an object or of what may be it."""
        modules = {id(one): one for one in self._modules(owner)}
        found: list[Values] = []
        for module in modules.values():
            stores = module.once(_attribute_stores, module.tree)
            for base, value in [*stores.get(name, ()), *stores.get("", ())]:
                may_be = self._evaluation.of(Operand(base, module))
                if is_open(may_be) or any(_is_like(one, owner) for one in may_be):
                    known = OTHERWISE if value is None else self._evaluation.of(Operand(value, module))
                    found.append(known)
        return joined(found)

    def _modules(self, owner: Object) -> Iterator[ModuleSyntax]:
        yield self._evaluation.module
        if owner.of is not None:
            yield owner.of.module

    def _named(self, node: ast.Call, operand: Operand) -> tuple[tuple[str, Held], ...]:
        return tuple((one.arg, replace(operand, node=one.value)) for one in node.keywords if one.arg)

    def _replaced(self, base: Operand, node: ast.Call, operand: Operand) -> Values | None:
        """Objects with other values of some fields."""
        named = dict(self._named(node, operand))
        found = [one for one in self._evaluation.of(base) if isinstance(one, Object) and one.fields]
        if not found or any(one.arg is None for one in node.keywords):
            return None
        return tuple(
            replace(one, fields=tuple((name, named.get(name, held)) for name, held in one.fields))
            for one in found
        )

    def _named_tuple(self, node: ast.Call, operand: Operand) -> RecordType | None:
        """The type behind `namedtuple("Name", "field field", defaults=…)`, None where its fields are not
        known.
        """
        given = [
            *node.args[1:2],
            *(one.value for one in node.keywords if one.arg in ("field_names", "fields")),
        ]
        names = self._field_names(given[0], operand) if given else None
        if names is None:
            return None
        options = {one.arg: one.value for one in node.keywords}
        defaults = options.get("defaults")
        values: Sequence[ast.expr] = defaults.elts if isinstance(defaults, ast.Tuple | ast.List) else ()
        if None in options or (defaults is not None and len(values) > len(names)):
            return None
        first = len(names) - len(values)
        fields: list[_Field] = [(name, None) for name in names[:first]]
        fields += [
            (name, replace(operand, node=one)) for name, one in zip(names[first:], values, strict=True)
        ]
        if defaults is not None and not isinstance(defaults, ast.Tuple | ast.List):
            fields = [(name, OTHERWISE) for name in names]
        return RecordType(tuple(fields), is_tuple=True)

    def _field_names(self, node: ast.expr, operand: Operand) -> list[str] | None:
        function = operand.module.function_around(node)
        value = Constants(self._evaluation.workspace, operand.module, function).value(node)
        if isinstance(node, ast.List | ast.Tuple) and all(isinstance(one, ast.Tuple) for one in node.elts):
            # `typing.NamedTuple` takes pairs of a name and a type.
            written = [one.elts[0] for one in node.elts if isinstance(one, ast.Tuple) and one.elts]
            value = tuple(one.value for one in written if isinstance(one, ast.Constant))
        if isinstance(value, str):
            value = value.replace(",", " ").split()
        if not isinstance(value, list | tuple) or not value:
            return None
        return [*map(str, value)] if all(isinstance(one, str) for one in value) else None


def _is_like(value: object, owner: Object) -> bool:
    """Whether a value may be an object, by its class or, without one, by its fields."""
    if isinstance(value, Class):
        return owner.of == value
    if not isinstance(value, Object):
        return False
    if value.of is None or owner.of is None:
        return value.of is owner.of and [one for one, _ in value.fields] == [one for one, _ in owner.fields]
    return value.of == owner.of


def _is_dataclass(of: Class) -> bool:
    """Whether a decorator gives a class an `__init__` of its fields."""
    for one in of.definition.decorator_list:
        target = one.func if isinstance(one, ast.Call) else one
        if of.module.dotted(target) in _DATACLASSES:
            options = one.keywords if isinstance(one, ast.Call) else []
            return not any(option.arg in ("init", None) for option in options)
    return False


def _fields(of: Class) -> Iterator[_Field]:
    """The fields that a class declares itself, in order."""
    for statement in of.definition.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        if "ClassVar" in ast.unparse(statement.annotation) or last_name(statement.annotation) == "KW_ONLY":
            continue
        value = statement.value
        default: Held | None = None if value is None else Operand(value, of.module)
        if isinstance(value, ast.Call) and last_name(value.func) == "field":
            options = {one.arg: one.value for one in value.keywords}
            made = options.get("default")
            if "init" in options or None in options:
                default = OTHERWISE
            else:
                default = Operand(made, of.module) if made is not None else None
                if "default_factory" in options:
                    call = ast.copy_location(ast.Call(options["default_factory"], [], []), value)
                    default = Operand(call, of.module)
        yield statement.target.id, default


def _attribute_stores(
    module: ModuleSyntax, tree: ast.Module
) -> dict[str, list[tuple[ast.expr, ast.expr | None]]]:
    """What statements assign to attributes of anything but `self`, by the attribute, which for `setattr` of a
    name that is not fixed is an empty text; None for what is not told.
    """
    found: dict[str, list[tuple[ast.expr, ast.expr | None]]] = {}
    for node in module.inside(tree, ast.Attribute):
        if isinstance(node.ctx, ast.Load) or (isinstance(node.value, ast.Name) and node.value.id == "self"):
            continue
        parent = module.parents.get(node)
        plain = isinstance(parent, ast.Assign | ast.AnnAssign) and node is not parent.value
        value = parent.value if plain and isinstance(parent, ast.Assign | ast.AnnAssign) else None
        found.setdefault(node.attr, []).append((node.value, value))
    for call in module.calls:
        if last_name(call.func) in ("setattr", "__setattr__") and len(call.args) == 3:
            base, name, value = call.args
            known = isinstance(name, ast.Constant) and isinstance(name.value, str)
            key = str(name.value) if known and isinstance(name, ast.Constant) else ""
            found.setdefault(key, []).append((base, value))
    return found
