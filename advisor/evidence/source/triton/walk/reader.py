"""The walk through each Triton function of a module and of those it takes functions from, once."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from advisor.evidence.source.kernel_walk.affine_forms import atom
from advisor.evidence.source.triton.declarations import TritonFunction, triton_functions
from advisor.evidence.source.triton.names import TritonNames
from advisor.evidence.source.triton.walk.calls import Calls
from advisor.evidence.source.triton.walk.notes import KernelNotes, LoopAround, LoopNote
from advisor.evidence.source.triton.walk.quantities import Group, Quantity, Value
from advisor.evidence.source.triton.walk.walk_state import Find, flattened
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import ModuleSyntax, stored_names
from advisor.program.values.constant_folding import trip_count

_RANGES = frozenset({"range", "tl.range", "tl.static_range"})


def kernel_notes(
    function: TritonFunction, names: Callable[[TritonFunction], TritonNames], find: Find, workspace: Workspace
) -> KernelNotes:
    """All that the source of a function says; `complete` is False where it is nested too deeply."""
    notes = KernelNotes(function)
    walk = Walk(notes, names, find, workspace)
    walk.env = {name: walk.parameter(name, function) for name in function.parameters}
    try:
        walk.statements(function.node.body)
    except RecursionError:
        notes.complete = False
    return notes


class Walk(Calls):
    """Statements, loops and branches."""

    def statements(self, body: list[ast.stmt]) -> None:
        """Walk through statements in order."""
        for statement in body:
            method = getattr(self, f"_do_{type(statement).__name__.lower()}", None)
            if method is not None:
                method(statement)
            else:
                for child in ast.iter_child_nodes(statement):
                    if isinstance(child, ast.expr):
                        self.value(child)

    def _do_assign(self, statement: ast.Assign) -> None:
        value = self.value(statement.value)
        for target in statement.targets:
            self._bind(target, value)

    def _do_annassign(self, statement: ast.AnnAssign) -> None:
        if statement.value is not None:
            self._bind(statement.target, self.value(statement.value))

    def _do_augassign(self, statement: ast.AugAssign) -> None:
        right = self.value(statement.value)
        if isinstance(statement.target, ast.Name):
            left = self.env.get(statement.target.id)
            if isinstance(left, Quantity) and isinstance(right, Quantity):
                self.env[statement.target.id] = self.combined(statement.op, left, right)
            else:
                self.env[statement.target.id] = self.opaque(flattened([right]))

    def _bind(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.env[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            items = value.items if isinstance(value, Group) and len(value.items) == len(target.elts) else None
            for number, one in enumerate(target.elts):
                self._bind(one, items[number] if items else self.unknown())

    def _do_expr(self, statement: ast.Expr) -> None:
        self.value(statement.value)

    def _do_return(self, statement: ast.Return) -> None:
        if statement.value is not None:
            self.returned.append(self.value(statement.value))

    def _do_functiondef(self, statement: ast.FunctionDef) -> None:
        self.env[statement.name] = self.unknown()

    def _do_with(self, statement: ast.With) -> None:
        self.statements(statement.body)

    def _do_if(self, statement: ast.If) -> None:
        condition = self.quantity(statement.test)
        self.note_choice(statement.test, condition, "if")
        before, settings = dict(self.env), self.settings
        written = ast.unparse(statement.test) if condition.constant else None
        self.guards += 1
        self.settings = settings | {written} if written else settings
        self._block(statement.body)
        after, self.env = self.env, before
        self.settings = settings | {f"not {written}"} if written else settings
        self._block(statement.orelse)
        self.guards -= 1
        self.settings = settings
        left = _leaves(statement.body), _leaves(statement.orelse)
        if left == (False, True):
            self.env = after
        elif left != (True, False):
            self.env = self._merged(after, self.env)

    def _merged(self, one: dict[str, Value], other: dict[str, Value]) -> dict[str, Value]:
        merged = dict(one)
        for name, value in other.items():
            known = one.get(name)
            if isinstance(known, Quantity) and isinstance(value, Quantity):
                merged[name] = self.either(known, value)
            elif known is None:
                merged[name] = value
        return merged

    def _block(self, body: list[ast.stmt]) -> None:
        saved = self.blocks
        self.blocks = (*saved, id(body) if body else 0)
        self.statements(body)
        self.blocks = saved

    def _do_while(self, statement: ast.While) -> None:
        around = LoopAround(self.atoms.loop(), statement)
        self._carry(statement, around)
        self.loops = (*self.loops, around)
        condition = self.quantity(statement.test)
        self.note_choice(statement.test, condition, "while")
        self._block(statement.body)
        self.loops = self.loops[:-1]

    def _do_for(self, statement: ast.For) -> None:
        call = statement.iter if isinstance(statement.iter, ast.Call) else None
        name = self._range_name(call)
        parts = [self.quantity(one) for one in call.args] if call is not None and name else []
        if not parts:
            self.value(statement.iter)
        around = LoopAround(self.atoms.loop(), statement, name == "tl.static_range")
        first = parts[0] if len(parts) > 1 else None
        step = parts[2].form if len(parts) > 2 else None
        self._carry(statement, around)
        form = atom(around.counter) if step is None else atom(around.counter) * step
        if first is not None:
            form = form + first.form
        counter = Quantity(form, (), constant=around.unrolled)
        self.loops = (*self.loops, around)
        self._bind(statement.target, counter if parts else self.unknown())
        note = LoopNote(
            statement,
            self.where(),
            around,
            trip_count([one.value for one in parts]),
            parts[min(len(parts), 2) - 1] if parts else None,
        )
        before = len(self.notes.dots)
        self._block(statement.body)
        note.dots = len(self.notes.dots) - before
        if parts:
            self.notes.loops.append(note)
        self.loops = self.loops[:-1]
        self._block(statement.orelse)

    def _range_name(self, call: ast.Call | None) -> str | None:
        if call is None:
            return None
        name = self.names.of(call.func)
        if name is None and isinstance(call.func, ast.Name) and call.func.id == "range":
            name = "range"
        return name if name in _RANGES else None

    def _carry(self, loop: ast.For | ast.While, around: LoopAround) -> None:
        """Give names that a loop changes another value in each of its iterations."""
        for name in stored_names(loop):
            known = self.env.get(name)
            if isinstance(known, Quantity):
                carried = self.atoms.opaque(self.atoms.depends(known.form) | {around.counter}, kind="carried")
                shape = None if known.is_number and known.pointer is None else known.shape
                self.env[name] = replace(
                    known, form=known.form + carried, value=None, shape=shape, constant=False, compared=()
                )

    def run_function(self, target: TritonFunction, bound: dict[str, Value]) -> Value:
        """The value that another function returns; what it does is noted as done inside."""
        saved = (self.function, self.names, self.constants, self.env, self.returned, self.blocks)
        self.enter(target)
        self.env, self.returned = dict(bound), []
        self.inside += 1
        self.blocks = (*self.blocks, id(target.node))
        self.statements(target.node.body)
        self.inside -= 1
        results = self.returned
        self.function, self.names, self.constants, self.env, self.returned, self.blocks = saved
        if not results:
            return self.unknown()
        first = results[0]
        for other in results[1:]:
            if isinstance(first, Quantity) and isinstance(other, Quantity):
                first = self.either(first, other)
        return first


def _leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Return | ast.Continue | ast.Break)


class TritonReader:
    """Reads modules for Triton; one is made for each file that is analysed."""

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
