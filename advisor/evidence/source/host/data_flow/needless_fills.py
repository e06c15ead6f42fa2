"""Arrays that host code fills with one value before a launch that stores every element and reads none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.host.overwritten_arrays import overwritten
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.kernels.declarations import cuda_member
from advisor.program.launches.grid_rounding import divides_up
from advisor.program.launches.launches import Launch
from advisor.program.names.scope_bindings import values_at
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_FILLED = frozenset({"zeros", "zeros_like", "ones", "ones_like", "full", "full_like"})


def needless_fills(launch: Launch, walked: WalkedKernels) -> Iterator[tuple[str, bool]]:
    """The arrays of a launch that are filled and then stored to in full, and whether they are filled on the
    host and copied to the device.
    """
    kernel, module = launch.kernel, launch.module
    if kernel is None or launch.in_helper or launch.node.keywords:
        return
    filled: frozenset[str] | None = None
    for parameter, argument in zip(kernel.parameters, launch.node.args, strict=False):
        if not isinstance(argument, ast.Name):
            continue
        copied = _filled_before(argument, launch)
        again = copied is not None
        if copied is None:
            copied = _is_filled(argument, launch, walked.resolver.workspace)
        if copied is None:
            continue
        done = walked.resolver.array_effects.of(kernel.module, kernel.node, parameter)
        if done.reads or done.keeps or (not again and _is_used_before(argument, launch)):
            continue
        if filled is None:
            filled = overwritten(
                walked.facts(kernel), _has_threads_for_all(launch, walked.resolver.workspace)
            )
        given = [one for one in launch.node.args if isinstance(one, ast.Name) and one.id == argument.id]
        if parameter in filled and len(given) == 1 and module is launch.module:
            yield argument.id, copied


def _has_threads_for_all(launch: Launch, workspace: Workspace) -> bool:
    function = launch.node.func
    parts = function.slice if isinstance(function, ast.Subscript) else None
    if not isinstance(parts, ast.Tuple) or not parts.elts:
        return False
    module = launch.module
    scope = HostScope(module, module.function_around(launch.node), HostValues(workspace))
    return divides_up(parts.elts[0], scope)


def _is_filled(name: ast.Name, launch: Launch, workspace: Workspace) -> bool | None:
    """Whether a name stands for an array of one value that is copied to the device; None where it stands for
    anything else than an array of one value.
    """
    module = launch.module
    values = values_at(module, name)
    if len(values) != 1 or not isinstance(values[0], ast.Call):
        return None
    call = values[0]
    member = cuda_member(workspace.library_name(module.dotted(call.func) or "", module))
    if member == "to_device" and call.args:
        return True if _makes_filled(call.args[0], module, ("numpy",)) else None
    return False if _makes_filled(call, module, ("cupy",)) else None


def _filled_before(name: ast.Name, launch: Launch) -> bool | None:
    """Whether the last statement before the launch that speaks of an array fills it by a copy from the host;
    None where it does not fill it.
    """
    module = launch.module
    statement = module.statement_of(launch.node)
    block = module.block_of(statement) if isinstance(statement, ast.stmt) else []
    if statement not in block:
        return None
    for before in reversed(block[: block.index(statement)]):
        if any(isinstance(one, ast.Name) and one.id == name.id for one in below(before)):
            return _fills(before, name.id, module)
    return None


def _fills(statement: ast.stmt, name: str, module: ModuleSyntax) -> bool | None:
    """Whether a statement sets all of an array to one value by a copy; None where it does something else."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        target = statement.targets[0]
        whole = isinstance(target.slice, ast.Slice) and target.slice.lower is target.slice.upper is None
        own = isinstance(target.value, ast.Name) and target.value.id == name
        return False if whole and own and isinstance(statement.value, ast.Constant) else None
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or len(call.args) != 1:
        return None
    if not isinstance(call.func.value, ast.Name) or call.func.value.id != name:
        return None
    if call.func.attr == "fill" and isinstance(call.args[0], ast.Constant):
        return False
    copies = call.func.attr == "copy_to_device"
    return True if copies and _is_of_one_value(call.args[0], module) else None


def _is_of_one_value(node: ast.expr, module: ModuleSyntax) -> bool:
    values = values_at(module, node) if isinstance(node, ast.Name) else [node]
    return len(values) == 1 and values[0] is not None and _makes_filled(values[0], module, ("numpy",))


def _makes_filled(node: ast.expr, module: ModuleSyntax, libraries: tuple[str, ...]) -> bool:
    if isinstance(node, ast.Name):
        values = values_at(module, node)
        # A name that is used elsewhere may be needed for that.
        once = len(module.loads(node.id, module.scope_of(node) or module.tree)) == 1
        value = values[0] if len(values) == 1 and once else None
        return isinstance(value, ast.Call) and _makes_filled(value, module, libraries)
    if not isinstance(node, ast.Call) or called_name(node) not in _FILLED:
        return False
    return (module.dotted(node.func) or "").split(".")[0] in libraries


def _is_used_before(argument: ast.Name, launch: Launch) -> bool:
    """Whether anything else than the launch may use an array before it, or one launch in a loop behind it."""
    module = launch.module
    uses = module.loads(argument.id, module.scope_of(argument) or module.tree)
    start = launch.node.lineno, launch.node.col_offset
    return any((one.lineno, one.col_offset) < start for one in uses)
