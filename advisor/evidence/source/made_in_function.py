"""Kernels that a host function makes and launches itself, so that each of its calls compiles them again."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.launches import Launch
from advisor.program.launches.timing_loops import reads_clock
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import FunctionNode, ModuleSyntax, names_in
from advisor.program.syntax.tree_nodes import below

_CACHES = frozenset({"lru_cache", "cache", "memoize", "cached", "memoized", "cached_property"})
# How many functions in a row are followed from the one that makes a kernel to the script's own statements.
_STEPS = 4
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class MadeInFunction:
    """`again`: each call of a function makes the kernel anew, launches it and leaves it. Then `by_script`: as
    far as its module shows only the script itself calls the function, outside loops; `for_loop`: all its
    launches stand in loops of the function, which share what one call compiles. `each_iteration`: a host loop
    makes the kernel anew in each iteration and launches it there once.
    """

    again: bool = False
    by_script: bool = False
    for_loop: bool = False
    each_iteration: bool = False


def made_in_function(kernel: Declaration, launches: Sequence[Launch]) -> MadeInFunction:
    """How the function around a kernel's making uses it; `launches` are those of the kernel's module."""
    module, maker = kernel.module, _maker(kernel)
    looped = _each_iteration(kernel, maker, launches)
    around = [one for one in module.scopes(kernel.node) if isinstance(one, _Function)]
    if maker is None or any(map(_is_cached, around)):
        return MadeInFunction(each_iteration=looped and not any(map(_is_cached, around)))
    own = [one for one in launches if one.kernel is kernel and _is_run_by(maker, one)]
    if not own or any(_outlives(name, maker, module) for name in {kernel.name, *kernel.names}):
        return MadeInFunction(each_iteration=looped)
    for_loop = all(host_loops(module, one.node) for one in own)
    return MadeInFunction(True, _is_run_once(maker, module, _STEPS), for_loop, looped)


def _each_iteration(kernel: Declaration, maker: FunctionNode | None, launches: Sequence[Launch]) -> bool:
    """Whether a host loop defines the kernel, or calls the function that returns it, launches it in the same
    iteration, outside of inner loops, and does not keep it.
    """
    module = kernel.module
    loops = host_loops(module, kernel.node)
    if loops:
        uses = module.loads(kernel.name, loops[0])
        return bool(uses) and all(_is_launched_in(one, loops[0], launches) for one in uses)
    if maker is None or isinstance(module.scope_of(maker), ast.ClassDef) or _sizes_arrays(kernel, maker):
        return False
    returned = [one for one in module.loads(kernel.name, maker) if _is_returned(one, module)]
    return bool(returned) and any(
        _is_used_up(call, launches, module) for call in module.calls_by_name.get(maker.name, ())
    )


def _is_returned(name: ast.Name, module: ModuleSyntax) -> bool:
    return isinstance(module.parents.get(name), ast.Return)


def _is_used_up(call: ast.Call, launches: Sequence[Launch], module: ModuleSyntax) -> bool:
    """Whether what a call in a host loop gives is launched in the same iteration, and nothing else."""
    loops = host_loops(module, call)
    if not loops or _is_in_comprehension(call, module) or reads_clock(loops[0], module):
        return False
    parent = module.parents.get(call)
    if not isinstance(parent, ast.Assign):
        return _is_launched_in(call, loops[0], launches)
    target = parent.targets[0]
    if len(parent.targets) > 1 or not isinstance(target, ast.Name):
        return False
    uses = module.loads(target.id, loops[0])
    return bool(uses) and all(_is_launched_in(one, loops[0], launches) for one in uses)


def _is_launched_in(target: ast.expr, loop: ast.For | ast.While, launches: Sequence[Launch]) -> bool:
    """Whether an expression is what a launch starts that each iteration of a loop comes to once."""
    return any(
        one.node.func is target
        or (isinstance(one.node.func, ast.Subscript) and one.node.func.value is target)
        for one in launches
        if host_loops(one.module, one.node)[:1] == [loop]
    )


def _sizes_arrays(kernel: Declaration, maker: FunctionNode) -> bool:
    """Whether the kernel makes arrays whose sizes the maker is given: these must be constants of the code."""
    given = parameter_names(maker)
    made = (one for one in kernel.module.inside(kernel.node, ast.Call) if called_name(one) == "array")
    return any(names_in(argument) & given for one in made for argument in one.args)


def _maker(kernel: Declaration) -> FunctionNode | None:
    """The function in which the kernel is made at each call."""
    scope = kernel.module.scope_of(kernel.node)
    return scope if isinstance(scope, _Function) else None


def _is_run_by(maker: FunctionNode, launch: Launch) -> bool:
    """Whether a launch is the function's own, or that of a function in it which does not outlive its call."""
    for scope in launch.module.scopes(launch.node):
        if scope is maker:
            return True
        if not isinstance(scope, _Function) or _outlives(scope.name, maker, launch.module):
            return False
    return False


def _outlives(name: str, maker: FunctionNode, module: ModuleSyntax) -> bool:
    """Whether a function gives away what it calls by a name, or keeps it where its next call finds it."""
    for node in below(maker):
        if isinstance(node, ast.Global | ast.Nonlocal) and name in node.names:
            return True
    return any(_is_given_away(one, module) for one in module.loads(name, maker))


def _is_given_away(name: ast.Name, module: ModuleSyntax) -> bool:
    """Whether the value of a name itself, not what a call of it returns, is returned or kept in an object."""
    node: ast.AST = name
    parent = module.parents.get(node)
    while isinstance(parent, ast.Tuple | ast.List | ast.Dict | ast.IfExp | ast.keyword | ast.Starred):
        node, parent = parent, module.parents.get(parent)
    if isinstance(parent, ast.Return | ast.Yield):
        return True
    if isinstance(parent, ast.Call):
        # `kept.append(kernel)`, `kept.setdefault(key, kernel)`: a method may keep what it is given.
        return node is not parent.func and isinstance(parent.func, ast.Attribute)
    return isinstance(parent, ast.Assign) and any(
        isinstance(one, ast.Attribute | ast.Subscript) for one in parent.targets
    )


def _is_cached(scope: FunctionNode) -> bool:
    names = {
        inner.id if isinstance(inner, ast.Name) else inner.attr
        for decorator in scope.decorator_list
        for inner in below(decorator)
        if isinstance(inner, ast.Name | ast.Attribute)
    }
    return bool(names & _CACHES)


def _is_run_once(function: FunctionNode, module: ModuleSyntax, steps: int) -> bool:
    """Whether the module's own statements call a function, outside loops, or functions that they call so.

    Who takes nothing and is not called is taken for a program's beginning.
    """
    scope = module.scope_of(function)
    if steps == 0 or isinstance(scope, ast.ClassDef):
        return False
    calls = module.calls_by_name.get(function.name, [])
    if not calls:
        arguments = function.args
        takes = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg)
        return scope is None and (function.name == "main" or not any(takes))
    if any(host_loops(module, one) or _is_in_comprehension(one, module) for one in calls):
        return False
    callers = {module.function_around(one) for one in calls}
    return all(one is None or _is_run_once(one, module, steps - 1) for one in callers)


def _is_in_comprehension(node: ast.AST, module: ModuleSyntax) -> bool:
    kinds = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    parent = module.parents.get(node)
    while parent is not None and not isinstance(parent, ast.stmt):
        if isinstance(parent, kinds):
            return True
        parent = module.parents.get(parent)
    return False
