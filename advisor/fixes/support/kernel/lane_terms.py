"""Where the lane index, threadIdx.x, appears in the indices that a kernel's text uses."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import words_in
from advisor.fixes.support.kernel.thread_axes import grid_call, thread_index
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.module import FunctionNode

_DEEPEST = 6


class LaneTerms:
    """The names of a kernel that follow its lane index, read once."""

    def __init__(self, module: SourceModule, function: FunctionNode) -> None:
        self._module, self._function = module, function
        self._tainted: set[str] = set()
        body = function.body
        bound: list[tuple[ast.AST, ast.AST]] = [
            *((part, one.value) for one in module.nodes_in(ast.Assign, body) for part in one.targets),
            *((one.target, one.value) for one in module.nodes_in(ast.AugAssign, body)),
            *((one.target, one.value) for one in module.nodes_in(ast.AnnAssign, body) if one.value),
            *((one.target, one.value) for one in module.nodes_in(ast.NamedExpr, body)),
            *((one.target, one.iter) for one in module.nodes_in(ast.For, body)),
        ]
        size = -1
        while size != len(self._tainted):
            size = len(self._tainted)
            for target, value in bound:
                if self.depends(value):
                    self._tainted |= self._targets(target, value)

    def depends(self, expression: ast.AST) -> bool:
        """Whether an expression may differ between the lanes along x."""
        module = self._module
        if words_in(module, expression) & self._tainted:
            return True
        if any(grid_call(module, one) is not None for one in module.nodes_in(ast.Call, expression)):
            return True
        indices = [thread_index(module, one) for one in module.nodes_in(ast.Attribute, expression)]
        return ("threadIdx", "x") in indices

    def _targets(self, target: ast.AST, value: ast.AST) -> set[str]:
        if isinstance(target, ast.Name):
            return {target.id}
        if isinstance(target, ast.Tuple | ast.List):
            # Of the indices that cuda.grid gives, only the first one follows x.
            whole = grid_call(self._module, value) is not None
            elements = target.elts[:1] if whole else target.elts
            return {name for one in elements for name in self._targets(one, value)}
        return set()

    def steps_by_one(self, expression: ast.expr, depth: int = 0) -> bool:
        """Whether an expression is the lane index plus what is the same for all lanes along x."""
        if depth > _DEEPEST:
            return False
        if isinstance(expression, ast.BinOp):
            left, right = self.depends(expression.left), self.depends(expression.right)
            if left and not right and isinstance(expression.op, ast.Add | ast.Sub):
                return self.steps_by_one(expression.left, depth + 1)
            added = right and not left and isinstance(expression.op, ast.Add)
            return added and self.steps_by_one(expression.right, depth + 1)
        if thread_index(self._module, expression) == ("threadIdx", "x"):
            return True
        if grid_call(self._module, expression) == 1:
            return True
        return isinstance(expression, ast.Name) and self._name_steps(expression.id, depth + 1)

    def _name_steps(self, name: str, depth: int) -> bool:
        bound = self._module.bindings(name, self._function)
        if len(bound) != 1:
            return False
        line = bound[0]
        if isinstance(line, ast.For) and isinstance(line.target, ast.Name):
            # A counter that starts at the lane index and goes on alike in all lanes.
            bounds = range_bounds(line) or ()
            return len(bounds) == 3 and self.steps_by_one(bounds[0], depth) and not self.depends(bounds[2])
        if not isinstance(line, ast.Assign) or len(line.targets) != 1:
            return False
        target = line.targets[0]
        if isinstance(target, ast.Name):
            return self.steps_by_one(line.value, depth)
        first = target.elts[0] if isinstance(target, ast.Tuple | ast.List) else None
        several = grid_call(self._module, line.value)
        return several is not None and isinstance(first, ast.Name) and first.id == name
