"""What a walk through a Triton kernel carries along: values of names, loops and conditions around."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from advisor.evidence.source.kernel_walk.affine_forms import atom, number
from advisor.evidence.source.triton.declarations import TritonFunction
from advisor.evidence.source.triton.names import TritonNames
from advisor.evidence.source.triton.walk.notes import KernelNotes, LoopAround, Where
from advisor.evidence.source.triton.walk.quantities import COMPUTED, Group, Quantity, Value, broadcast, routed
from advisor.program.names.workspace import Workspace
from advisor.program.values.constant_folding import UNKNOWN
from advisor.program.values.constants import Constants

Find = Callable[[str, TritonFunction], TritonFunction | None]


class WalkState:
    """The state of a walk. `find` gives the function that a name stands for in another one's module."""

    def __init__(
        self,
        notes: KernelNotes,
        names: Callable[[TritonFunction], TritonNames],
        find: Find,
        workspace: Workspace,
    ) -> None:
        self.notes = notes
        self.atoms = notes.atoms
        self.names_of, self.find, self.workspace = names, find, workspace
        self.enter(notes.function)
        self.env: dict[str, Value] = {}
        self.loops: tuple[LoopAround, ...] = ()
        self.blocks: tuple[int, ...] = (0,)
        self.guards = 0
        self.settings: frozenset[str] = frozenset()
        self.inside = 0
        self.returned: list[Value] = []
        self._order = 0

    def enter(self, function: TritonFunction) -> None:
        """Name mean from now on what they mean in this function's module."""
        self.function = function
        self.names = self.names_of(function)
        self.constants = Constants(self.workspace, function.module, None)

    def where(self) -> Where:
        """Where the walk stands."""
        self._order += 1
        return Where(self.loops, self.blocks, self.guards > 0, self.inside, self._order, self.settings)

    def known(self, value: object) -> Quantity | None:
        """A constant as a value."""
        if isinstance(value, bool | int):
            return Quantity(number(int(value)), constant=True, value=int(value))
        if isinstance(value, float | str):
            return Quantity(self.atoms.symbol(f"={value!r}"), constant=True)
        return None

    def opaque(self, parts: Iterable[Value], kind: str = "value") -> Quantity:
        """A value computed from others in a way that has no form."""
        flat = list(flattened(parts))
        depends = frozenset[str]()
        for one in flat:
            depends |= self.atoms.depends(one.form)
        return Quantity(
            self.atoms.opaque(depends, any(self.atoms.loaded(one.form) for one in flat), kind),
            broadcast(one.shape for one in flat),
            frozenset[int]().union(*(one.axes for one in flat)),
            routed((lane for one in flat for lane in one.undefined), COMPUTED),
            next((one.pointer for one in flat if one.pointer), None),
            None,
            any(one.loaded for one in flat),
            bool(flat) and all(one.constant for one in flat),
            compared=tuple(form for one in flat for form in one.compared),
        )

    def unknown(self) -> Quantity:
        """A value of which nothing is known, not even its shape."""
        form = self.atoms.opaque({loop.counter for loop in self.loops} | {"anything"})
        return Quantity(form, None)

    def module_constant(self, node: ast.expr) -> Quantity | None:
        """The value of a constant of the module, None where it has none."""
        value = self.constants.value(node)
        return None if value is UNKNOWN else self.known(value)

    def parameter(self, name: str, function: TritonFunction) -> Quantity:
        """A parameter at the beginning of a kernel."""
        form = self.atoms.symbol(name)
        is_constant = name in function.constants()
        pointer = None if is_constant else name
        return Quantity(form, (), pointer=pointer, constant=is_constant)

    def program(self, axis: object) -> Quantity:
        """The program's index along an axis."""
        name = f"pid.{axis}" if isinstance(axis, int) else "pid.?"
        return Quantity(atom(name), ())


def flattened(values: Iterable[Value]) -> Iterable[Quantity]:
    """The single values in tuples and lists."""
    for one in values:
        if isinstance(one, Group):
            yield from flattened(one.items)
        else:
            yield one
