"""Values of attributes that classes and their objects give: class variables, fields of records, and what
`__init__` assigns.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from advisor.program.names.module_exports import exported, original_name
from advisor.program.names.object_attributes import enclosing_class, values_of_attribute
from advisor.program.names.scope_names import parameter_defaults
from advisor.program.names.visible_names import is_imported, visible
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.assigned_values import value_given
from advisor.program.syntax.bound_names import bound_names
from advisor.program.syntax.calls import keyword_value, last_name
from advisor.program.syntax.definition_flow import is_star
from advisor.program.syntax.module import FunctionNode, Import, ModuleSyntax
from advisor.program.syntax.reaching_definitions import Definition
from advisor.program.syntax.tree_nodes import below, below_in_scope
from advisor.program.values.changed_lists import ListValue, may_change
from advisor.program.values.constant_folding import UNKNOWN, ObjectValue, agreed

if TYPE_CHECKING:
    from advisor.program.values.constants import Constants

PlacedClass: TypeAlias = tuple[ModuleSyntax, ast.ClassDef]

_NAMED_TUPLES = frozenset({"collections.namedtuple"})
_TYPED_TUPLE = "typing.NamedTuple"
_NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace"})
_DATACLASS = "dataclasses.dataclass"
# Their members are objects; those of the others are numbers.
_ENUMERATIONS = frozenset({"enum.Enum", "enum.Flag"})
CACHES = frozenset({"cache", "lru_cache"})
_BINDING = CACHES | {"staticmethod", "classmethod"}
_PROPERTIES = ({"property"}, {"cached_property"})
_WORDS = re.compile(r"\w+")
_MOST_BASES = 8
_MOST_VALUES = 4
_MOST_IMPORTS = 8


class ObjectNames(NamedTuple):
    """The names of what classes and objects in sight have, and of what makes objects: most attributes and
    calls are of others, and need no look at what they belong to.
    """

    members: frozenset[str]
    makers: frozenset[str]


@dataclass(frozen=True)
class Objects:
    """Classes and objects as the expressions of one scope name them."""

    constants: Constants

    def class_of(self, node: ast.expr) -> PlacedClass | None:
        """The class of the workspace that an expression names, None where it may be anything else."""
        constants, module = self.constants, self.constants.module
        if isinstance(node, ast.Attribute):
            dotted = module.dotted(node)
            place = constants.workspace.place(dotted, module) if dotted else None
            if place is None or not is_imported(module, node, constants.function):
                return None
            return self._exported(*place, _MOST_IMPORTS)
        if not isinstance(node, ast.Name) or node.id in constants.bindings:
            return None
        seen = visible(module, node.id, node, constants.function)
        only = seen.bound if seen is not None else []
        return self._defined(only[0], node.id, module, _MOST_IMPORTS) if len(only) == 1 else None

    def _exported(self, home: ModuleSyntax, name: str, most: int) -> PlacedClass | None:
        module, workspace = self.constants.module, self.constants.workspace
        found = exported(home, name, module, workspace) if most > 0 else None
        only = [one for one in found or () if isinstance(one, ast.AST)]
        return self._defined(only[0], name, home, most - 1) if len(only) == 1 else None

    def _defined(self, one: Definition, name: str, home: ModuleSyntax, most: int) -> PlacedClass | None:
        if isinstance(one, ast.ClassDef):
            return home, one
        if not isinstance(one, ast.ImportFrom) or is_star(one):
            return None
        target = self.constants.workspace.find(Import(one.module or "", None, one.level), home)
        return None if target is None else self._exported(target, original_name(name, one), most)

    def with_bases(self, placed: PlacedClass) -> Iterator[PlacedClass]:
        """A class and those of the workspace that it inherits from, the nearest first."""
        waiting, seen = [placed], 0
        while waiting and seen < _MOST_BASES:
            module, definition = waiting.pop(0)
            seen += 1
            yield module, definition
            inner = Objects(self.constants.within(module))
            waiting += [known for base in definition.bases if (known := inner.class_of(base)) is not None]

    def variable(self, placed: PlacedClass, name: str) -> object:
        """The value of a class variable that nothing but the class's own body gives its value."""
        for module, definition in self.with_bases(placed):
            binding = [one for one in definition.body if name in _bound_by(one)]
            if not binding:
                continue
            given = binding[0]
            alone = len(binding) == 1 and not stores_to(module, name)
            if not alone or not isinstance(given, ast.Assign | ast.AnnAssign):
                return UNKNOWN
            if {module.dotted(base) for base in definition.bases} & _ENUMERATIONS:
                return UNKNOWN
            if not _is_only_class_with(module, name):
                return UNKNOWN
            value = value_given(given, name)
            found = UNKNOWN if value is None else self.constants.within(module).value(value)
            return UNKNOWN if isinstance(found, ListValue) else found
        return UNKNOWN

    def method(self, placed: PlacedClass, name: str) -> tuple[ModuleSyntax, ast.FunctionDef] | None:
        """The method of a class or of one of its bases, where no class of its module has another one."""
        for module, definition in self.with_bases(placed):
            for one in definition.body:
                if isinstance(one, ast.FunctionDef) and one.name == name:
                    alone = len(module.functions_by_name.get(name, ())) == 1
                    return (module, one) if alone and not stores_to(module, name) else None
        return None

    @property
    def _names(self) -> ObjectNames:
        return self.constants.module.once(_names_in_sight, self.constants.workspace)

    def made(self, call: ast.Call) -> object | None:
        """The object that a call makes, None where it calls nothing that is known to make one."""
        constants = self.constants
        if last_name(call.func) not in self._names.makers:
            return None
        dotted = constants.module.dotted(call.func)
        values = {one.arg: constants.value(one.value) for one in call.keywords if one.arg}
        if dotted in _NAMESPACES and not call.args and is_imported(constants.module, call.func):
            return ObjectValue(tuple(values.items()))
        placed = self.class_of(call.func)
        if placed is None:
            return self._of_named_tuple(call)
        positional = [constants.value(one) for one in call.args]
        fields = self._fields(placed)
        if fields is not None:
            given = dict(zip([name for name, _ in fields], positional, strict=False)) | values
            inner = constants.within(placed[0])
            for name, default in fields:
                if name not in given:
                    given[name] = UNKNOWN if default is None else inner.value(default)
            return self._object(placed, given)
        return self._initialised(placed, positional, values)

    def of_owner(self, node: ast.Attribute) -> object:
        """A class variable of a class that is named, or a field of an object."""
        if node.attr not in self._names.members:
            return UNKNOWN
        placed = self.class_of(node.value)
        if placed is not None:
            return self.variable(placed, node.attr)
        owner = self.constants.value(node.value)
        return owner.field(node.attr) if isinstance(owner, ObjectValue) else UNKNOWN

    def of_own(self, name: str, assigned: bool) -> object:
        """The value that every method of the class around gives `self.name`, or that its class has."""
        module = self.constants.module
        owner = enclosing_class(module, self.constants.function)
        if owner is None:
            return UNKNOWN
        given = values_of_attribute(module, owner, name) if assigned else []
        # Others may store to it too: `+=`, a loop, code that has the object, a class that derives from it.
        stored = stores_to(module, name)
        if not given and not stored:
            return self._of_class(owner, name)
        if not given or len(given) > _MOST_VALUES or stored != len(given):
            return UNKNOWN
        found = agreed([self.constants.within(module, method).value(value) for method, value in given])
        return UNKNOWN if may_change(found, name, module, None) else found

    def _of_class(self, owner: ast.ClassDef, name: str) -> object:
        """A class variable of a class, or what a property of it returns."""
        method = self.method((self.constants.module, owner), name)
        if method is None:
            return self.variable((self.constants.module, owner), name)
        returned = only_returned(method[1]) if decorator_names(method[1]) in _PROPERTIES else None
        return UNKNOWN if returned is None else self.constants.within(*method).value(returned)

    def called_method(self, func: ast.expr) -> tuple[ModuleSyntax, ast.FunctionDef] | None:
        """The method that a call of `self`, of `cls` or of a class by its name runs, None for any other."""
        if not isinstance(func, ast.Attribute) or func.attr not in self._names.members:
            return None
        own = isinstance(func.value, ast.Name) and func.value.id in ("self", "cls")
        around = enclosing_class(self.constants.module, self.constants.function) if own else None
        placed = self.class_of(func.value) if around is None else (self.constants.module, around)
        found = None if placed is None else self.method(placed, func.attr)
        return found if found is not None and not decorator_names(found[1]) - _BINDING else None

    def _object(self, placed: PlacedClass, given: Mapping[str, object]) -> ObjectValue:
        """An object with those of its fields that nothing stores to later."""
        home, here = placed[0], self.constants.module
        kept = {
            name: UNKNOWN if stores_to(home, name) or stores_to(here, name) else value
            for name, value in given.items()
        }
        return ObjectValue(tuple(kept.items()))

    def _fields(self, placed: PlacedClass) -> list[tuple[str, ast.expr | None]] | None:
        """The fields of a dataclass or typed tuple in order, with their defaults; None for other classes."""
        module, definition = placed
        bases = [module.dotted(base) for base in definition.bases]
        decorators = [one.func if isinstance(one, ast.Call) else one for one in definition.decorator_list]
        is_tuple = bases == [_TYPED_TUPLE]
        is_dataclass = not bases and [module.dotted(one) for one in decorators] == [_DATACLASS]
        made_here = any(isinstance(one, ast.FunctionDef) and one.name in _MAKING for one in definition.body)
        if not (is_tuple or is_dataclass) or made_here:
            return None
        return [
            (one.target.id, _default(one.value))
            for one in definition.body
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        ]

    def _of_named_tuple(self, call: ast.Call) -> object | None:
        """The object that a call of what `namedtuple` made gives."""
        constants = self.constants
        if not isinstance(call.func, ast.Name) or call.func.id in constants.bindings:
            return None
        seen = visible(constants.module, call.func.id, call.func, constants.function)
        only = seen.bound if seen is not None else []
        given = value_given(only[0], call.func.id) if len(only) == 1 else None
        if not isinstance(given, ast.Call) or constants.module.dotted(given.func) not in _NAMED_TUPLES:
            return None
        names = constants.value(given.args[1]) if len(given.args) == 2 and not given.keywords else UNKNOWN
        if isinstance(names, str):
            names = tuple(names.replace(",", " ").split())
        if not isinstance(names, tuple) or not all(isinstance(one, str) for one in names):
            return UNKNOWN
        positional = [constants.value(one) for one in call.args]
        fields: dict[str, object] = dict.fromkeys(map(str, names), UNKNOWN)
        fields.update(zip(fields, positional, strict=False))
        fields.update({one.arg: constants.value(one.value) for one in call.keywords if one.arg in fields})
        return ObjectValue(tuple(fields.items()))

    def _initialised(
        self, placed: PlacedClass, positional: list[object], named: Mapping[str, object]
    ) -> object:
        """An object of a class whose own `__init__`, or none at all, makes it."""
        module, definition = placed
        if definition.bases or definition.decorator_list or definition.keywords:
            return UNKNOWN
        init = next(
            (one for one in definition.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"),
            None,
        )
        if init is None or init.decorator_list or init.args.vararg or init.args.kwarg:
            return UNKNOWN
        names = [one.arg for one in [*init.args.posonlyargs, *init.args.args]]
        bindings: dict[str, object] = dict.fromkeys(
            [*names, *(one.arg for one in init.args.kwonlyargs)], UNKNOWN
        )
        inner = self.constants.within(module)
        bindings.update({name: inner.value(one) for name, one in parameter_defaults(init).items()})
        bindings.update(zip(names[1:], positional, strict=False))
        bindings.update({name: value for name, value in named.items() if name in bindings})
        within = self.constants.within(module, init, bindings)
        assigned = (one for one in module.inside(init, ast.Attribute) if isinstance(one.ctx, ast.Store))
        found: dict[str, object] = {}
        for name in {one.attr for one in assigned}:
            given = values_of_attribute(module, definition, name)
            only = given[0] if len(given) == 1 and given[0][0] is init else None
            alone = only is not None and stores_to(module, name) == 1
            found[name] = within.value(only[1]) if alone and only is not None else UNKNOWN
        return ObjectValue(tuple(found.items()))


def decorator_names(function: FunctionNode) -> set[str]:
    """The last parts of the names of a function's decorators, empty ones for what has no name."""
    return {last_name(one.func if isinstance(one, ast.Call) else one) for one in function.decorator_list}


def _names_in_sight(module: ModuleSyntax, workspace: Workspace) -> ObjectNames:
    """Those of a module's own classes, and of the classes of the workspace that it imports."""
    members, makers = map(set, module.once(_own_names, module.tree))
    for name, imported in module.imports.items():
        target = workspace.find(imported, module)
        if target is None:
            continue
        own = target.once(_own_names, target.tree)
        if imported.name is None or imported.name in own.makers:
            makers |= own.makers if imported.name is None else {name}
        members |= own.members
    return ObjectNames(frozenset(members), frozenset(makers))


def _own_names(module: ModuleSyntax, tree: ast.Module) -> ObjectNames:
    classes = list(module.inside(tree, ast.ClassDef))
    members = set().union(*(_bound_by(inner) for one in classes for inner in one.body))
    fields = (inner.target for one in classes for inner in one.body if isinstance(inner, ast.AnnAssign))
    members |= {one.id for one in fields if isinstance(one, ast.Name)}
    members |= {one.attr for one in module.inside(tree, ast.Attribute) if isinstance(one.ctx, ast.Store)}
    makers = {one.name for one in classes}
    for call in module.calls:
        called = module.dotted(call.func)
        if called in _NAMESPACES:
            makers.add(last_name(call.func))
            members |= {one.arg for one in call.keywords if one.arg}
        elif called in _NAMED_TUPLES:
            statement = module.parents.get(call)
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            makers |= {one.id for one in targets if isinstance(one, ast.Name)}
            texts = (one.value for one in below(call) if isinstance(one, ast.Constant))
            members |= {word for one in texts if isinstance(one, str) for word in _WORDS.findall(one)}
    return ObjectNames(frozenset(members), frozenset(makers))


_MAKING = frozenset({"__init__", "__new__", "__post_init__", "__getattribute__", "__setattr__"})


def _default(value: ast.expr | None) -> ast.expr | None:
    """The default of a field, also of `field(default=…)`."""
    if isinstance(value, ast.Call) and last_name(value.func) == "field":
        return keyword_value(value, "default")
    return value


def _bound_by(statement: ast.stmt) -> set[str]:
    """The names that a statement of a class body binds."""
    inside = below_in_scope(ast.Module([statement], []))
    return {name for node in inside for name in bound_names(node)}


def _is_only_class_with(module: ModuleSyntax, name: str) -> bool:
    """Whether one class of a module alone gives a class variable its value: another may derive from it."""
    return module.once(_classes_binding, module.tree).get(name, 0) == 1


def _classes_binding(module: ModuleSyntax, tree: ast.Module) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in module.inside(tree, ast.ClassDef):
        for name in set().union(*map(_bound_by, one.body)):
            found[name] = found.get(name, 0) + 1
    return found


def stores_to(module: ModuleSyntax, name: str) -> int:
    """How many places of a module store to or delete an attribute of a name."""
    return module.once(_attribute_stores, module.tree).get(name, 0)


def _attribute_stores(module: ModuleSyntax, tree: ast.Module) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in module.inside(tree, ast.Attribute):
        if not isinstance(node.ctx, ast.Load):
            found[node.attr] = found.get(node.attr, 0) + 1
    return found


def only_returned(method: FunctionNode) -> ast.expr | None:
    """What a method without other statements than a docstring and one `return` returns."""
    body = [one for one in method.body if not isinstance(one, ast.Expr)]
    only = body[0] if len(body) == 1 else None
    return only.value if isinstance(only, ast.Return) else None
