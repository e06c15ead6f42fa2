"""What the calls of a factory give its parameters, which the kernels made by it read as closure variables."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from advisor.program.kernels.function_values import arguments_given, enclosing_method, function_of
from advisor.program.names.scope_names import parameter_defaults, parameter_names
from advisor.program.names.workspace import Workspace
from advisor.program.resolution.literal_text import LibraryName, literal_text
from advisor.program.resolution.meanings import ConstantName, FunctionName, Meaning, UnknownName
from advisor.program.resolution.other_values import other_meaning
from advisor.program.syntax.module import FunctionNode, ModuleSyntax, Scope
from advisor.program.syntax.tree_nodes import below_in_scope

# Calls beyond these say no more of what is common.
_MOST_CALLS = 64
_MOST_SHOWN = 3
_Choice = TypeVar("_Choice")


# The files that call functions, other than those where these stand, by the names that the calls have.
Callers: TypeAlias = Mapping[str, Sequence[Path]]


class Evaluator(Protocol):
    """Finds out what expressions mean."""

    workspace: Workspace

    def chosen(self, values: Sequence[_Choice]) -> _Choice:
        """The one of several values that is taken."""

    def apart(
        self, node: ast.expr, module: ModuleSyntax, scopes: Sequence[Scope]
    ) -> tuple[Meaning, tuple[str, ...]]:
        """What an expression means in `scopes` of a module, and on which assumptions that rests."""


@dataclass(frozen=True)
class Given:
    """What one call gives a parameter: the meaning, the assumptions behind it, and the call's line, None for
    a default that the call leaves as it is; `path` is that of the call where it stands in another file.
    """

    meaning: Meaning
    assumptions: tuple[str, ...]
    line: int | None
    path: str = ""


class FactoryCalls:
    """Chooses one call of each factory: of those that give most, the first of the commonest to begin with."""

    def __init__(self, evaluator: Evaluator, callers: Callers) -> None:
        self._evaluator, self._callers = evaluator, callers
        self._chosen: dict[FunctionNode, dict[str, Given]] = {}
        self._others: dict[FunctionNode, dict[str, list[str]]] = {}

    def given(self, parameter: str, module: ModuleSyntax, factory: FunctionNode) -> Given | None:
        """What the chosen call gives a parameter; None where no call gives a known value."""
        if factory not in self._chosen:
            self._chosen[factory] = {}
            self._choose(module, factory)
        return self._chosen[factory].get(parameter)

    def in_words(self, parameter: str, module: ModuleSyntax, factory: FunctionNode) -> str:
        """The value that was chosen for a parameter as a sentence, with others that calls give it."""
        given = self._chosen[factory][parameter]
        texts = self._others.get(factory, {}).get(parameter, [])
        others = ", ".join(texts[:_MOST_SHOWN])
        more = f" and {len(texts) - _MOST_SHOWN} more" if len(texts) > _MOST_SHOWN else ""
        tail = f"; other calls give {others}{more}" if texts else ""
        name = called_name(factory, module)
        if given.line is None:
            value = text_of(given.meaning)
            return f"{parameter} of {name} is taken to have its default value {value}{tail}."
        return (
            f"`{parameter}` is taken to be {text_of(given.meaning)}, as the call of `{name}` in line "
            f"{given.line}{f' of {given.path}' if given.path else ''} gives it{tail}."
        )

    def _choose(self, module: ModuleSyntax, factory: FunctionNode) -> None:
        found = [
            self._of_call(call, caller, module, factory)
            for caller, call in islice(self._calls_of(factory, module), _MOST_CALLS)
        ]
        if not found:
            return
        most = max(len(one) for one in found)
        fullest = [one for one in found if len(one) == most]
        counts = Counter(map(_texts, fullest))
        different: dict[tuple[tuple[str, str | None], ...], dict[str, Given]] = {}
        for one in fullest:
            different.setdefault(_texts(one), one)
        options = sorted(different.values(), key=lambda one: -counts[_texts(one)])
        if len(options) == 1:
            options += _otherwise(options[0], found)
        chosen = self._evaluator.chosen(options)
        self._chosen[factory] = chosen
        for name, given in chosen.items():
            own = text_of(given.meaning)
            texts = dict.fromkeys(text_of(one[name].meaning) for one in found if name in one)
            self._others.setdefault(factory, {})[name] = [text for text in texts if text and text != own]

    def _calls_of(
        self, factory: FunctionNode, module: ModuleSyntax
    ) -> Iterator[tuple[ModuleSyntax, ast.Call]]:
        """The calls of a function with their modules, those in its own first."""
        workspace = self._evaluator.workspace
        yield from ((module, call) for call in _own_calls(factory, module, workspace))
        for file in self._callers.get(called_name(factory, module), ()):
            caller = workspace.looked_into(file, module)
            if caller is not None and caller is not module:
                calls = _calls_from_elsewhere(factory, module, caller, workspace)
                yield from ((caller, call) for call in calls)

    def _of_call(
        self, call: ast.Call, caller: ModuleSyntax, module: ModuleSyntax, factory: FunctionNode
    ) -> dict[str, Given]:
        scopes = [one for one in caller.scopes(call) if not isinstance(one, ast.ClassDef)]
        path = "" if caller is module else caller.path
        found = {}
        for name, node in arguments_given(factory, call).items():
            if name in parameter_names(factory):
                found[name] = Given(*self._evaluator.apart(node, caller, scopes), call.lineno, path)
        around = module.scopes(factory)
        for name, default in parameter_defaults(factory).items():
            if name not in found:
                found[name] = Given(*self._evaluator.apart(default, module, around), None)
        return {name: one for name, one in found.items() if text_of(one.meaning) is not None}


def made_function(factory: Meaning, caller: ModuleSyntax) -> FunctionName | None:
    """The function that another one defines and returns, in all that it returns; None where it is called more
    than once in its module and that of the caller, since what it makes then differs.
    """
    if not isinstance(factory, FunctionName):
        return None
    home, name = factory.module, factory.node.name
    modules = [home] if home is caller else [home, caller]
    if sum(len(one.calls_by_name.get(name, ())) for one in modules) != 1:
        return None
    returned = [one.value for one in below_in_scope(factory.node) if isinstance(one, ast.Return)]
    names = {one.id if isinstance(one, ast.Name) else "" for one in returned}
    functions = home.functions_by_name.get(names.pop(), ()) if len(names) == 1 else ()
    own = [one for one in functions if home.scope_of(one) is factory.node]
    return FunctionName(home, own[0]) if len(own) == 1 else None


def text_of(meaning: Meaning) -> str | None:
    """A value as text, None for one that is not known or that a kernel cannot read."""
    if isinstance(meaning, UnknownName):
        return None
    if isinstance(meaning, ConstantName):
        return literal_text(meaning.value)
    if isinstance(meaning, LibraryName):
        return literal_text(meaning)
    return f"`{meaning.node.name}`" if isinstance(meaning, FunctionName) else None


def _texts(given: Mapping[str, Given]) -> tuple[tuple[str, str | None], ...]:
    return tuple((name, text_of(one.meaning)) for name, one in sorted(given.items()))


def _otherwise(given: dict[str, Given], calls: Sequence[Mapping[str, Given]]) -> list[dict[str, Given]]:
    """What a call may give where others give values that are not known."""
    unknown = [name for name in given if any(name not in one for one in calls)]
    others = {
        name: replace(given[name], meaning=other)
        for name in unknown
        if (other := other_meaning(given[name].meaning)) is not None
    }
    return [{**given, **others}] if others else []


def called_name(factory: FunctionNode, module: ModuleSyntax) -> str:
    """The name that calls of a function have: of an `__init__` its class's."""
    owner = module.parents.get(factory)
    return owner.name if factory.name == "__init__" and isinstance(owner, ast.ClassDef) else factory.name


