"""The expression that a definition gives a name."""

from __future__ import annotations

import ast

from advisor.program.syntax.bound_names import target_names
from advisor.program.syntax.module import assignments
from advisor.program.syntax.tree_nodes import below


def value_given(definition: ast.AST, name: str) -> ast.expr | None:
    """The expression whose value a definition gives a name, None for any other value.

    A part of a tuple that is not written out, `a` in `a, b = f()`, is an expression of its own, `f()[0]`,
    which stands nowhere in the module.
    """
    if isinstance(definition, ast.Assign | ast.AnnAssign):
        starred = (one for one in below(definition) if isinstance(one, ast.Starred))
        if any(name in target_names(one) for one in starred if isinstance(one.ctx, ast.Store)):
            return None
        given = assignments([definition]).get(name, [])
        return given[-1] if given else None
    return definition.value if isinstance(definition, ast.NamedExpr) else None
