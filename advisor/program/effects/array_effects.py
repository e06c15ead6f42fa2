"""What a kernel or device function may do with the arrays that it is given.

The one place that answers "may this function read, write or keep this parameter?". Unknown counts as yes.
The analysis is a may-alias analysis without regard to the order of statements (Andersen, "Program Analysis
and Specialization for the C Programming Language", 1994, with one object for each name): each function is
walked once, and what is done with a name is done with all that may flow into it. It is linear in the
function's size.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from advisor.program.effects.array_flow import EVERYTHING, KEPT, READ, RETURNED, WRITTEN, ArrayFlow
from advisor.program.effects.callees import Callees
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax

# How many functions deep calls are followed; what is called below counts as unknown.
_DEEPEST = 24


@dataclass(frozen=True, slots=True)
class Effects:
    """What may be done with the elements of an array; asking for its shape or type is nothing.

    `keeps` is True where the array may be reached later by something that is not seen, which may then read
    and write it: both are True as well. `returns` is True where the result of the function may be the
    array or a part of it.
    """

    reads: bool
    writes: bool
    keeps: bool
    returns: bool = False


UNKNOWN = Effects(True, True, True, True)


@dataclass
class ArrayEffects:
    """What the functions of a workspace may do with their parameters; each function is analysed once."""

    workspace: Workspace
    _known: dict[FunctionNode, dict[str, int]] = field(default_factory=dict)
    _asked: list[FunctionNode] = field(default_factory=list)
    callees: Callees = field(init=False)

    def __post_init__(self) -> None:
        self.callees = Callees(self.workspace)

    def of(self, module: ModuleSyntax, function: FunctionNode, name: str) -> Effects:
        """What a function may do with the elements of a parameter; with those of a number nothing."""
        return _effects(self._summary(module, function).get(name, EVERYTHING))

    def every(self, module: ModuleSyntax, function: FunctionNode) -> dict[str, Effects]:
        """The same for each parameter, by name."""
        return {name: _effects(mask) for name, mask in self._summary(module, function).items()}

    def other_names(
        self, module: ModuleSyntax, function: FunctionNode, name: str, changed: bool
    ) -> frozenset[str]:
        """The other names of a function under which elements of a parameter's array may be used, or with
        `changed` written.
        """
        return ArrayFlow(module, function, self.callees, self._called).others(name, changed)

    def _summary(self, module: ModuleSyntax, function: FunctionNode) -> dict[str, int]:
        known = self._known.get(function)
        if known is not None:
            return known
        if function in self._asked or len(self._asked) >= _DEEPEST:
            return dict.fromkeys(parameter_names(function), EVERYTHING)
        self._asked.append(function)
        try:
            effects = ArrayFlow(module, function, self.callees, self._called).effects()
            found = {name: effects.get(name, 0) for name in parameter_names(function)}
        except RecursionError:
            found = dict.fromkeys(parameter_names(function), EVERYTHING)
        finally:
            self._asked.pop()
        self._known[function] = found
        return found

    def _called(self, module: ModuleSyntax, callee: FunctionNode, call: ast.Call) -> list[int] | None:
        """What a function does with each argument of a call, positional ones before those by keyword; None
        where it is not clear which parameters they are.
        """
        given = callee.args
        if any(isinstance(one, ast.Starred) for one in call.args) or isinstance(callee, ast.AsyncFunctionDef):
            return None
        places = [one.arg for one in (*given.posonlyargs, *given.args)]
        rest = given.vararg.arg if given.vararg else None
        names = [*places[: len(call.args)], *[rest] * max(len(call.args) - len(places), 0)]
        by_name = {one.arg for one in (*given.args, *given.kwonlyargs)}
        more = given.kwarg.arg if given.kwarg else None
        names += [one.arg if one.arg in by_name else more for one in call.keywords]
        summary = self._summary(module, callee)
        if any(one.arg is None for one in call.keywords) or None in names:
            return None
        return [summary[name] for name in names if name is not None]


def parameter_names(function: FunctionNode) -> list[str]:
    """The names of a function's parameters in order, starred ones and those by keyword included."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return [one.arg for one in every if one is not None]


def _effects(mask: int) -> Effects:
    kept = bool(mask & KEPT)
    return Effects(kept or bool(mask & READ), kept or bool(mask & WRITTEN), kept, bool(mask & RETURNED))
