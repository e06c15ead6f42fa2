"""Which assignments of a name can reach a place of its function."""

from __future__ import annotations

import ast

from advisor.facts.module import FunctionNode, ModuleSyntax, assignments
from advisor.facts.tree_nodes import below

# None stands for a value that no plain assignment gives: an augmented one, a loop's target, an import.
Values = list[ast.expr | None]
_Block = tuple[list[ast.stmt], int]


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def reaching_in_module(module: ModuleSyntax, name: str, use: ast.AST) -> Values:
    """The expressions whose value a name of a module can have at a statement of the module itself.

    Empty where they are not told apart: one assignment or only an import gives it, functions change it, or
    `use` lies in a function, which runs when it is called.
    """
    given = len(module.assigned.get(name, ()))
    once = (given == 1 or (not given and name in module.imports)) and name not in module.rebound
    if once or name in module.bound_by_functions or use not in module.parents:
        return []
    if module.scope_of(use) is not None:
        return []
    return reaching_values(module.tree, name, use) or []


def reaching_values(function: FunctionNode | ast.Module, name: str, use: ast.AST) -> Values | None:
    """The expressions whose value `name` can have at `use`, None among them for a value that is not known.

    None alone when `use` lies nowhere in the function. An empty list when no assignment reaches it.
    """
    found: Values = []
    return None if _up_to_start(function, name, use, found) is None else found


def reaches_from_start(function: FunctionNode, name: str, use: ast.AST) -> bool:
    """Whether what a name has at the start of a function, a parameter's value, may still be its at `use`."""
    return _up_to_start(function, name, use, []) is not False


def _up_to_start(function: FunctionNode | ast.Module, name: str, use: ast.AST, found: Values) -> bool | None:
    """Whether the way back from `use` ends at the start, past no certain assignment; what may reach is added
    to `found`. None when `use` lies nowhere in the function.
    """
    line = getattr(use, "lineno", None)
    if line is None:
        return None
    chain = _blocks_around(function.body, (line, use.col_offset))  # type: ignore[attr-defined]
    if not chain:
        return None
    for depth in range(len(chain) - 1, -1, -1):
        block, index = chain[depth]
        if _backwards(block[:index], name, found):
            return False
        if depth and _enclosing(chain[depth - 1][0][chain[depth - 1][1]], block, name, found):
            return False
    return True


def bound_before(module: ModuleSyntax, node: ast.Name) -> list[ast.expr]:
    """What the module's own code before a use of a name binds to it, back to an unconditional statement."""
    found: list[ast.expr] = []
    values = [one for one in module.assigned.get(node.id, []) if one.lineno < node.lineno]
    for value in sorted(values, key=lambda one: one.lineno, reverse=True):
        found.append(value)
        if isinstance(module.parents.get(module.parents.get(value, value)), ast.Module):
            break
    return found


def _blocks_around(body: list[ast.stmt], position: tuple[int, int]) -> list[_Block]:
    for index, statement in enumerate(body):
        end = (statement.end_lineno or statement.lineno, statement.end_col_offset or 0)
        if (statement.lineno, statement.col_offset) <= position < end:
            for block in _inner_blocks(statement):
                inside = _blocks_around(block, position)
                if inside:
                    return [(body, index), *inside]
            return [(body, index)]
    return []


def _inner_blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(statement, ast.If | ast.For | ast.While):
        return [statement.body, statement.orelse]
    if isinstance(statement, ast.With):
        return [statement.body]
    if isinstance(statement, ast.Try):
        handlers = [handler.body for handler in statement.handlers]
        return [statement.body, *handlers, statement.orelse, statement.finalbody]
    return []


def _backwards(statements: list[ast.stmt], name: str, found: Values) -> bool:
    """Whether an assignment on every path was met, going backwards; what may reach is added to `found`."""
    return any(_binds(statement, name, found) for statement in reversed(statements))


def _enclosing(statement: ast.stmt, block: list[ast.stmt], name: str, found: Values) -> bool:
    """What a compound statement around a block adds, and whether it binds the name for certain."""
    if isinstance(statement, ast.For | ast.While):
        # What stands later in a loop's body reaches the next round.
        if block is statement.body:
            _backwards(block, name, found)
            if isinstance(statement, ast.For) and name in _stored(statement.target):
                found.append(None)
                return True
        else:
            _backwards(statement.body, name, found)
    elif isinstance(statement, ast.With):
        if any(item.optional_vars and name in _stored(item.optional_vars) for item in statement.items):
            found.append(None)
            return True
    elif isinstance(statement, ast.Try) and block is not statement.body:
        for earlier in _inner_blocks(statement):
            if earlier is block:
                break
            _backwards(earlier, name, found)
    return False


def _binds(statement: ast.stmt, name: str, found: Values) -> bool:
    if isinstance(statement, _DEFINITIONS):
        return _defines(statement, name, found)
    if name not in _stored(statement):
        return False
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        values = assignments([statement]).get(name, [])
        found.extend(values or [None])
        return not isinstance(statement, ast.AnnAssign) or statement.value is not None
    if isinstance(statement, ast.If):
        ends = [_block_binds(block, name, found) for block in (statement.body, statement.orelse)]
        return all(ends)
    if isinstance(statement, ast.With):
        if any(item.optional_vars and name in _stored(item.optional_vars) for item in statement.items):
            found.append(None)
        return _backwards(statement.body, name, found)
    if isinstance(statement, ast.For | ast.While | ast.Try):
        for block in _inner_blocks(statement):
            _backwards(block, name, found)
        if isinstance(statement, ast.For) and name in _stored(statement.target):
            found.append(None)
        return False
    found.append(None)
    return True


def _defines(
    statement: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, name: str, found: Values
) -> bool:
    """Whether a definition has the name; what its body binds stays inside, `nonlocal` names apart."""
    named = statement.name == name
    if named or any(isinstance(one, ast.Nonlocal) and name in one.names for one in below(statement)):
        found.append(None)
    return named


def _block_binds(block: list[ast.stmt], name: str, found: Values) -> bool:
    """Whether after a branch the name is bound by it for certain; a branch that leaves reaches nothing."""
    if block and isinstance(block[-1], ast.Return | ast.Raise):
        return True
    bound = _backwards(block, name, found)
    return bound or bool(block and isinstance(block[-1], ast.Continue | ast.Break))


def _stored(node: ast.AST) -> set[str]:
    return {
        inner.id
        for inner in below(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store | ast.Del)
    } | {
        (alias.asname or alias.name).partition(".")[0]
        for inner in below(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
        for alias in inner.names
    }
