"""The values that assignments may have given a name at a place of its function or module."""

from __future__ import annotations

import ast

from advisor.program.syntax.module import FunctionNode, ModuleSyntax, assignments
from advisor.program.syntax.reaching_definitions import Definition

# None stands for a value that no plain assignment gives: an augmented one, a loop's target, an import.
Values = list[ast.expr | None]


def reaching_in_module(module: ModuleSyntax, name: str, use: ast.AST) -> Values:
    """The expressions whose value a name of a module can have at a statement of the module itself.

    Empty where they are not told apart: one assignment or only an import gives it, functions change it, or
    `use` lies in a function, which runs when it is called.
    """
    given = len(module.assigned.get(name, ()))
    definitions = module.definitions(module.tree)
    imported = name in module.imports or not definitions.binds(name)
    only = given == 1 and len(definitions.of(name)) == 1
    once = (only or (not given and imported)) and name not in module.rebound
    if once or name in module.bound_by_functions or use not in module.parents:
        return []
    if module.scope_of(use) is not None:
        return []
    return reaching_values(module, module.tree, name, use) or []


def reaching_values(
    module: ModuleSyntax, scope: FunctionNode | ast.Module, name: str, use: ast.AST
) -> Values | None:
    """The expressions whose value `name` can have at `use`, None among them for a value that is not known.

    None alone when `use` lies nowhere in the scope. An empty list when no assignment reaches it. Those that
    come last in the text are the first.
    """
    definitions = module.definitions(scope)
    reaching = definitions.reaching(name, use)
    if reaching is None:
        return None
    found = _latest_first(reaching, name)
    return [*found, None] if definitions.bound_by_others(name) else found


def bound_before(module: ModuleSyntax, node: ast.Name) -> list[ast.expr]:
    """What the module's own code above a use of a name may have bound to it; empty where that is not known.

    What stands below, in a loop around both, is left out: arrays that take turns in a loop are alike.
    """
    reaching = module.definitions(module.tree).reaching(node.id, node) or frozenset()
    above = frozenset(one for one in reaching if isinstance(one, ast.AST) and _line(one) < node.lineno)
    values = _latest_first(above, node.id)
    return [] if None in values else [one for one in values if one is not None]


def _latest_first(reaching: frozenset[Definition], name: str) -> Values:
    known = [one for one in reaching if isinstance(one, ast.AST)]
    known.sort(key=lambda one: (_line(one), getattr(one, "col_offset", 0)), reverse=True)
    return [value for one in known for value in _values(one, name)]


def _line(definition: ast.AST) -> int:
    return getattr(definition, "lineno", 0)


def _values(definition: ast.AST, name: str) -> Values:
    if isinstance(definition, ast.Assign | ast.AnnAssign):
        return [*assignments([definition]).get(name, [])] or [None]
    return [definition.value if isinstance(definition, ast.NamedExpr) else None]
