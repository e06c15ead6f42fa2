"""What host code shows of the arguments of a launch: types, sizes, orders, and which arrays it copies."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from advisor.model.compilation_unit import ArgumentValue
from advisor.program.arrays.escaping_kernels import kernel_is_handed_on
from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.host_values import Array, Items, Number, Order, Value
from advisor.program.effects.argument_types import OF_SOME_DIMENSIONS, array_type
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.scope_names import parameter_defaults
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode, stored_names

Extents: TypeAlias = tuple[int | None, ...]
# A NumPy array that a launch copies, an array without elements, something else; None for what is not known.
Given: TypeAlias = Literal["host", "empty", "other"] | None


def argument_types(call: ast.Call, scope: HostScope) -> tuple[str | None, ...]:
    """The Numba type of each argument as text, None where the source does not show it; nothing where a launch
    does not name the arguments one by one.
    """
    return tuple(_type(argument, scope) for argument in call.args) if _one_by_one(call) else ()


def given_arrays(call: ast.Call, scope: HostScope) -> tuple[Given, ...]:
    """What a launch gives for each parameter; nothing where it does not name them one by one."""
    return tuple(_given(argument, scope) for argument in call.args) if _one_by_one(call) else ()


def orders_of_arguments(arguments: Sequence[ast.expr], scope: HostScope) -> tuple[Order, ...]:
    """The order of each argument that is an array; what is said of a flat array has no use."""
    values = (scope.value(argument) for argument in arguments)
    return tuple(one.order if isinstance(one, Array) else None for one in values)


def orders_elsewhere(kernel: Declaration, workspace: Workspace) -> dict[str, Order]:
    """The orders of the parameters of a kernel without a launch in sight: not known where code that is not
    followed is given the kernel, to launch it with arrays of its own.
    """
    return dict.fromkeys(kernel.parameters, "unknown") if kernel_is_handed_on(kernel, workspace) else {}


def extents_of_arguments(arguments: Sequence[ast.expr], scope: HostScope) -> tuple[Extents | None, ...]:
    """For each argument the sizes of its axes, None where none is known.

    A size that the enclosing function takes as a parameter is that of the parameter's default.
    """
    frame = scope.values.frame(scope.module, scope.function, _defaults(scope.function).items())
    values = [scope.values.of(argument, frame) for argument in arguments]
    found = [_positive(one.shape) if isinstance(one, Array) else None for one in values]
    return tuple(one if one and set(one) != {None} else None for one in found)


def values_of_arguments(
    arguments: Sequence[ast.expr], scope: HostScope
) -> tuple[tuple[ArgumentValue, ...], ...]:
    """What is known of the values of each argument, sizes of several possible ones left open.

    A number that the enclosing function takes as a parameter is that of the parameter's default.
    """
    frame = scope.values.frame(scope.module, scope.function, _defaults(scope.function).items())
    return tuple(tuple(_values("", scope.values.of(argument, frame))) for argument in arguments)


def _values(item: str, value: Value) -> Iterator[ArgumentValue]:
    if isinstance(value, Array) and (shape := _positive(value.shape)) and set(shape) != {None}:
        yield ArgumentValue(item, shape)
    elif isinstance(value, Number) and value.value is not None and math.isfinite(value.value):
        yield ArgumentValue(item, number=float(value.value))
    elif isinstance(value, Items) and value.fixed:
        for number, member in enumerate(value.items):
            yield from _values(f"{item}.{number}", member)


def sizes_of_arrays(arguments: Sequence[ast.expr], scope: HostScope) -> list[tuple[int, ...]] | None:
    """The sizes of all arrays among the arguments, None where one of them may be an array of a size that the
    source does not fix. Of an array that may have several sizes it is the largest.
    """
    found = []
    for argument in arguments:
        sizes = _largest(argument, scope)
        if sizes is not None:
            found.append(sizes)
        elif not isinstance(scope.value(argument), Number):
            return None
    return found


def largest_host_array(arguments: Sequence[ast.expr], scope: HostScope) -> int | None:
    """The elements of the largest NumPy array among the arguments, None where the source does not fix the
    size of each, or there is none.
    """
    found = [_largest(argument, scope) for argument in arguments if scope.is_host_array(argument)]
    known = [math.prod(sizes) for sizes in found if sizes is not None]
    return max(known) if known and len(known) == len(found) else None


def _one_by_one(call: ast.Call) -> bool:
    return not call.keywords and not any(isinstance(argument, ast.Starred) for argument in call.args)


def _type(argument: ast.expr, scope: HostScope) -> str | None:
    value = scope.value(argument)
    if isinstance(value, Number):
        return value.dtype
    if not isinstance(value, Array) or value.dtype is None or value.order == "unknown":
        return None
    if value.dims is None:
        return None if value.order == "F" else value.dtype + OF_SOME_DIMENSIONS
    return array_type(value.dtype, value.dims, column_major=value.order == "F") if value.dims else None


def _given(argument: ast.expr, scope: HostScope) -> Given:
    value = scope.value(argument)
    if isinstance(value, Array) and value.empty:
        return "empty"
    host = scope.is_host_array(argument)
    return None if host is None else "host" if host else "other"


def _largest(argument: ast.expr, scope: HostScope) -> tuple[int, ...] | None:
    """The largest sizes of an array, None for a number, and where one of them is not known."""
    frames = scope.values.calls_of_script(scope.module, scope.function)
    values = [scope.values.of(argument, frame) for frame in frames] or [scope.value(argument)]
    found = [_positive(one.largest) if isinstance(one, Array) else None for one in values]
    known = [tuple(size for size in one if size is not None) for one in found if one and None not in one]
    return max(known, key=math.prod) if known and len(known) == len(found) else None


def _positive(sizes: tuple[int | None, ...] | None) -> Extents | None:
    """Sizes without those of no elements, which say nothing of what a launch is meant for."""
    return None if sizes is None else tuple(one if one and one > 0 else None for one in sizes)


def _defaults(function: FunctionNode | None) -> dict[str, Number]:
    """The parameters of a function that it does not change, with the numbers that are their defaults."""
    if function is None:
        return {}
    defaults = parameter_defaults(function).items()
    found = {
        name: Number("int64", item.value, item.value)
        for name, item in defaults
        if isinstance(item, ast.Constant) and type(item.value) is int
    }
    changed = stored_names(function) if found else set()
    return {name: number for name, number in found.items() if name not in changed}
