"""Waits in host loops that do nothing but launch, on one stream: its order is all that the launches need."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from advisor.program.kernels.called_functions import CalledFunctions
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.launches import Launch
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_HARMLESS = frozenset({
    "range", "len", "min", "max", "int", "float", "abs", "enumerate", "zip", "tqdm", "trange", "ceil",
    "floor",
    "sqrt", "sin", "cos", "exp", "pow", "int32", "int64", "float32", "float64", "synchronize", "append",
    "default_stream", "stream", "current_context",
})  # fmt: skip
_DEPTH = 3


class LaunchingLoops:
    """The loops of a module that only launch."""

    def __init__(self, module: ModuleSyntax, workspace: Workspace, launches: Sequence[Launch]) -> None:
        self._module, self._functions = module, CalledFunctions(workspace)
        self._launches: Mapping[ast.Call, Launch] = {one.node: one for one in launches if not one.in_helper}

    def between_launches(self, wait: ast.Call) -> bool | None:
        """Whether nothing but launches stands beside a wait in the loop around it, so that the host looks at
        nothing before the next launch; None where the loop calls what the source does not show.
        """
        loops = host_loops(self._module, wait)
        if not loops:
            return None
        found: list[Launch] = []
        verdict = self._only_launches(loops[0].body, found, _DEPTH)
        if not verdict:
            return verdict
        if isinstance(loops[0], ast.While) and self._reads(loops[0].test, found):
            return False
        streams = {self._stream(one) for one in found}
        return bool(found) and len(streams) == 1

    def _only_launches(self, body: Iterable[ast.AST], found: list[Launch], depth: int) -> bool | None:
        nodes = [node for statement in body for node in below(statement)]
        found += [self._launches[one] for one in nodes if isinstance(one, ast.Call) and one in self._launches]
        if any(isinstance(one, ast.Break | ast.Return | ast.Yield | ast.Try | ast.With) for one in nodes):
            return False
        verdict: bool | None = True
        for node in nodes:
            if isinstance(node, ast.Call) and node not in self._launches:
                known = self._is_harmless(node, found, depth)
                if known is False:
                    return False
                verdict = None if known is None else verdict
        given = {name for one in found for name in _names(one.node.args)}
        looked_at = any(
            isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _root(node) in given
            for node in nodes
            if not self._configures(node)
        )
        return False if looked_at else verdict

    def _is_harmless(self, call: ast.Call, found: list[Launch], depth: int) -> bool | None:
        if called_name(call) in _HARMLESS:
            return True
        if depth <= 0 or isinstance(call.func, ast.Attribute):
            # Methods copy, print, draw: what they look at is not told.
            return False if isinstance(call.func, ast.Attribute) else None
        functions = self._functions.of(call.func, self._module, self._module.function_around(call))
        if functions is None or len(functions) != 1 or functions[0][0] is not self._module:
            return None
        function = functions[0][1]
        return self._launches_only(function, found, depth) if isinstance(function, ast.FunctionDef) else None

    def _launches_only(self, function: FunctionNode, found: list[Launch], depth: int) -> bool | None:
        return self._only_launches(function.body, found, depth - 1) if depth > 0 else None

    def _configures(self, node: ast.AST) -> bool:
        """Whether a subscript is that of a launch, `kernel[grid, block]`."""
        parent = self._module.parents.get(node)
        return isinstance(parent, ast.Call) and parent.func is node and parent in self._launches

    def _reads(self, test: ast.expr, found: Sequence[Launch]) -> bool:
        """Whether the condition of a loop looks at what launches leave, or at what is not told."""
        given = {name for one in found for name in _names(one.node.args)}
        nodes = below(test)
        calls = [one for one in nodes if isinstance(one, ast.Call) and called_name(one) not in _HARMLESS]
        looked_at = [one for one in nodes if isinstance(one, ast.Subscript) and _root(one) in given]
        return bool(calls or looked_at)

    @staticmethod
    def _stream(launch: Launch) -> str:
        parts = launch.node.func.slice if isinstance(launch.node.func, ast.Subscript) else None
        return ast.unparse(parts.elts[2]) if isinstance(parts, ast.Tuple) and len(parts.elts) > 2 else ""


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    return {one.id for node in nodes for one in below(node) if isinstance(one, ast.Name)}


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
