"""Values that stand for names whose value the source does not give, of the type that their use shows."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.program.effects.local_values import field_name
from advisor.program.effects.parameter_use import Use
from advisor.program.effects.use_analysis import Callee, UseAnalysis, is_memory
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below

# Two values for each of several whole numbers. The larger of two is the smaller with their second values, so
# nothing that both agree on hangs on an order; and what a power of two makes cheaper differs.
_INTEGERS = (("32", "48"), ("16", "80"), ("64", "24"), ("8", "96"), ("128", "12"))
_IN_SOLIDS = (("8", "12"), ("16", "6"), ("4", "24"))
# What an index is divided by is often the length of a row, and that often less than a warp and odd.
_DIVISORS = (("32", "11"), ("16", "13"), ("64", "7"), ("8", "15"), ("128", "3"))
_DIVISORS_IN_SOLIDS = (("8", "5"), ("16", "3"), ("4", "7"))
# A number may be a float32 as well: then nothing is computed in float64 for its sake.
_FLOATS = (("1.3", "np.float32(0.7)"), ("0.6", "np.float32(1.9)"))
_TRUTHS, _TYPES = (("True", "False"), ("False", "True")), (("numba.float32", "numba.float64"),)
_SOLID = 3


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A `name` without a known value at one place: `node` is the name, or the attribute of it, that a
    function of `module` reads there; `reason` completes the sentence "… is not known: it is".
    """

    name: str
    reason: str
    module: ModuleSyntax
    function: FunctionNode
    node: ast.expr

    @property
    def written(self) -> str:
        """What is read, as it is written: `N`, `config.N`."""
        return ast.unparse(self.node)

    @property
    def short(self) -> str:
        """The last part of what is written."""
        return self.written.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Guess:
    """Two values for an unknown name, as text for a unit's constants, and the Numba type that they have."""

    type: str
    value: str
    other: str

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number, or a tuple of such."""
        return self.type == "int64" or self.type.startswith("UniTuple")

    def in_words(self, written: str, reason: str) -> str:
        """The guess as an assumption."""
        kind = "a data type" if self.type == "type" else self.type
        return (
            f"`{written}` ({reason}) is taken to be {self.value}, {kind} as its use shows; what is otherwise "
            f"with {self.other} is left out."
        )

    def computed_in_words(self, written: str, roots: Sequence[str]) -> str:
        """The guess as an assumption, for a name that is computed of others."""
        names = ", ".join(f"`{name}`" for name in roots)
        return (
            f"`{written}` is taken to be {self.value}, as it is computed of {names}; what is otherwise with "
            f"{self.other} is left out."
        )


def outermost(node: ast.expr, module: ModuleSyntax) -> ast.expr:
    """The name, or the attribute of it that a function reads, as `N` and `config.N`."""
    parent = module.parents.get(node)
    return parent if isinstance(node, ast.Name) and isinstance(parent, ast.Attribute) else node


def guessed(places: Sequence[UnknownValue], callee: Callee, number: int = 0) -> Guess | None:
    """The values that stand for a name at all places where it is read; None where its use does not show what
    it is: it is called, indexed, compared with a text, or a part of something else.

    Names of other numbers have other values, so that no two of them are taken to be the same.
    """
    kind = _kind(places, callee)
    if kind is None:
        return None
    name, pairs, length = kind
    value, other = pairs[number % len(pairs)]
    if length:
        value, other = (f"({', '.join([text] * length)})" for text in (value, other))
    return Guess(name, value, other)


def whole_number(number: int) -> Guess:
    """The values of a whole number, others for each `number`."""
    return Guess("int64", *_INTEGERS[number % len(_INTEGERS)])


def _kind(
    places: Sequence[UnknownValue], callee: Callee
) -> tuple[str, tuple[tuple[str, str], ...], int] | None:
    """The Numba type of a name, the values that such names have, and the length of a tuple of them."""
    if any(_is_type(place) for place in places):
        return ("type", _TYPES, 0) if all(_is_type(one) or _is_called(one) for one in places) else None
    if any(_is_called(place) or _is_opaque(place) for place in places):
        return None
    uses = [_use(place, callee) for place in places]
    if any(one.dims or one.complex or one.random_states or one.fields for one in uses):
        return None
    length = max([*(one.tuple_length for one in uses), *(_shape_axes(place) for place in places)])
    if length > 1:
        return f"UniTuple(int64, {length})", _IN_SOLIDS if length >= _SOLID else _INTEGERS, length
    if any(one.integer or one.likely_integer for one in uses):
        in_solid = any(_is_in_solid(place) for place in places)
        if any(_divides(place) for place in places):
            return "int64", _DIVISORS_IN_SOLIDS if in_solid else _DIVISORS, 0
        return "int64", _IN_SOLIDS if in_solid else _INTEGERS, 0
    if all(_is_tested(place) for place in places):
        return "boolean", _TRUTHS, 0
    return "float64", _FLOATS, 0


def _is_called(place: UnknownValue) -> bool:
    parent = place.module.parents.get(place.node)
    return isinstance(parent, ast.Call) and parent.func is place.node


def _is_opaque(place: UnknownValue) -> bool:
    """Whether a value is compared with a text or with None, or has attributes, which no number has."""
    node, parent = place.node, place.module.parents.get(place.node)
    if place.written.count(".") > 1 or (isinstance(node, ast.Attribute) and not field_name(node)):
        return True
    if isinstance(parent, ast.Compare):
        others = [one for one in (parent.left, *parent.comparators) if one is not place.node]
        return any(isinstance(one, ast.Constant) and isinstance(one.value, str | None) for one in others)
    return isinstance(parent, ast.Attribute | ast.Starred)


def _is_type(place: UnknownValue) -> bool:
    """Whether a name is the data type of an array of shared or local memory."""
    call = _array_call(place.module.parents.get(place.node), place.module)
    return call is not None and place.node in [*call.args[1:2], *_keyword(call, "dtype")]


def _is_tested(place: UnknownValue) -> bool:
    parent = place.module.parents.get(place.node)
    if isinstance(parent, ast.If | ast.While | ast.IfExp | ast.Assert):
        return parent.test is place.node
    return isinstance(parent, ast.BoolOp) or (
        isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
    )


def _is_in_solid(place: UnknownValue) -> bool:
    """Whether a name is an extent of an array of three or more axes in shared or local memory."""
    shape = place.module.parents.get(place.node)
    if not isinstance(shape, ast.Tuple) or len(shape.elts) < _SOLID:
        return False
    return _array_call(place.module.parents.get(shape), place.module) is not None


def _divides(place: UnknownValue) -> bool:
    """Whether whole numbers are divided by a name, or by a product of it."""
    node, parent = place.node, place.module.parents.get(place.node)
    while isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult):
        node, parent = parent, place.module.parents.get(parent)
    divisions = ast.FloorDiv | ast.Mod
    return isinstance(parent, ast.BinOp) and isinstance(parent.op, divisions) and parent.right is node


def _shape_axes(place: UnknownValue) -> int:
    """The axes of a shared or local array of which a name is the whole shape, as it is indexed; else 0."""
    parent = place.module.parents.get(place.node)
    call = _array_call(parent, place.module)
    if call is None or place.node not in [*call.args[:1], *_keyword(call, "shape")]:
        return 0
    assigned = place.module.parents.get(call)
    targets = assigned.targets if isinstance(assigned, ast.Assign) else []
    names = {one.id for one in targets if isinstance(one, ast.Name)}
    indices = [
        len(one.slice.elts) if isinstance(one.slice, ast.Tuple) else 1
        for one in below(place.function)
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name) and one.value.id in names
    ]
    return max(indices, default=1)


def _array_call(node: ast.AST | None, module: ModuleSyntax) -> ast.Call | None:
    """The call of `cuda.shared.array` or `cuda.local.array` that a node, or the keyword that it is, is of."""
    if isinstance(node, ast.keyword):
        node = module.parents.get(node)
    return node if isinstance(node, ast.Call) and is_memory(node.func) else None


def _keyword(call: ast.Call, name: str) -> list[ast.expr]:
    return [one.value for one in call.keywords if one.arg == name]


def _use(place: UnknownValue, callee: Callee) -> Use:
    """How the function uses the name, were it a parameter, or a field of one."""
    owner, _, attribute = place.written.rpartition(".")
    name = owner or place.written
    use = UseAnalysis(callee).uses(_with_parameter(place.function, name))[name]
    return use.part(attribute) if owner else use


def _with_parameter(function: FunctionNode, name: str) -> FunctionNode:
    """The function with one more parameter."""
    own = function.args
    arguments = ast.arguments(
        posonlyargs=own.posonlyargs, args=own.args, vararg=own.vararg,
        kwonlyargs=[*own.kwonlyargs, ast.arg(arg=name)], kw_defaults=[*own.kw_defaults, None],
        kwarg=own.kwarg, defaults=own.defaults,
    )  # fmt: skip
    copied = ast.FunctionDef(name=function.name, args=arguments, body=function.body, decorator_list=[])
    return ast.copy_location(copied, function)


def by_name(places: Iterable[UnknownValue]) -> dict[tuple[str, str], list[UnknownValue]]:
    """The places by module and name as it is written: one value stands for all of these."""
    found: dict[tuple[str, str], list[UnknownValue]] = {}
    for place in places:
        found.setdefault((place.module.path, place.written), []).append(place)
    return found
