"""What one host function shows of the values of its expressions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import Value, copied_by_launch
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax


class HostScope:
    """The names of one host function, or of a module's own statements."""

    def __init__(self, module: ModuleSyntax, function: FunctionNode | None, values: HostValues) -> None:
        self.module, self.function, self.values = module, function, values

    @property
    def workspace(self) -> Workspace:
        """The workspace of the module."""
        return self.values.workspace

    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""
        return self.values.of(node, self.values.frame(self.module, self.function))

    def host_arrays(self, arguments: Sequence[ast.expr]) -> tuple[str, ...] | None:
        """The arguments that are NumPy arrays for certain, None when nothing is known of any argument."""
        verdicts = [(ast.unparse(argument), self.is_host_array(argument)) for argument in arguments]
        if all(verdict is None for _, verdict in verdicts):
            return None
        return tuple(name for name, verdict in verdicts if verdict)

    def is_host_array(self, node: ast.expr) -> bool | None:
        """True for a NumPy array in the host's memory, False for something else, None if not known."""
        return copied_by_launch(self.value(node))
