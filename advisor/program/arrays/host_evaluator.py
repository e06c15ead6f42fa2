"""The values of host expressions, as far as the source shows them: each is worked out once and kept."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from advisor.program.arrays.array_parts import attribute_of, item, part
from advisor.program.arrays.asked_shapes import asks_for_a_size
from advisor.program.arrays.changed_arrays import set_from_outside, with_changes
from advisor.program.arrays.escaping_kernels import is_handed_on
from advisor.program.arrays.host_calls import HostCalls
from advisor.program.arrays.host_collections import HostCollections, bound_inside
from advisor.program.arrays.host_values import (
    NOTHING,
    OF_ANY_ORDER,
    OTHER,
    UNKNOWN,
    Array,
    Dtype,
    Instance,
    Items,
    Number,
    Value,
    as_parameter,
    joined,
)
from advisor.program.arrays.least_values import LeastValues
from advisor.program.arrays.operations.array_arithmetic import combined, compared
from advisor.program.arrays.operations.array_functions import DTYPES
from advisor.program.arrays.operations.derived_arrays import BRACKETED, attribute_of_other, column
from advisor.program.arrays.operations.number_ranges import constant_value, signed
from advisor.program.names.library_names import star_member
from advisor.program.names.object_attributes import stored_before, values_of_attribute
from advisor.program.names.scope_names import parameter_defaults, parameter_names
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.bound_names import target_names
from advisor.program.syntax.module import FunctionNode, ModuleSyntax, stored_names
from advisor.program.syntax.reaching_definitions import START, Definition
from advisor.program.syntax.tree_nodes import dotted_root
from advisor.program.values.call_sites import (
    is_own_object,
    values_given,
    values_given_to_method,
    values_in_script,
)
from advisor.program.values.constants import Constants

_ANNOTATIONS = {"bool": "boolean", "int": "int64", "float": "float64", "complex": "complex128"}


@dataclass(frozen=True, eq=False)
class Frame:
    """A function, or None for a module's own statements, with what one call of it gives its parameters, and
    what comprehensions that are followed have bound.
    """

    module: ModuleSyntax
    function: FunctionNode | None = None
    given: tuple[tuple[str, Value], ...] = ()
    bound: tuple[tuple[ast.expr, str, Value], ...] = ()

    @property
    def scope(self) -> FunctionNode | ast.Module:
        """The syntax tree of the function or module."""
        return self.function or self.module.tree

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of the function's parameters."""
        return frozenset(() if self.function is None else parameter_names(self.function))


