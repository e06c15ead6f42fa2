"""Names that a function reads and nothing in its program defines, so that Numba cannot compile it."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from advisor.model.text.notebooks import is_notebook
from advisor.program.names.library_names import KNOWN_STARS, star_member
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import DEFINING_WORDS, FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_BUILTINS = frozenset(dir(builtins)) | {
    "__file__", "__name__", "__doc__", "__package__", "__spec__", "display", "get_ipython",
}  # fmt: skip
# Commands of notebooks that run or load other programs.
_LOADING_COMMAND = re.compile(r"%\s*(?:run|load|pylab|store|reload|autoreload)\b")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Bindings = Iterator[str]


def undefined_names(function: FunctionNode, module: ModuleSyntax) -> list[ast.Name]:
    """The first place of each name that the body of a function reads and nothing defines.

    Empty where something may define names that the source does not show: a star import of what is not known,
    `exec`, `globals()`, a notebook that runs another program. A program that expects an error around the
    function may want just that.
    """
    own = set(_bound_in(function))
    around = [one for one in module.scopes(function) if isinstance(one, _Definition)]
    found: dict[str, ast.Name] = {}
    for statement in function.body:
        for inner in below(statement):
            if isinstance(inner, ast.Name) and inner.id not in own and not _is_known(inner.id, module):
                found.setdefault(inner.id, inner)
    if not found or _may_define_any(module, found) or any(map(expects_errors, around)):
        return []
    # The names of a class are not seen in its methods.
    functions = (one for one in around if not isinstance(one, ast.ClassDef))
    visible = set(_bound_in_module(module)).union(*(set(_bound_in(one)) for one in functions))
    return [place for name, place in found.items() if name not in visible]


def undefined_in_decorators(function: FunctionNode, module: ModuleSyntax) -> list[ast.Name]:
    """The first place of each name that the decorators of a function read and nothing defines, as
    `undefined_names` has those of its body.
    """
    around = [one for one in module.scopes(function) if isinstance(one, _Definition)]
    found: dict[str, ast.Name] = {}
    for decorator in function.decorator_list:
        for inner in [decorator, *below(decorator)]:
            if isinstance(inner, ast.Name) and not _is_known(inner.id, module):
                found.setdefault(inner.id, inner)
    if not found or _may_define_any(module, found) or any(map(expects_errors, around)):
        return []
    visible = set(_bound_in_module(module)).union(*(set(_bound_in(one)) for one in around))
    return [place for name, place in found.items() if name not in visible]


def is_undefined(name: str, module: ModuleSyntax, workspace: Workspace) -> bool:
    """Whether nothing can define a name of a module: no star import that is not known, no function, no
    namespace that the program fills itself.
    """
    # Modules may import each other.
    waiting, seen = [module], {id(module)}
    while waiting:
        here = waiting.pop()
        if name in here.bound_anywhere or any(map(here.mentions, DEFINING_WORDS)):
            return False
        for star in here.star_imports:
            target = workspace.find(star, here)
            if target is None:
                if star.level or star.module not in KNOWN_STARS:
                    return False
            elif id(target) not in seen:
                seen.add(id(target))
                waiting.append(target)
    return True


def likely_name(name: str, function: FunctionNode) -> str | None:
    """The parameter, or else the other name that a function binds, that is spelt most like a name."""
    given = function.args
    parameters = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    parts = [one for one in parameters if name in one.split("_") or one in name.split("_")]
    if len(parts) == 1:
        return parts[0]
    close = difflib.get_close_matches(name, parameters, n=1)
    close += difflib.get_close_matches(name, sorted(set(_bound_in(function))), n=1)
    return close[0] if close else None


@lru_cache(maxsize=64)
def expects_errors(definition: ast.AST) -> bool:
    """Whether a function has a `with pytest.raises(…)` or `with self.assertRaises(…)`."""
    return not isinstance(definition, ast.ClassDef) and any(
        isinstance(item.context_expr, ast.Call) and "raises" in ast.unparse(item.context_expr.func).lower()
        for node in below(definition)
        if isinstance(node, ast.With)
        for item in node.items
    )


def _is_known(name: str, module: ModuleSyntax) -> bool:
    return (
        name in _BUILTINS
        or name in module.imports
        or name in module.assigned
        or name in module.functions_by_name
        or name in module.top_level
    )


def _may_define_any(module: ModuleSyntax, names: Iterable[str]) -> bool:
    if any(map(module.mentions, DEFINING_WORDS)):
        return True
    if is_notebook(module.path) and _LOADING_COMMAND.search(module.source.text):
        return True
    return any(
        star.level or star.module not in KNOWN_STARS or any(star_member(star.module, name) for name in names)
        for star in module.star_imports
    )


def _bound_in(definition: ast.AST) -> _Bindings:
    """What a function or class binds, whatever lies in it."""
    for node in below(definition):
        yield from _bound_by(node)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def _bound_in_module(module: ModuleSyntax) -> _Bindings:
    """What the statements of a module bind, and what functions bind there: the names of definitions and
    imports anywhere, and those called global.
    """
    for node in module.parents:
        yield from _bound_by(node)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and not module.scope_of(node):
            yield node.id


def _bound_by(node: ast.AST) -> _Bindings:
    if isinstance(node, _Definition):
        yield node.name
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.split(".")[0]
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
