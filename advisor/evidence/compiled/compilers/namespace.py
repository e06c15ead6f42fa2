"""Defines the functions of a unit in a namespace of constants and library names alone."""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from advisor.evidence.compiled.compilers.literals import NotLiteral, alias_value, constant_value
from advisor.evidence.compiled.instructions.ptx import unit_file
from advisor.model.text.syntax_trees import syntax_tree

_MARKER = "__builtins__"


class BadUnit(Exception):
    """A unit that does not keep to its contract; `function` is the number of the one at fault, if one is."""

    def __init__(self, message: str, function: int | None = None) -> None:
        super().__init__(message)
        self.function = function


@dataclass(frozen=True)
class UnitText:
    """What travels to the worker of a unit; `functions` are (name, source, device)."""

    functions: tuple[tuple[str, str, bool], ...]
    constants: dict[str, str]
    aliases: dict[str, str]


def define(unit: UnitText) -> tuple[dict[str, Any], Any]:
    """The unit's namespace with its device functions compiled lazily, and its kernel as a plain function.

    Raises BadUnit for text that is not one plain function and for constants that have no value.
    """
    names: dict[str, Any] = {_MARKER: vars(builtins)}
    for name, text in unit.constants.items():
        names[name] = _known(name, constant_value, text)
    for name, dotted in unit.aliases.items():
        names[name] = _known(name, alias_value, dotted)
    kernel = None
    for number, (name, source, device) in enumerate(unit.functions):
        function = _function(name, source, number, names)
        names[name] = _device_function(function) if device else function
        kernel = kernel if device else function
    if kernel is None:
        raise BadUnit("the unit has no kernel")
    return names, kernel


def _known(name: str, value_of: Callable[[str], Any], text: str) -> Any:
    try:
        return value_of(text)
    except NotLiteral as problem:
        raise BadUnit(f"`{name}` has no value the compiler can be given: {problem}") from None
    except (ArithmeticError, TypeError, ValueError, KeyError, RecursionError) as problem:
        raise BadUnit(f"`{name}` has no value the compiler can be given ({type(problem).__name__})") from None


def _function(name: str, source: str, number: int, names: dict[str, Any]) -> Any:
    file = unit_file(number)
    try:
        tree = syntax_tree(source)
    except (SyntaxError, ValueError) as problem:
        raise BadUnit(f"`{name}` cannot be parsed: {problem}", number) from None
    _check(name, tree, number)
    # Numba looks the text up to place its debug information; without an entry it warns and guesses.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    # Only the `def` statement runs, and its defaults are constants (checked above).
    exec(compile(tree, file, "exec", dont_inherit=True), names)
    return names[name]


def _check(name: str, tree: ast.Module, number: int) -> None:
    body = tree.body
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].name != name:
        raise BadUnit(f"the text of `{name}` is not one function", number)
    definition = body[0]
    arguments = definition.args
    defaults = [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
    if definition.decorator_list or definition.returns or not all(map(_plain, defaults)):
        raise BadUnit(f"the text of `{name}` has decorators or defaults that are no constants", number)
    every = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    if any(argument is not None and argument.annotation is not None for argument in every):
        raise BadUnit(f"the text of `{name}` has annotations", number)


def _plain(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id == "math"
    return isinstance(node, ast.Constant)


def _device_function(function: Any) -> Any:
    from numba import cuda

    return cuda.jit(function, device=True, lineinfo=True)
