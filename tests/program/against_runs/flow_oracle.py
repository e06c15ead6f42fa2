"""Reaching definitions as the program model sees them, beside those that runs show."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from random import Random
from typing import TypeAlias

from answers import Answers
from flow_programs import NAMES, FlowPrograms
from flow_runs import observed

from advisor.model.text.source_text import SourceText
from advisor.program.syntax.module import ModuleSyntax, parse_module
from advisor.program.syntax.reaching_definitions import START

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Scope: TypeAlias = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_SEEDS = range(4)


def definitions_of_a_program(chance: Random) -> Answers:
    """Compare one random program's reaching definitions."""
    return compared(FlowPrograms(chance).text())


def compared(text: str) -> Answers:
    """Compare the definitions that reach each place of a program, and each scope's end, with runs."""
    answers = Answers()
    try:
        seen = observed(text, NAMES, _SEEDS)
    except SyntaxError:
        return answers
    module = parse_module(SourceText("generated.py", text))
    nodes = list(ast.walk(module.tree))
    scopes = _Scopes(module.tree)
    for place, name, givers in sorted(seen):
        node = nodes[place]
        asked = _at_end(node) if name else scopes.asked(node)
        for scope in asked:
            _compare(
                answers, module, scope, node, name, [nodes[one] for one in givers if one >= 0], scopes, text
            )
    return answers


def _at_end(node: ast.AST) -> list[Scope]:
    assert isinstance(node, Scope)
    return [node]


def _compare(
    answers: Answers, module: ModuleSyntax, scope: Scope, node: ast.AST, name: str, givers: list[ast.AST],
    scopes: _Scopes, text: str,
) -> None:  # fmt: skip
    definitions = module.definitions(scope)
    question = "definitions at a scope's end" if name else "definitions at a place"
    read = name or getattr(node, "id", "")
    said = definitions.at_end(name) if name else definitions.reaching(read, node)
    if said is None or definitions.bound_by_others(read):
        answers.note(question, False)
        return
    own = [one for one in givers if scopes.scope(one) is scope]
    # Where a name has been deleted, a class or module reads that of the scope around.
    outside = any(one is START or isinstance(one, ast.Delete | ast.ExceptHandler) for one in said)
    right = said.intersection(own) if own else outside
    where = f"{getattr(scope, 'name', 'the module')}, {getattr(node, 'lineno', 'at its end')}"
    wrong = f"`{read}` in {where}, comes from {_written(own)}, said is {_written(said)} in\n{text}"
    answers.note(question, True, None if right else wrong)


def _written(definitions: Iterable[object]) -> str:
    """Definitions with their lines, to be read."""
    found = sorted(f"{type(one).__name__} {getattr(one, 'lineno', '')}".strip() for one in definitions)
    return ", ".join(found) or "outside"


class _Scopes:
    """Which scopes a place lies in, by Python's rules."""

    def __init__(self, tree: ast.Module) -> None:
        self._parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self._bound: dict[ast.AST, set[str]] = {}
        self._declared: dict[ast.AST, dict[str, type[ast.AST]]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Global | ast.Nonlocal):
                declared = self._declared.setdefault(self.owner(node), {})
                declared.update(dict.fromkeys(node.names, type(node)))
        comprehensions = [node for node in ast.walk(tree) if isinstance(node, _COMPREHENSIONS)]
        variables = {one for node in comprehensions for one in _variables(node)}
        for node in ast.walk(tree):
            for name in _bound(node) if node not in variables else ():
                self._bound.setdefault(self.owner(node), set()).add(name)

    def owner(self, node: ast.AST) -> ast.AST:
        """The module, class, function or lambda in whose scope a node binds names."""
        return next(one for one in self._around(node) if isinstance(one, Scope | ast.Lambda))

    def scope(self, node: ast.AST) -> Scope:
        """The module, class or function that a node stands in."""
        return next(one for one in self._around(node) if isinstance(one, Scope))

    def asked(self, node: ast.AST) -> list[Scope]:
        """The scopes in which the name of a node is looked up, up to the one that it belongs to."""
        name = getattr(node, "id", "")
        found: list[Scope] = []
        inside = declared_global = False
        for scope in self._around(node):
            if isinstance(scope, ast.Lambda):
                if name in _parameters(scope.args) | self._bound.get(scope, set()):
                    return []
            elif isinstance(scope, _COMPREHENSIONS):
                if name in {one.id for one in _variables(scope)}:
                    return [self.scope(scope)]
            elif isinstance(scope, ast.Module):
                return [*found, scope]
            elif isinstance(scope, ast.ClassDef):
                # A class's names are seen by its own statements only.
                if not inside:
                    found.append(scope)
                    if self._is_own(scope, name):
                        return found
                    declared_global |= self._declared.get(scope, {}).get(name) is ast.Global
            elif isinstance(scope, _FUNCTIONS) and not declared_global:
                found.append(scope)
                if self._is_own(scope, name):
                    return found
                declared_global = self._declared.get(scope, {}).get(name) is ast.Global
            inside = True
        return found

    def _is_own(self, scope: Scope, name: str) -> bool:
        if name in self._declared.get(scope, {}):
            return False
        if isinstance(scope, _FUNCTIONS) and name in _parameters(scope.args):
            return True
        return name in self._bound.get(scope, ())

    def _around(self, node: ast.AST) -> list[ast.AST]:
        """The scopes around a place, comprehensions and lambdas among them, from the innermost."""
        found: list[ast.AST] = []
        path = [node]
        while path[-1] in self._parents:
            path.append(self._parents[path[-1]])
        for number, around in enumerate(path[1:], 1):
            inner = path[number - 1]
            if isinstance(around, (*_FUNCTIONS, ast.ClassDef)):
                if inner in around.body:
                    found.append(around)
            elif isinstance(around, ast.Lambda):
                if inner is around.body:
                    found.append(around)
            elif isinstance(around, _COMPREHENSIONS):
                first = around.generators[0]
                if not (inner is first and number > 1 and path[number - 2] is first.iter):
                    found.append(around)
            elif isinstance(around, ast.Module):
                found.append(around)
        return found or [node]


def _bound(node: ast.AST) -> list[str]:
    """The names that a node binds in the scope that it stands in."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    if isinstance(node, ast.alias):
        return [node.asname or node.name.partition(".")[0]]
    if isinstance(node, ast.MatchMapping):
        return [node.rest] if node.rest else []
    kinds = (*_FUNCTIONS, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
    return [node.name] if isinstance(node, kinds) and node.name else []


def _parameters(given: ast.arguments) -> set[str]:
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return {one.arg for one in every if one}


def _variables(comprehension: ast.AST) -> list[ast.Name]:
    targets = [one.target for one in getattr(comprehension, "generators", ())]
    return [one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
