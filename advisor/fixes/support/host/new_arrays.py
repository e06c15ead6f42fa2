"""Arrays that NumPy has just made, so that they share their memory with no other array."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.imported_names import name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import inside

_MAKERS = frozenset({
    "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "array", "copy",
    "arange", "linspace", "eye", "concatenate", "stack", "hstack", "vstack", "repeat", "tile",
})  # fmt: skip
# Of these a third argument is the array that they fill and return.
_JOINERS = ("concatenate", "stack")
_BEFORE_OUT = 2


def is_new_array(module: SourceModule, use: cst.Name, scope: cst.FunctionDef | None) -> bool:
    """Whether a name of a function, or of the module for None, has at a use only been given arrays that NumPy
    makes.
    """
    name = use.value
    if scope is not None and any(one.name.value == name for one in module.nodes_in(cst.Param, scope.params)):
        return False
    if is_bound_elsewhere(module, name):
        return False
    reaching = [one for one in module.bindings(name, scope) if _may_reach(module, one, use)]
    return bool(reaching) and all(_makes(module, one, name) for one in reaching)


def is_bound_elsewhere(module: SourceModule, name: str) -> bool:
    """Whether a function of the file says `global name` or `nonlocal name`, thus binds it elsewhere."""
    declared: list[cst.Global | cst.Nonlocal] = [*module.nodes(cst.Global), *module.nodes(cst.Nonlocal)]
    return any(item.name.value == name for one in declared for item in one.names)


def _may_reach(module: SourceModule, binding: cst.CSTNode, use: cst.Name) -> bool:
    """Whether a binding stands before a use, or behind it in a loop around both."""
    if module.range_of(binding)[0] < module.range_of(use)[0]:
        return True
    around = module.parent(use)
    while around is not None:
        if isinstance(around, cst.For | cst.While) and inside(module, binding, around):
            return True
        around = module.parent(around)
    return False


def _makes(module: SourceModule, line: cst.CSTNode, name: str) -> bool:
    numpy = name_of(module, "numpy")
    if not isinstance(line, cst.Assign) or len(line.targets) != 1 or numpy is None:
        return False
    target, value = line.targets[0].target, line.value
    if not isinstance(target, cst.Name) or target.value != name or not isinstance(value, cst.Call):
        return False
    called = value.func
    if not isinstance(called, cst.Attribute) or called.attr.value not in _MAKERS:
        return False
    unshared = not any(
        one.star or (one.keyword is not None and one.keyword.value in ("copy", "like", "out"))
        for one in value.args
    )
    if called.attr.value in _JOINERS and len(value.args) > _BEFORE_OUT:
        return False
    return module.written(called.value) == numpy and unshared
