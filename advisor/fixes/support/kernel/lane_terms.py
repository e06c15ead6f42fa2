"""Where the lane index, threadIdx.x, appears in the indices that a kernel's text uses."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.thread_axes import grid_call, thread_index

_DEEPEST = 6


class LaneTerms:
    """The names of a kernel that follow its lane index, read once."""

    def __init__(self, module: SourceModule, function: cst.FunctionDef) -> None:
        self._module, self._function = module, function
        self._tainted: set[str] = set()
        body = function.body
        bound: list[tuple[cst.CSTNode, cst.CSTNode]] = [
            *((part.target, one.value) for one in module.nodes_in(cst.Assign, body) for part in one.targets),
            *((one.target, one.value) for one in module.nodes_in(cst.AugAssign, body)),
            *((one.target, one.value) for one in module.nodes_in(cst.AnnAssign, body) if one.value),
            *((one.target, one.value) for one in module.nodes_in(cst.NamedExpr, body)),
            *((one.target, one.iter) for one in module.nodes_in(cst.For, body)),
        ]
        size = -1
        while size != len(self._tainted):
            size = len(self._tainted)
            for target, value in bound:
                if self.depends(value):
                    self._tainted |= self._targets(target, value)

    def depends(self, expression: cst.CSTNode) -> bool:
        """Whether an expression may differ between the lanes along x."""
        module = self._module
        for one in module.nodes_in(cst.Name, expression):
            above = module.parent(one)
            # In `cuda.blockIdx.x` the x is no variable.
            if one.value in self._tainted and not (isinstance(above, cst.Attribute) and above.attr is one):
                return True
        if any(grid_call(module, one) is not None for one in module.nodes_in(cst.Call, expression)):
            return True
        indices = [thread_index(module, one) for one in module.nodes_in(cst.Attribute, expression)]
        return ("threadIdx", "x") in indices

    def _targets(self, target: cst.CSTNode, value: cst.CSTNode) -> set[str]:
        if isinstance(target, cst.Name):
            return {target.value}
        if isinstance(target, cst.Tuple | cst.List):
            # Of the indices that cuda.grid gives, only the first one follows x.
            whole = grid_call(self._module, value) is not None
            elements = target.elements[:1] if whole else target.elements
            return {name for one in elements for name in self._targets(one.value, value)}
        return set()

    def steps_by_one(self, expression: cst.BaseExpression, depth: int = 0) -> bool:
        """Whether an expression is the lane index plus what is the same for all lanes along x."""
        if depth > _DEEPEST:
            return False
        if isinstance(expression, cst.BinaryOperation):
            left, right = self.depends(expression.left), self.depends(expression.right)
            if left and not right and isinstance(expression.operator, cst.Add | cst.Subtract):
                return self.steps_by_one(expression.left, depth + 1)
            added = right and not left and isinstance(expression.operator, cst.Add)
            return added and self.steps_by_one(expression.right, depth + 1)
        if thread_index(self._module, expression) == ("threadIdx", "x"):
            return True
        if grid_call(self._module, expression) == 1:
            return True
        return isinstance(expression, cst.Name) and self._name_steps(expression.value, depth + 1)

    def _name_steps(self, name: str, depth: int) -> bool:
        bound = self._module.bindings(name, self._function)
        if len(bound) != 1:
            return False
        line = bound[0]
        if isinstance(line, cst.For) and isinstance(line.target, cst.Name):
            return self._loop_steps(line.iter, depth)
        if not isinstance(line, cst.Assign) or len(line.targets) != 1:
            return False
        target = line.targets[0].target
        if isinstance(target, cst.Name):
            return self.steps_by_one(line.value, depth)
        first = target.elements[0].value if isinstance(target, cst.Tuple | cst.List) else None
        several = grid_call(self._module, line.value)
        return several is not None and isinstance(first, cst.Name) and first.value == name

    def _loop_steps(self, values: cst.BaseExpression, depth: int) -> bool:
        """Whether a loop's counter starts at the lane index and goes on alike in all lanes."""
        if not isinstance(values, cst.Call) or self._module.written(values.func) != "range":
            return False
        parts = [one.value for one in values.args]
        return len(parts) == 3 and self.steps_by_one(parts[0], depth) and not self.depends(parts[2])