def _own_calls(factory: FunctionNode, module: ModuleSyntax, workspace: Workspace) -> list[ast.Call]:
    """The calls of a function in its module, of an `__init__` those of its class, but not by itself."""
    name = called_name(factory, module)
    found = []
    for call in module.calls:
        called = call.func
        if _last_name(called) != name or factory in module.scopes(call):
            continue
        if name == factory.name:
            meant = function_of(called, module, workspace) or enclosing_method(called, module)
            if meant is None or meant[1] is not factory:
                continue
        found.append(call)
    return found


def _calls_from_elsewhere(
    factory: FunctionNode, module: ModuleSyntax, caller: ModuleSyntax, workspace: Workspace
) -> list[ast.Call]:
    """The calls of a function in another module, of an `__init__` those of its class."""
    name = called_name(factory, module)
    owner = module.parents.get(factory) if name != factory.name else None
    found = []
    for call in caller.calls:
        if _last_name(call.func) != name:
            continue
        if isinstance(owner, ast.ClassDef):
            meant = _stands_for(call.func, owner, caller, module, workspace)
        else:
            function = function_of(call.func, caller, workspace)
            meant = function is not None and function[1] is factory
        if meant:
            found.append(call)
    return found


def _stands_for(
    called: ast.expr, owner: ast.ClassDef, caller: ModuleSyntax, module: ModuleSyntax, workspace: Workspace
) -> bool:
    """Whether an expression of another module stands for a class."""
    dotted = caller.dotted(called)
    place = workspace.member(dotted, caller) if dotted is not None else None
    return place is not None and place[0] is module and module.top_level.get(place[1]) is owner


def _last_name(called: ast.expr) -> str | None:
    return called.id if isinstance(called, ast.Name) else getattr(called, "attr", None)
