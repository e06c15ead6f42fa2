"""Loops of a kernel: what their names are in every iteration, how often they run."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from advisor.evidence.source.kernel_walk.affine_forms import Form, atom, number
from advisor.evidence.source.kernel_walk.counted_names import is_plain, step_of_inner_loops, value_behind
from advisor.evidence.source.kernel_walk.index_bounds import range_bound
from advisor.evidence.source.kernel_walk.kernel_facts import (
    BranchUse,
    Index,
    LoopContext,
    LoopUse,
    Opaque,
    Scalar,
    Value,
    View,
)
from advisor.evidence.source.kernel_walk.statements import Statements
from advisor.program.syntax.module import names_in, stored_names
from advisor.program.syntax.statement_places import LOOPS, blocks
from advisor.program.syntax.tree_nodes import below
from advisor.program.values.constant_folding import trip_count

_THREAD_WORDS = frozenset({"threadIdx", "laneid"})
_POSITION_WORDS = _THREAD_WORDS | {"blockIdx", "grid"}
_BUILT_IN = frozenset(
    {"abs", "bool", "complex", "float", "int", "len", "max", "min", "pow", "range", "round"}
)


class LoopWalk(Statements):
    """Walks a loop once for all iterations: names that change follow the counter or lose their value."""

    def _do_for(self, statement: ast.For) -> bool:
        call = statement.iter
        counter = self.atoms.loop()
        by_grid, of_values, counts_blocks = False, True, False
        bounds: frozenset[Form] = frozenset()
        stop_form: Form | None = None
        step_form: Form | None = None
        start_form: Form | None = None
        over_range = (
            isinstance(call, ast.Call) and isinstance(self.value(call.func), Opaque) and self._is_range(call)
        )
        if over_range and isinstance(call, ast.Call):
            parts = [self.scalar(item) for item in call.args]
            start = parts[0] if len(parts) > 1 else Scalar(number(0), "int")
            step = parts[2] if len(parts) > 2 else Scalar(number(1), "int")
            item: Value = Scalar(start.form + step.form * atom(counter), "int")
            by_grid, of_values = _is_grid(step.form), self._names_values(call)
            stop = parts[1] if len(parts) > 1 else parts[0]
            start_form, stop_form, step_form = start.form, stop.form, step.form
            counts_blocks = item == Scalar(atom(counter), "int") and _is_grid_size(stop.form)
            bounds = range_bound(start.form + step.form * atom(counter), stop.form, step.form)
        else:
            iterated = self.value(call)
            parts = [self.as_scalar(iterated)]
            view = self.view(iterated)
            item = self.opaque([iterated, Scalar(atom(counter))], loaded=view is not None)
            if view is not None:
                item = self.load(statement.iter, View(view.array, (*view.prefix, Index(atom(counter)))))
        context = LoopContext(
            counter, frozenset().union(*(self.depends(part) for part in parts)),
            any(self.loaded(part) for part in parts), False, statement,
            trip_count([part.form.constant for part in parts]), over_range, of_values, by_grid, counts_blocks,
            stop_form, step_form, start_form,
        )  # fmt: skip
        self._loop(statement, context, lambda: self.store(statement.target, item), bounds=bounds)
        self.statements(statement.orelse)
        return False

    def _is_range(self, call: ast.Call) -> bool:
        return self._called_name(call) in ("range", "numba.prange") and bool(call.args)

    def _names_values(self, call: ast.Call) -> bool:
        """Whether some argument of a `range` names a value of the kernel, not one of the program around."""
        return any(
            isinstance(inner, ast.Name) and inner.id in self.env
            for item in call.args
            for inner in below(item)
        )

    def _do_while(self, statement: ast.While) -> bool:
        counter = self.atoms.loop()
        before = len(self.facts.accesses), len(self.facts.operations), len(self.facts.atomics)
        entry = self.env.entry()
        self._summarise(statement, counter)
        by_grid = self.stepped_by_grid
        test = self.value(statement.test)
        # The walk through the body begins with what the names had before the loop.
        self.env.taken_back_to(entry)
        context = LoopContext(
            counter, self.depends(test) - {counter}, self.loaded(test), True, statement, steps_by_grid=by_grid
        )
        del (
            self.facts.accesses[before[0] :],
            self.facts.operations[before[1] :],
            self.facts.atomics[before[2] :],
        )
        self._loop(statement, context, lambda: None, test)
        return False

    def _loop(
        self,
        statement: ast.For | ast.While,
        context: LoopContext,
        bind: object,
        test: Value | None = None,
        bounds: frozenset[Form] = frozenset(),
    ) -> None:
        outer, before = self.loops, self.conditions
        inductions = self._summarise(statement, context.counter)
        bind()  # type: ignore[operator]
        self.loops = (*outer, context)
        depends = context.trips - {context.counter}
        self.facts.branches.append(
            BranchUse(self.place(statement), depends, context.trips_loaded, True, False, False)
        ) if context.is_while else None
        if isinstance(statement, ast.While):
            self.spinning = True
            test = self.value(statement.test)
            self.spinning = False
        if test is None:
            test = self.opaque([Scalar(atom(name)) for name in context.trips])
        condition = self.condition(test, statement)
        takes = self._taken(statement)
        self.conditions = (*before, replace(condition, bounds=condition.bounds | bounds))
        first = len(self.facts.accesses)
        self.statements(statement.body)
        self.conditions, self.loops = before, outer
        accesses = self.facts.accesses[first:]
        thread = any(
            name.startswith(("tid", "bid"))
            for access in accesses
            for index in access.indices
            for name in self.atoms.depends(index.form)
        )
        self.facts.loops.append(
            LoopUse(
                self.place(statement),
                context,
                thread,
                any(access.kind != "load" and access.array.space != "local" for access in accesses),
                takes,
            )
        )
        self._after(statement, inductions, context)

    def _taken(self, statement: ast.For | ast.While) -> frozenset[str]:
        """What the values depend on that a loop reads; functions of the program may ask for the thread."""
        found: set[str] = set()
        for node in below(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in self.env:
                found |= self.depends(self.env[node.id])
            elif isinstance(node, ast.Attribute) and node.attr in _POSITION_WORDS:
                found.add("tid.x")
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found |= set() if node.func.id in _BUILT_IN else {"tid.x"}
        return frozenset(found)

    def _summarise(self, statement: ast.For | ast.While, counter: str) -> dict[str, Value]:
        """Give each name that the loop changes a value that holds in every iteration."""
        found = loop_dependences(statement)
        self.stepped_by_grid = False
        inductions: dict[str, Value] = {}
        new: dict[str, Value] = {}
        for name in stored_names(statement):
            before = self.env.get(name)
            step = found.steps.get(name)
            if step is not None and isinstance(before, Scalar):
                increment = self.scalar(step)
                if counter not in self.depends(increment) and not self.loaded(increment):
                    signed = increment.form if found.signs[name] > 0 else -increment.form
                    new[name] = Scalar(before.form + signed * atom(counter), before.kind)
                    inductions[name] = before
                    self.stepped_by_grid |= _is_grid(signed)
                    continue
            total = self._step_of_inner_loops(statement, name) if isinstance(before, Scalar) else None
            if total is not None and isinstance(before, Scalar) and before.kind == "int":
                new[name] = Scalar(before.form + number(total) * atom(counter), before.kind)
                inductions[name] = before
                continue
            if isinstance(before, View) and name not in found.scalars:
                continue
            new[name] = self._loop_value(name, before, found, counter)
        self.env.update(new)
        return inductions

    def _step_of_inner_loops(self, loop: ast.For | ast.While, name: str) -> int | None:
        def whole(node: ast.expr) -> int | None:
            return self.scalar(node).form.constant if is_plain(node) else None

        def iterations(inner: ast.For) -> int | None:
            call = inner.iter
            if not isinstance(call, ast.Call) or call.keywords or not self._is_range(call):
                return None
            return trip_count([whole(one) for one in call.args])

        return step_of_inner_loops(loop, name, iterations, whole)

    def _loop_value(self, name: str, before: Value | None, found: Dependences, counter: str) -> Value:
        outside = [self.env[other] for other in found.reads.get(name, ()) if other in self.env]
        values: list[Value] = [Scalar(atom(counter)), *outside]
        values += [Scalar(atom(f"tid.{axis}")) for axis in "xyz"] if name in found.thread_names else []
        kind = before.kind if isinstance(before, Scalar) and name not in found.floats else None
        return self.opaque(
            [*values, *([before] if before is not None else [])], kind, loaded=name in found.loaded
        )

    def _after(
        self, statement: ast.For | ast.While, inductions: dict[str, Value], context: LoopContext
    ) -> None:
        """Past the loop, a name that it changed no longer follows the counter."""
        trips = [Scalar(atom(name)) for name in context.trips]
        for name in stored_names(statement):
            value = self.env.get(name)
            if isinstance(value, Scalar):
                before = inductions.get(name)
                behind = None
                if isinstance(before, Scalar) and before.kind == value.kind == "int":
                    behind = value_behind(before.form, value.form, context)
                if behind is not None:
                    self.env[name] = Scalar(behind, "int")
                    continue
                values: list[Value] = [value, *trips, *([before] if before is not None else [])]
                depends = frozenset().union(*(self.depends(item) for item in values)) - {context.counter}
                loaded = any(self.loaded(item) for item in values)
                merges = self.atoms.many_to_one(value.form)
                self.env[name] = Scalar(self.atoms.opaque(depends, loaded, many_to_one=merges), value.kind)


def _is_grid(step: Form) -> bool:
    return any(name.startswith("gdim.") for name in step.atoms())


def _is_grid_size(count: Form) -> bool:
    return any(count == atom(f"gdim.{axis}") for axis in "xyz")


@dataclass
class Dependences:
    """For each name stored in a loop: the names it is computed from (transitively), and how.

    `steps` and `signs` hold the increments of counters (`i += step` once per iteration); `loaded` the names
    computed from array elements or unknown calls; `thread_names` those that read the thread's position inside
    the loop; `scalars` those bound to anything that is not a view; `floats` those a division may make float.
    """

    reads: dict[str, set[str]] = field(default_factory=dict)
    steps: dict[str, ast.expr] = field(default_factory=dict)
    signs: dict[str, int] = field(default_factory=dict)
    loaded: set[str] = field(default_factory=set)
    thread_names: set[str] = field(default_factory=set)
    scalars: set[str] = field(default_factory=set)
    floats: set[str] = field(default_factory=set)


def loop_dependences(loop: ast.For | ast.While) -> Dependences:
    """The dependences of every name stored in `loop`."""
    found = Dependences()
    count: dict[str, int] = {}
    _collect(loop.body, set(), found, count)
    if isinstance(loop, ast.For):
        for target in names_in(loop.target):
            count[target] = count.get(target, 0) + 2
            found.reads.setdefault(target, set()).update(names_in(loop.iter))
    _close(found)
    for statement in loop.body:
        _counter(statement, found, count)
        if _may_continue(statement):
            # What stands behind it is left out in some iterations.
            break
    return found


def _may_continue(statement: ast.stmt) -> bool:
    """Whether a statement may begin the next iteration of the loop around it."""
    if isinstance(statement, LOOPS):
        return any(map(_may_continue, statement.orelse))
    inner = (one for block in blocks(statement) for one in block)
    return isinstance(statement, ast.Continue) or any(map(_may_continue, inner))


def _counter(statement: ast.stmt, found: Dependences, count: dict[str, int]) -> None:
    if not (isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name)):
        return
    name = statement.target.id
    if (
        count.get(name) == 1
        and isinstance(statement.op, ast.Add | ast.Sub)
        and not names_in(statement.value) & set(count)
    ):
        found.steps[name] = statement.value
        found.signs[name] = 1 if isinstance(statement.op, ast.Add) else -1


def _collect(body: list[ast.stmt], control: set[str], found: Dependences, count: dict[str, int]) -> None:
    for statement in body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                for name in stored_names(target):
                    _note(name, statement.value, control, found, count)
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            _note(statement.target.id, statement.value, control | {statement.target.id}, found, count)
            if isinstance(statement.op, ast.Div):
                found.floats.add(statement.target.id)
        elif (
            isinstance(statement, ast.AnnAssign)
            and statement.value
            and isinstance(statement.target, ast.Name)
        ):
            _note(statement.target.id, statement.value, control, found, count)
        elif isinstance(statement, ast.If | ast.While):
            inner = control | names_in(statement.test)
            _collect(statement.body, inner, found, count)
            _collect(statement.orelse, inner, found, count)
        elif isinstance(statement, ast.For):
            for name in stored_names(statement.target):
                _note(name, statement.iter, control, found, count)
            _collect(statement.body, control | names_in(statement.iter), found, count)
        elif isinstance(statement, ast.With):
            _collect(statement.body, control, found, count)


def _note(name: str, value: ast.expr, control: set[str], found: Dependences, count: dict[str, int]) -> None:
    count[name] = count.get(name, 0) + 1
    found.reads.setdefault(name, set()).update(names_in(value) | control)
    found.scalars.add(name)
    for inner in below(value):
        if isinstance(inner, ast.Subscript):
            found.loaded.add(name)
        elif (isinstance(inner, ast.Attribute) and inner.attr in _THREAD_WORDS) or (
            isinstance(inner, ast.Call)
            and isinstance(inner.func, ast.Attribute)
            and inner.func.attr == "grid"
        ):
            found.thread_names.add(name)
        elif isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div):
            found.floats.add(name)


def _close(found: Dependences) -> None:
    changed = True
    while changed:
        changed = False
        for name, reads in found.reads.items():
            for other in list(reads):
                more = found.reads.get(other, set()) - reads
                if more:
                    reads |= more
                    changed = True
            for marks in (found.loaded, found.thread_names):
                if name not in marks and reads & marks:
                    marks.add(name)
                    changed = True
