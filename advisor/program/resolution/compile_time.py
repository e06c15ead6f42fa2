"""When a kernel is compiled: at its first launch, with what the names of its module are bound to by then."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.program.kernels.declarations import Declaration
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.reaching_definitions import START


@dataclass(frozen=True, eq=False)
class CompileTime:
    """A kernel, and a place in the module's own statements where names have what they have for its compiler:
    its first launch, or where it is defined with a signature. Where neither is known, `node` is None.
    """

    module: ModuleSyntax
    kernel: FunctionNode
    node: ast.AST | None

    @classmethod
    def of(cls, kernel: Declaration, launches: Iterable[ast.Call]) -> CompileTime:
        """The time at which a kernel is compiled that calls of its module launch."""
        module, node = kernel.module, kernel.node
        if kernel.signature is not None and kernel.form == "decorator" and module.scope_of(node) is None:
            return cls(module, node, node.decorator_list[0])
        own = [one for one in launches if module.scope_of(one) is None]
        return cls(module, node, min(own, key=lambda one: (one.lineno, one.col_offset), default=None))

    def definition(self, name: str, module: ModuleSyntax) -> ast.AST | None:
        """The only definition that holds for a name of a module then; None where there may be others."""
        if module is not self.module or self.node is None:
            return None
        definitions = module.definitions(module.tree)
        found = None if definitions.bound_by_others(name) else definitions.reaching(name, self.node)
        one = next(iter(found)) if found and len(found) == 1 else START
        return one if isinstance(one, ast.AST) else None

    def at(self, definition: ast.AST) -> CompileTime:
        """The earlier time at which a definition was evaluated."""
        return CompileTime(self.module, self.kernel, definition)

    def chosen(self, name: str, functions: list[FunctionNode], module: ModuleSyntax) -> FunctionNode | None:
        """Which of several functions of one name of a module the kernel calls.

        Without a launch it is the last above the kernel, as whoever defines both again would have it.
        """
        held = self.definition(name, module)
        if held is not None:
            return next((one for one in functions if one is held), None)
        if module is not self.module or len(functions) < 2:
            return None
        above = [one for one in functions if one.lineno < self.kernel.lineno]
        return above[-1] if above else functions[0]
