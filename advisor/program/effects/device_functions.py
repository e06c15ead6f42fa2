"""Which device function a name refers to, across the modules of a workspace."""

from __future__ import annotations

import ast

from advisor.program.effects.array_effects import ArrayEffects
from advisor.program.kernels.declarations import Declaration, find_cpu_functions, find_declarations
from advisor.program.names.workspace import Workspace
from advisor.program.resolution.compile_time import CompileTime
from advisor.program.syntax.module import ModuleSyntax


class Resolver:
    """Finds declarations by name; each module is searched once. `array_effects` are what functions do."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.array_effects = ArrayEffects(workspace)
        self._declarations: dict[int, list[Declaration]] = {}
        self._by_function: dict[int, dict[ast.AST, Declaration]] = {}
        self._by_call: dict[int, dict[ast.Call, list[Declaration]]] = {}
        self._cpu: dict[int, list[Declaration]] = {}
        self._found: dict[tuple[int, str, ast.AST | None], Declaration | None] = {}

    def declarations(self, module: ModuleSyntax) -> list[Declaration]:
        """The kernels and device functions of a module."""
        key = id(module)
        if key not in self._declarations:
            self._declarations[key] = find_declarations(module, self.workspace)
        return self._declarations[key]

    def declaration_of(self, function: ast.AST, module: ModuleSyntax) -> Declaration | None:
        """What a module declares of a function, its own or another one's."""
        key = id(module)
        if key not in self._by_function:
            # No function has two: a second compilation belongs to the first declaration.
            self._by_function[key] = {one.node: one for one in self.declarations(module)}
        return self._by_function[key].get(function)

    def compiled_by(self, call: ast.Call, module: ModuleSyntax) -> list[Declaration]:
        """The declarations of a module that a call in it makes where no decorator does, in a loop several."""
        key = id(module)
        if key not in self._by_call:
            found = self._by_call[key] = {}
            for declaration in self.declarations(module):
                for one in declaration.calls:
                    found.setdefault(one, []).append(declaration)
        return self._by_call[key].get(call, [])

    def resolve(
        self, dotted: str, module: ModuleSyntax, time: CompileTime | None = None
    ) -> Declaration | None:
        """The declaration that `dotted` names in `module`, None when it is none or cannot be found.

        Of several it is the one that a kernel calls which is compiled at that `time`, else the last.
        """
        key = (id(module), dotted, time.kernel if time else None)
        if key not in self._found:
            self._found[key] = None
            self._found[key] = self._search(dotted, module, time)
        return self._found[key]

    def _search(self, dotted: str, module: ModuleSyntax, time: CompileTime | None) -> Declaration | None:
        if "." not in dotted:
            nested = self._named(dotted, module, time)
            if nested is not None:
                return nested
        place = (
            self.workspace.member(dotted, module)
            if "." in dotted
            else self.workspace.definition(dotted, module)
        )
        if place is None:
            return None
        target, name = place
        found = self._named(name, target, time)
        if found is None:
            for value in target.assigned.get(name, ()):
                if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.Name):
                    found = self._named(value.args[0].id, target, time)
        return found

    def _named(self, name: str, module: ModuleSyntax, time: CompileTime | None) -> Declaration | None:
        found = [declaration for declaration in self.declarations(module) if name in declaration.names]
        found = found or [one for one in self._for_cpu(module) if name in one.names]
        # Functions of one name in different scopes are no definitions of one another.
        own = [one.node for one in found if one.module is module and module.scope_of(one.node) is None]
        chosen = time.chosen(name, own, module) if time and len(own) == len(found) else None
        return next((one for one in found if one.node is chosen), found[-1] if found else None)

    def _for_cpu(self, module: ModuleSyntax) -> list[Declaration]:
        """Functions compiled for the CPU, which Numba compiles for the GPU too where a kernel calls them."""
        key = id(module)
        if key not in self._cpu:
            self._cpu[key] = find_cpu_functions(module, self.workspace)
        return self._cpu[key]