class HostValues:
    """The values of the host expressions of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._values = LeastValues()
        self._frames: dict[Hashable, Frame] = {}
        self._constants: dict[Frame, Constants] = {}
        self.calls, self._collections = HostCalls(self), HostCollections(self)

    def frame(
        self, module: ModuleSyntax, function: FunctionNode | None, given: Iterable[tuple[str, Value]] = ()
    ) -> Frame:
        """The frame of a function, always the same one for the same values of parameters."""
        values = tuple(given)
        key = function or module.tree, values
        if key not in self._frames:
            self._frames[key] = Frame(module, function, values)
        return self._frames[key]

    def of(self, node: ast.expr, frame: Frame) -> Value:
        """The value of an expression in a frame."""
        return self._values.solve(lambda: self.value(node, frame))

    def value(self, node: ast.expr, frame: Frame) -> Value:
        """The value of an expression while others are worked out: NOTHING for one that rests on itself."""
        if isinstance(node, ast.Constant):
            return constant_value(node)
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        return self._values.once((node, frame), lambda: method(node, frame)) if method else UNKNOWN

    def constant(self, node: ast.expr, frame: Frame) -> object:
        """The number, text or tuple that an expression stands for."""
        if frame not in self._constants:
            changed = stored_names(frame.function) if frame.function else frozenset()
            given = {name: one.value for name, one in frame.given if isinstance(one, Number)}
            known = {
                name: value for name, value in given.items() if value is not None and name not in changed
            }
            self._constants[frame] = Constants(self.workspace, frame.module, frame.function, known)
        return self._constants[frame].value(node)

    def whole(self, node: ast.expr, frame: Frame) -> int | None:
        """The whole number that an expression stands for."""
        value = self.value(node, frame)
        if isinstance(value, Number) and type(value.value) is int:
            return value.value
        number = self.constant(node, frame)
        return number if type(number) is int else None

    def returned(self, frame: Frame) -> Value:
        """What the function of a frame returns."""
        function = frame.function
        if not isinstance(function, ast.FunctionDef):
            return UNKNOWN
        inside = frame.module.inside(function, ast.Yield), frame.module.inside(function, ast.YieldFrom)
        if any(inside):
            return UNKNOWN
        returns = [
            one for one in frame.module.inside(function, ast.Return) if frame.module.scope_of(one) is function
        ]
        values = (self.value(one.value, frame) if one.value else OTHER for one in returns)
        return self._values.once(("returned", frame), lambda: joined(values) if returns else OTHER)

    def member(self, name: str, module: ModuleSyntax) -> Value:
        """What the statements of a module give a name of it."""
        return self._values.once((name, module.tree), lambda: self._member(name, module))

    # Expressions

    def _tuple(self, node: ast.Tuple | ast.List, frame: Frame) -> Value:
        if any(isinstance(one, ast.Starred) for one in node.elts):
            return UNKNOWN
        return Items(tuple(self.value(one, frame) for one in node.elts), isinstance(node, ast.Tuple))

    _list = _tuple

    def _dict(self, node: ast.Dict, frame: Frame) -> Value:
        return self._collections.of_dict(node, frame)

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> Value:
        return self._collections.of_comprehension(node, frame)

    _generatorexp = _listcomp

    def _namedexpr(self, node: ast.NamedExpr, frame: Frame) -> Value:
        return self.value(node.value, frame)

    def _ifexp(self, node: ast.IfExp, frame: Frame) -> Value:
        return joined((self.value(node.body, frame), self.value(node.orelse, frame)))

    def _boolop(self, node: ast.BoolOp, frame: Frame) -> Value:
        return joined(self.value(one, frame) for one in node.values)

    def _unaryop(self, node: ast.UnaryOp, frame: Frame) -> Value:
        value = self.value(node.operand, frame)
        if isinstance(node.op, ast.Not):
            return Number("boolean")
        if isinstance(value, Number):
            dtype = "int64" if value.dtype == "boolean" and value.python else value.dtype
            low, high = signed(node.op, value)
            return replace(value, dtype=dtype, low=low, high=high)
        if isinstance(value, Array):
            return combined(ast.Add(), value, Number(value.dtype))
        return value if value in (NOTHING, OTHER) else UNKNOWN

    def _binop(self, node: ast.BinOp, frame: Frame) -> Value:
        sides = self.value(node.left, frame), self.value(node.right, frame)
        return NOTHING if NOTHING in sides else combined(node.op, *sides)

    def _compare(self, node: ast.Compare, frame: Frame) -> Value:
        if any(isinstance(one, ast.Is | ast.IsNot | ast.In | ast.NotIn) for one in node.ops):
            return Number("boolean")
        if len(node.ops) > 1:
            return UNKNOWN
        return compared(self.value(node.left, frame), self.value(node.comparators[0], frame))

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Value:
        base = self.value(node.value, frame)
        if base == NOTHING:
            return NOTHING
        if base == UNKNOWN and (self.library_name(node.value, frame) or "") in BRACKETED:
            return Array("numpy", "host")
        picked = part(
            base, node.slice, lambda one: self.value(one, frame), lambda one: self.whole(one, frame)
        )
        return column(base) or picked

    def _call(self, node: ast.Call, frame: Frame) -> Value:
        if isinstance(node.func, ast.Name) and node.func.id == "map":
            return self._collections.mapped(node, frame)
        return self.calls.value(node, frame)

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Value:
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            stored = stored_before(frame.module, node)
            found = self._of_self(node.attr, frame) if stored is None else self.value(stored, frame)
            return with_changes(found, frame.module)
        dotted = self.library_name(node, frame)
        if dotted is not None and dotted.startswith(("numpy.", "cupy.", "numba.")):
            name = DTYPES.get(dotted.rpartition(".")[2])
            return Dtype(name) if name else UNKNOWN
        place = self.workspace.member(dotted, frame.module) if dotted else None
        if place is not None:
            return self.member(place[1], place[0])
        base = self.value(node.value, frame)
        if isinstance(base, Instance):
            return self._of_instance(base, node.attr, frame)
        found = attribute_of_other(base, node.attr) or attribute_of(base, node.attr)
        number = self.constant(node, frame) if found == UNKNOWN else None
        return Number("int64", number, number) if type(number) is int else found

    def library_name(self, node: ast.expr, frame: Frame) -> str | None:
        """What an expression is called in the library or module it comes from, None for a local name."""
        root = dotted_root(node)
        if root is None or self._is_local(root.id, frame):
            return None
        module = frame.module
        dotted = module.dotted(node)
        if dotted is None or (root is not node and root.id not in module.imports and not module.star_imports):
            return None
        return self.workspace.library_name(dotted, module)

    # Names

    def _is_local(self, name: str, frame: Frame) -> bool:
        """Whether a function binds a name by anything but an import."""
        if frame.function is None:
            return False
        found = frame.module.definitions(frame.function).of(name)
        return name in frame.parameters or any(
            not isinstance(one, ast.Import | ast.ImportFrom) for one in found
        )

    def _name(self, node: ast.Name, frame: Frame) -> Value:
        inside = bound_inside(node, frame)
        if inside is not None:
            return inside
        found = with_changes(self._of_name(node, frame), frame.module)
        found = self._collections.kept(found, node.id, frame)
        if isinstance(found, Array) and found.element and found.library and frame.function is not None:
            return replace(found, element=not asks_for_a_size(frame.module, frame.function, node))
        return found

    def _of_name(self, node: ast.Name, frame: Frame) -> Value:
        module, name = frame.module, node.id
        if any(
            isinstance(one, ast.Lambda) and name in parameter_names(one) for one in _lambdas(node, module)
        ):
            return UNKNOWN
        definitions = module.definitions(frame.scope)
        if frame.function is not None and not definitions.of(name) and name not in frame.parameters:
            return self._around(name, frame)
        if frame.function is None and not definitions.of(name):
            return self._built_in(name, module)
        reaching = definitions.reaching(name, node)
        if reaching is None:
            reaching = frozenset({START, *definitions.of(name)})
        if definitions.bound_by_others(name):
            return UNKNOWN
        return joined(self._defined(one, name, frame) for one in reaching)

    def _around(self, name: str, frame: Frame) -> Value:
        """What functions around that of a frame, or else the module, bind to a name: whenever they do."""
        module = frame.module
        for scope in module.scopes(frame.scope):
            if isinstance(scope, ast.Lambda) and name in parameter_names(scope):
                return UNKNOWN
            if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            outer, definitions = self.frame(module, scope), module.definitions(scope)
            found: list[Definition] = [*definitions.of(name)]
            if name in outer.parameters:
                found.append(START)
            if found:
                others = definitions.bound_by_others(name)
                return UNKNOWN if others else joined(self._defined(one, name, outer) for one in found)
        if not module.definitions(module.tree).of(name):
            return self._built_in(name, module)
        return self.member(name, module)

    def _built_in(self, name: str, module: ModuleSyntax) -> Value:
        dtype = DTYPES.get(name) if name in ("int", "float", "bool", "complex") else None
        if dtype is None and module.star_imports:
            dotted = self.workspace.library_name(name, module)
            dtype = DTYPES.get(dotted.rpartition(".")[2]) if "." in dotted else None
        return Dtype(dtype) if dtype else UNKNOWN

    def _member(self, name: str, module: ModuleSyntax) -> Value:
        definitions, frame = module.definitions(module.tree), self.frame(module, None)
        at_end = definitions.at_end(name)
        # A star import may have been followed by what the name is in the end.
        found = [one for one in definitions.of(name) if one in at_end or not isinstance(one, ast.ImportFrom)]
        if not found or definitions.bound_by_others(name):
            return UNKNOWN
        return joined(self._defined(one, name, frame) for one in found)

    def _defined(self, definition: Definition, name: str, frame: Frame) -> Value:
        """What a definition gives a name."""
        return self._values.once((definition, name, frame), lambda: self._given_by(definition, name, frame))

    def _given_by(self, definition: Definition, name: str, frame: Frame) -> Value:
        if not isinstance(definition, ast.AST):
            return self._parameter(name, frame) if name in frame.parameters else NOTHING
        if isinstance(definition, ast.Assign):
            targets = [one for one in definition.targets if name in target_names(one)]
            return joined(self._bound(one, definition.value, name, frame) for one in targets)
        if isinstance(definition, ast.AnnAssign | ast.NamedExpr) and definition.value is not None:
            return self.value(definition.value, frame)
        if isinstance(definition, ast.AugAssign):
            return self._changed(definition, frame)
        if isinstance(definition, ast.For):
            return _unpacked(definition.target, self._collections.iterated(definition.iter, frame), name)
        if isinstance(definition, ast.Import | ast.ImportFrom):
            return self._imported(definition, name, frame)
        return NOTHING if isinstance(definition, ast.Delete) else UNKNOWN

    def _bound(self, target: ast.expr, value: ast.expr, name: str, frame: Frame) -> Value:
        """What the assignment of a value to a target gives a name in it."""
        if isinstance(value, ast.Tuple | ast.List) and isinstance(target, ast.Tuple | ast.List):
            starred = any(isinstance(one, ast.Starred) for one in (*target.elts, *value.elts))
            if len(target.elts) == len(value.elts) and not starred:
                pairs = zip(target.elts, value.elts, strict=True)
                return joined(self._bound(a, b, name, frame) for a, b in pairs if name in target_names(a))
        return _unpacked(target, self.value(value, frame), name)

    def _changed(self, node: ast.AugAssign, frame: Frame) -> Value:
        """What `a += b` leaves: the same array with other elements, or another number."""
        if not isinstance(node.target, ast.Name):
            return UNKNOWN
        before, after = self._of_name(node.target, frame), self.value(node.value, frame)
        if isinstance(before, Array) and not before.element:
            return before
        return NOTHING if NOTHING in (before, after) else combined(node.op, before, after)

    def _imported(self, node: ast.Import | ast.ImportFrom, name: str, frame: Frame) -> Value:
        module = frame.module
        star = isinstance(node, ast.ImportFrom) and any(one.name == "*" for one in node.names)
        if star and not star_member(_library_of(node), name):
            place = self.workspace.definition(name, module)
            return NOTHING if place is None or place[0] is module else self.member(place[1], place[0])
        dotted = self.workspace.library_name(module.dotted(ast.Name(id=name)) or name, module)
        if dotted.startswith(("numpy.", "cupy.", "numba.")):
            dtype = DTYPES.get(dotted.rpartition(".")[2])
            return Dtype(dtype) if dtype else UNKNOWN
        place = self.workspace.definition(name, module)
        return UNKNOWN if place is None or place[0] is module else self.member(place[1], place[0])

    # Parameters and attributes

    def _parameter(self, name: str, frame: Frame) -> Value:
        """What a parameter has when its function is called."""
        known = dict(frame.given)
        if name in known:
            return known[name]
        function, module = frame.function, frame.module
        if function is None or not _is_taken_by_name(function, name):
            return UNKNOWN
        stated = _annotated(function, name)
        owner = module.parents.get(function)
        if isinstance(owner, ast.ClassDef):
            if is_own_object(function, name):
                return Instance(owner, module)
            found = as_parameter(
                joined(self.value(node, caller) for node, caller in self.passed(name, frame))
            )
            return stated or UNKNOWN if found in (UNKNOWN, NOTHING) else found
        if not values_given(module, function, name):
            if stated is not None:
                return stated
            return OF_ANY_ORDER if is_handed_on({function.name}, module, self.workspace) else UNKNOWN
        found = joined(self.value(node, caller) for node, caller in self.passed(name, frame))
        if found == UNKNOWN and stated is not None:
            return stated
        is_main = not self.workspace.in_package(module)
        seen = values_in_script(module, function, name, is_main=is_main)
        return found if seen else as_parameter(found)

    def passed(self, name: str, frame: Frame) -> list[tuple[ast.expr, Frame]]:
        """What each call in the module gives a parameter, or its default, with the frame to ask in."""
        function, module = frame.function, frame.module
        if function is None:
            return []
        default = parameter_defaults(function).get(name, ast.Constant(value=None))
        around = self.frame(module, module.function_around(function))
        owner = module.parents.get(function)
        calls = (
            values_given_to_method(module, function, owner, name)
            if isinstance(owner, ast.ClassDef)
            else values_given(module, function, name)
        )
        return [(given, self.frame(module, at)) if given else (default, around) for at, given in calls]

    def calls_of_script(self, module: ModuleSyntax, function: FunctionNode | None) -> list[Frame]:
        """The frames of all calls of a script's function, none where calls may be out of sight."""
        names = [one.arg for one in function.args.args] if function else []
        is_main = not self.workspace.in_package(module)
        if not names or not values_in_script(module, function, names[0], is_main=is_main):
            return []
        plain = self.frame(module, function)
        columns = [[self.of(*one) for one in self.passed(name, plain)] for name in names]
        rows = zip(*columns, strict=True)
        return [self.frame(module, function, zip(names, row, strict=True)) for row in rows]

    def _of_self(self, name: str, frame: Frame) -> Value:
        """What the methods of the class around a function give an attribute of its object."""
        classes = [one for one in frame.module.scopes(frame.scope) if isinstance(one, ast.ClassDef)]
        if frame.function is None or not classes:
            return UNKNOWN
        return self._kept_in(name, frame.module, classes[0])

    def _of_instance(self, found: Instance, name: str, frame: Frame) -> Value:
        """What the methods of an object's class give an attribute of it that is read from outside."""
        value = self._kept_in(name, found.module, found.owner)
        set_here = name in frame.module.once(set_from_outside, frame.module.tree)
        return with_changes(as_parameter(value) if set_here else value, frame.module)

    def _kept_in(self, name: str, module: ModuleSyntax, owner: ast.ClassDef) -> Value:
        return self._values.once((name, owner), lambda: self._of_object(name, module, owner))

    def _of_object(self, name: str, module: ModuleSyntax, owner: ast.ClassDef) -> Value:
        values = values_of_attribute(module, owner, name)
        if not values:
            return self._inherited(name, module, owner)
        found = joined(self.value(value, self.frame(module, method)) for method, value in values)
        found = self._collections.kept(found, name, self.frame(module, None))
        outside = name in module.once(set_from_outside, module.tree)
        return as_parameter(found) if outside else found

    def _inherited(self, name: str, module: ModuleSyntax, owner: ast.ClassDef) -> Value:
        for parent in owner.bases:
            dotted = module.dotted(parent)
            place = self.workspace.member(dotted, module) if dotted else None
            base = place[0].top_level.get(place[1]) if place else None
            if place is not None and isinstance(base, ast.ClassDef) and base is not owner:
                value = self._kept_in(name, place[0], base)
                if value != UNKNOWN:
                    return value
        return UNKNOWN


