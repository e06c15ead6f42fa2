"""Whether the walk through a kernel has seen all that is done with an array."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.kernel_facts import Array, KernelFacts
from advisor.evidence.source.kernel_walk.walk_state import Resolve
from advisor.program.kernels.declarations import cuda_member
from advisor.program.syntax.module import FunctionNode, ModuleSyntax

_QUESTIONS = frozenset({"shape", "size", "ndim", "dtype", "strides", "itemsize", "nbytes"})
_DEEPEST = 6


def all_uses_are_followed(array: Array, facts: KernelFacts, resolve: Resolve) -> bool:
    """Whether each use of an array parameter, also in the device functions that get it, is an access or an
    atomic of the kernel's facts or asks for its shape. False where it gets another name, and where a function
    that gets it is not known.
    """
    declaration = facts.declaration
    if not array.parameter or not facts.complete or array.name not in declaration.parameters:
        return False
    seen = {one.place.node for one in facts.accesses if one.array is array}
    seen |= {one.place.node for one in facts.atomics if one.array is array}
    uses = _Uses(seen, resolve)
    return uses.are_followed(declaration.module, declaration.node, array.name, _DEEPEST)


class _Uses:
    def __init__(self, seen: set[ast.AST], resolve: Resolve) -> None:
        self.seen, self.resolve = seen, resolve

    def are_followed(self, module: ModuleSyntax, function: FunctionNode, name: str, depth: int) -> bool:
        names = [one for one in module.inside(function, ast.Name) if one.id == name]
        return depth > 0 and all(self._is_followed(one, module, depth) for one in names)

    def _is_followed(self, name: ast.Name, module: ModuleSyntax, depth: int) -> bool:
        if not isinstance(name.ctx, ast.Load):
            return False
        node: ast.expr = name
        parent = module.parents.get(name)
        if isinstance(parent, ast.Attribute) and parent.attr in _QUESTIONS:
            return True
        while isinstance(parent, ast.Subscript) and parent.value is node:
            if parent in self.seen:
                return True
            node, parent = parent, module.parents.get(parent)
        if not isinstance(parent, ast.Call) or node not in parent.args:
            return False
        if parent in self.seen or (node is name and module.dotted(parent.func) == "len"):
            return True
        return node is name and self._is_followed_in(parent, name, module, depth)

    def _is_followed_in(self, call: ast.Call, name: ast.Name, module: ModuleSyntax, depth: int) -> bool:
        dotted = module.dotted(call.func)
        if dotted is None or cuda_member(dotted) is not None:
            return False
        device = self.resolve(dotted, module)
        position = call.args.index(name)
        plain = not any(isinstance(one, ast.Starred) for one in call.args)
        if device is None or not plain or position >= len(device.parameters):
            return False
        return self.are_followed(device.module, device.node, device.parameters[position], depth - 1)
