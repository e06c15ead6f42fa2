"""Results of a launch that stay on the device, while the host shows the array that they were made from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.program.kernels.declarations import cuda_member
from advisor.program.launches.launches import Launch
from advisor.program.names.scope_bindings import bound_at
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_COMPARING = frozenset({"allclose", "array_equal", "isclose", "assert_allclose", "assert_array_equal"})
_SHAPE = frozenset({"shape", "size", "dtype", "ndim"})


def lost_results(launch: Launch, walked: WalkedKernels) -> tuple[str, ...] | None:
    """The NumPy arrays of whose copies on the device a launch changes elements, where nobody looks at these
    copies behind it, nor at anything else that it changes, and the host then prints, compares or returns the
    arrays. None where not all is known.
    """
    call = launch.node
    if launch.kernel is None or launch.in_helper or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    effects = walked.resolver.array_effects
    kernel = launch.kernel
    sources: list[ast.Name] = []
    for parameter, argument in zip(kernel.parameters, call.args, strict=False):
        if not effects.of(kernel.module, kernel.node, parameter).writes:
            continue
        source = _copied_only_for(argument, launch, walked)
        if source is None:
            return ()
        sources.append(source)
    shown = [one.id for one in sources if _is_shown_behind(one, launch)]
    return tuple(dict.fromkeys(shown))


def _copied_only_for(argument: ast.expr, launch: Launch, walked: WalkedKernels) -> ast.Name | None:
    """The array that the host keeps, where an argument is a copy of it on the device that no other place of
    the function uses.
    """
    module = launch.module
    if not isinstance(argument, ast.Name):
        return _source_of_copy(argument, module, walked)
    scope = module.scope_of(argument) or module.tree
    bound = bound_at(module, argument)
    if len(bound) != 1 or bound[0] is None or bound[0].value is None or bound[0].part is not None:
        return None
    if module.scope_of(bound[0].node) is not module.scope_of(argument):
        return None
    others = [one for one in module.loads(argument.id, scope) if one not in launch.node.args]
    if not all(asks_for_its_shape(one, module) for one in others):
        return None
    return _source_of_copy(bound[0].value, module, walked)


def _source_of_copy(value: ast.AST, module: ModuleSyntax, walked: WalkedKernels) -> ast.Name | None:
    """The array that `cuda.to_device` copies to new memory."""
    if not isinstance(value, ast.Call) or len(value.args) != 1:
        return None
    if any(one.arg not in ("stream", "copy") for one in value.keywords):
        return None
    dotted = walked.resolver.workspace.library_name(module.dotted(value.func) or "", module)
    source = value.args[0]
    copies = cuda_member(dotted) == "to_device" and isinstance(source, ast.Name)
    return source if copies and isinstance(source, ast.Name) else None


def asks_for_its_shape(use: ast.Name, module: ModuleSyntax) -> bool:
    """Whether a use of an array asks for its sizes or its type, and for none of its elements."""
    parent = module.parents.get(use)
    return isinstance(parent, ast.Attribute) and parent.attr in _SHAPE


def _is_shown_behind(source: ast.Name, launch: Launch) -> bool:
    """Whether the host shows an array behind a launch, with the value that it had before."""
    module = launch.module
    scope = module.scope_of(source) or module.tree
    place = launch.node.end_lineno or 0, launch.node.end_col_offset or 0
    bound = bound_at(module, source)
    uses = [one for one in module.loads(source.id, scope) if (one.lineno, one.col_offset) >= place]
    return any(
        bound_at(module, one) == bound and not asks_for_its_shape(one, module) and _shows(one, module)
        for one in uses
        if module.scope_of(one) is module.scope_of(source)
    )


def _shows(use: ast.Name, module: ModuleSyntax) -> bool:
    """Whether the host returns an array, prints it or what it computes from it, or compares it by NumPy."""
    for node in _around(use, module):
        if isinstance(node, ast.Return):
            return node.value is use
        if isinstance(node, ast.Call):
            named = node.func.id if isinstance(node.func, ast.Name) else ""
            dotted = module.dotted(node.func) or ""
            if named == "print" or dotted.rpartition(".")[2] in _COMPARING:
                return True
            own = isinstance(node.func, ast.Attribute) and use in below(node.func)
            if not own and not dotted.startswith("numpy."):
                return False
    return False


def _around(node: ast.AST, module: ModuleSyntax) -> Iterator[ast.AST]:
    """The expressions around a node and the statement that they belong to, from inside out."""
    around = module.parents.get(node)
    while around is not None:
        yield around
        if isinstance(around, ast.stmt):
            return
        around = module.parents.get(around)
