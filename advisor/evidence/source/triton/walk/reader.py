"""The Triton functions of a module and of those it takes functions from, each looked at once."""

from __future__ import annotations

from advisor.evidence.source.triton.declarations import TritonFunction, triton_functions
from advisor.evidence.source.triton.names import TritonNames
from advisor.evidence.source.triton.walk.notes import KernelNotes
from advisor.evidence.source.triton.walk.walk import kernel_notes
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import ModuleSyntax


class TritonReader:
    """Reads modules for Triton; one is made for each file that is surveyed."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._names: dict[int, TritonNames] = {}
        self._functions: dict[int, dict[str, list[TritonFunction]]] = {}
        self._notes: dict[str, KernelNotes] = {}

    def names(self, module: ModuleSyntax) -> TritonNames:
        """What names of Triton mean in a module."""
        if id(module) not in self._names:
            self._names[id(module)] = TritonNames(module, self.workspace)
        return self._names[id(module)]

    def functions(self, module: ModuleSyntax) -> list[TritonFunction]:
        """The functions of a module that Triton compiles, in order of lines."""
        return sorted(
            (one for alike in self._by_name(module).values() for one in alike),
            key=lambda one: one.node.lineno,
        )

    def _by_name(self, module: ModuleSyntax) -> dict[str, list[TritonFunction]]:
        if id(module) not in self._functions:
            found: dict[str, list[TritonFunction]] = {}
            for one in triton_functions(self.names(module)):
                found.setdefault(one.name, []).append(one)
            self._functions[id(module)] = found
        return self._functions[id(module)]

    def find(self, dotted: str, module: ModuleSyntax) -> TritonFunction | None:
        """The function that a dotted name stands for in a module, None for all others.

        Of several definitions of one name it is the last, as at the end of the module.
        """
        head, _, name = dotted.rpartition(".")
        place: tuple[ModuleSyntax, str] | None
        if not head and dotted in self._by_name(module):
            place = (module, dotted)
        elif head:
            place = self.workspace.member(dotted, module)
        else:
            place = self.workspace.definition(name, module)
        if place is None:
            return None
        found = self._by_name(place[0]).get(place[1])
        return found[-1] if found else None

    def notes(self, function: TritonFunction) -> KernelNotes:
        """What the source of a function says."""
        if function.key not in self._notes:
            self._notes[function.key] = kernel_notes(
                function,
                lambda one: self.names(one.module),
                lambda dotted, one: self.find(dotted, one.module),
                self.workspace,
            )
        return self._notes[function.key]
