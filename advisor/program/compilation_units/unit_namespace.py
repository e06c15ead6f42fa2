"""One namespace for all functions of a unit: two modules may use one name for different things."""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.program.compilation_units.function_text import Replacement, function_text
from advisor.program.compilation_units.unit_functions import Target, UnitFunction


@dataclass
class Namespace:
    """The name of each target; a target keeps its own name where no function uses that name otherwise."""

    functions: list[UnitFunction]
    names: dict[Target, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._taken = {name for function in self.functions for name in function.identifiers}
        self._given: set[str] = set()
        for function in self.functions:
            self._name(Target("function", function.node.name, function=function.node))
            for reference in function.references:
                self._name(reference.target)

    def _name(self, target: Target) -> None:
        if target in self.names:
            return
        name = target.name
        if name in self._given or not self._is_clean(target):
            number = 2
            while f"{name}_{number}" in self._taken | self._given:
                number += 1
            name = f"{name}_{number}"
        self._given.add(name)
        self.names[target] = name

    def _is_clean(self, target: Target) -> bool:
        for function in self.functions:
            if target.name in function.identifiers:
                meant = {r.target for r in function.references if r.written == target.name}
                if meant != {target}:
                    return False
        return True

    def texts(self, kind: str) -> dict[str, str]:
        """The text of each target of a kind, by its name in the unit."""
        return {name: target.text for target, name in self.names.items() if target.kind == kind}

    def text(self, function: UnitFunction, defaults: dict[str, str]) -> str:
        """The function's text with the unit's names; raises ValueError if one of them spans lines."""
        replacements = []
        for reference in function.references:
            name = self.names[reference.target]
            if name != reference.written:
                if reference.node.lineno != reference.node.end_lineno:
                    raise ValueError("a name that spans lines")
                replacements.append(Replacement(reference.node, name))
        own = self.names[Target("function", function.node.name, function=function.node)]
        return function_text(function.module, function.node, own, replacements, defaults)