def _unpacked(target: ast.expr, value: Value, name: str) -> Value:
    """What a value gives a name in a target that it is unpacked into."""
    if isinstance(target, ast.Name):
        return value
    if not isinstance(target, ast.Tuple | ast.List) or any(isinstance(e, ast.Starred) for e in target.elts):
        return NOTHING if value == NOTHING else UNKNOWN
    found = []
    for position, inner in enumerate(target.elts):
        if name in target_names(inner):
            same = isinstance(value, Items) and len(value.items) == len(target.elts)
            one = value.items[position] if same and isinstance(value, Items) else item(value)
            found.append(_unpacked(inner, NOTHING if value == NOTHING else one, name))
    return joined(found)


def _library_of(node: ast.Import | ast.ImportFrom) -> str:
    """The module that is imported from, by its full name."""
    return (node.module or "") if isinstance(node, ast.ImportFrom) and not node.level else ""


def _lambdas(node: ast.AST, module: ModuleSyntax) -> list[ast.Lambda]:
    """The lambdas between an expression and its function."""
    found = []
    for scope in module.scopes(node):
        if not isinstance(scope, ast.Lambda):
            break
        found.append(scope)
    return found


def _is_taken_by_name(function: FunctionNode, name: str) -> bool:
    """Whether a name is that of a parameter which calls give a value of its own."""
    return name in {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}


def _annotated(function: FunctionNode, name: str) -> Number | None:
    """The number that a parameter of Python's own types is said to be; None for any other annotation."""
    for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
        if one.arg == name and isinstance(one.annotation, ast.Name) and one.annotation.id in _ANNOTATIONS:
            return Number(_ANNOTATIONS[one.annotation.id])
    return None
