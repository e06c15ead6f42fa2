"""Arrays that NumPy has just made, so that they share their memory with no other array."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.reaching_definitions import START, Definition

_MAKERS = frozenset({
    "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "array", "copy",
    "arange", "linspace", "eye", "concatenate", "stack", "hstack", "vstack", "repeat", "tile",
})  # fmt: skip
# Of these a third argument is the array that they fill and return.
_JOINERS = ("concatenate", "stack")
_BEFORE_OUT = 2


def is_new_array(module: SourceModule, use: ast.Name, scope: FunctionNode | None) -> bool:
    """Whether a name of a function, or of the module for None, has at a use only been given arrays that NumPy
    makes.
    """
    definitions = module.syntax.definitions(scope or module.tree)
    reaching = definitions.reaching(use.id, use) or frozenset()
    if scope is None or use.id not in parameter_names(scope):
        reaching -= {START}
    new = all(_makes(module, one) for one in reaching)
    return bool(reaching) and new and not definitions.bound_by_others(use.id)


def _makes(module: SourceModule, line: Definition) -> bool:
    """Whether a definition is `name = numpy.zeros(…)` or the like."""
    if not isinstance(line, ast.Assign) or [type(one) for one in line.targets] != [ast.Name]:
        return False
    value = line.value
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    library, _, function = (module.syntax.dotted(value.func) or "").rpartition(".")
    if library != "numpy" or function not in _MAKERS:
        return False
    if function in _JOINERS and len(value.args) + len(value.keywords) > _BEFORE_OUT:
        return False
    starred = any(isinstance(one, ast.Starred) for one in value.args)
    return not starred and all(one.arg not in (None, "copy", "like", "out") for one in value.keywords)
