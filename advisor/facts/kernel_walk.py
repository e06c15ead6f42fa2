"""The walk through a kernel's statements: what each name holds, and what happens under which conditions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.facts.assignment_dependences import Dependences, loop_dependences
from advisor.facts.calls import Calls
from advisor.facts.constants import Constants
from advisor.facts.declarations import Declaration
from advisor.facts.expressions import Resolve
from advisor.facts.forms import atom, number
from advisor.facts.kernel_facts import (
    Array,
    BranchUse,
    Index,
    KernelFacts,
    LoopContext,
    LoopUse,
    Opaque,
    Scalar,
    Tuple,
    Value,
    View,
)
from advisor.facts.module import stored_names
from advisor.facts.tree_nodes import below
from advisor.facts.workspace import Workspace


def kernel_facts(declaration: Declaration, workspace: Workspace, resolve: Resolve) -> KernelFacts:
    """All that the source says about one kernel; `resolve` finds the device function behind a name."""
    facts = KernelFacts(declaration)
    walk = KernelWalk(facts, workspace, resolve)
    for name in declaration.parameters:
        walk.env[name] = _parameter(name, declaration, walk)
    walk.statements(declaration.node.body)
    return facts


def _parameter(name: str, declaration: Declaration, walk: KernelWalk) -> Value:
    """A parameter: an array when it is subscripted, measured or iterated anywhere, else a number."""
    array = Array(name, "global", True, declaration.module, declaration.node)
    walk.facts.arrays.append(array)
    symbol = Scalar(walk.atoms.symbol(name), "int" if _bounds_a_range(name, declaration) else None)
    return Scalar(symbol.form, symbol.kind, View(array))


def _bounds_a_range(name: str, declaration: Declaration) -> bool:
    """Whether a parameter is an argument of `range`, so an integer."""
    return any(
        isinstance(call.func, ast.Name)
        and call.func.id == "range"
        and any(isinstance(item, ast.Name) and item.id == name for item in call.args)
        for call in declaration.module.inside(declaration.node, ast.Call)
    )


class KernelWalk(Calls):
    """Walks statements in order; branches are merged, loops are summed up by what their names depend on."""

    def statements(self, body: Sequence[ast.stmt]) -> bool:
        """Whether the body always leaves (returns, breaks, continues); notes all that it does."""
        outer = self.conditions
        left = False
        for statement in body:
            method = getattr(self, f"_do_{type(statement).__name__.lower()}", None)
            if method is not None and method(statement):
                left = True
                break
        exits = tuple(condition for condition in self.conditions if condition.exit and condition not in outer)
        self.conditions = (*outer, *exits)
        return left

    def _do_expr(self, statement: ast.Expr) -> bool:
        self.value(statement.value)
        return False

    def _do_return(self, statement: ast.Return) -> bool:
        if statement.value is not None:
            self.returned.append(self.value(statement.value))
        return True

    returned: list[Value] = []

    def _do_break(self, _: ast.Break) -> bool:
        return True

    _do_continue = _do_break
    _do_raise = _do_break

    def _do_assert(self, statement: ast.Assert) -> bool:
        test = self.value(statement.test)
        self.conditions = (*self.conditions, self.condition(test, statement.test))
        return False

    def _do_with(self, statement: ast.With) -> bool:
        return self.statements(statement.body)

    def _do_assign(self, statement: ast.Assign) -> bool:
        value = self.value(statement.value)
        for target in statement.targets:
            if isinstance(target, ast.Subscript) and _reads_element(statement.value, target):
                self._store_element(target, "update")
            else:
                self.store(target, value)
        return False

    def _do_annassign(self, statement: ast.AnnAssign) -> bool:
        if statement.value is not None:
            self.store(statement.target, self.value(statement.value))
        return False

    def store(self, target: ast.expr, value: Value) -> None:
        """Binds a name, unpacks a tuple or notes a store into an array."""
        if isinstance(target, ast.Name):
            self.env[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            view = self.view(value)
            for position, inner in enumerate(target.elts):
                if isinstance(value, Tuple) and position < len(value.items):
                    self.store(inner, value.items[position])
                elif view is not None and not isinstance(value, Tuple):
                    self.store(
                        inner, self.load(inner, View(view.array, (*view.prefix, Index(number(position)))))
                    )
                else:
                    self.store(inner, self.opaque([value], loaded=True))
        elif isinstance(target, ast.Subscript):
            self._store_element(target, "store")
        elif isinstance(target, ast.Attribute):
            self.value(target.value)

    def _store_element(self, target: ast.Subscript, kind: str) -> View | None:
        base = self.value(target.value)
        view = self.view(base)
        if view is None:
            self.value_of_index(target.slice)
            return None
        view = self.indexed(view, target.slice)
        if isinstance(base, Scalar):
            self.withdraw(base)
        self.note_access(target, view, kind)
        return view

    def _do_augassign(self, statement: ast.AugAssign) -> bool:
        value = self.scalar(statement.value)
        target = statement.target
        if isinstance(target, ast.Subscript):
            self._store_element(target, "update")
        if isinstance(target, ast.Name):
            combined = ast.BinOp(
                left=ast.Name(id=target.id, ctx=ast.Load()), op=statement.op, right=statement.value
            )
            before = len(self.facts.accesses), len(self.facts.operations), len(self.facts.atomics)
            ast.copy_location(combined, statement)
            result = self.value(combined)
            del self.facts.accesses[before[0] :], self.facts.atomics[before[2] :]
            self.env[target.id] = result
        elif isinstance(statement.op, ast.FloorDiv | ast.Mod | ast.Pow):
            names = {ast.FloorDiv: "floor_divide", ast.Mod: "modulo", ast.Pow: "power"}
            self.note_operation(statement, names[type(statement.op)], names[type(statement.op)], [value])
        return False

    # -- branches --------------------------------------------------------------------------------------

    def _do_if(self, statement: ast.If) -> bool:
        known = self.constants.value(statement.test) if not self._reads_local(statement.test) else None
        self.testing = any(loop.is_while for loop in self.loops)
        test = self.value(statement.test)
        self.testing = False
        if isinstance(known, bool | int):
            return self.statements(statement.body if known else statement.orelse)
        condition = self.condition(test, statement.test)
        self.facts.branches.append(
            BranchUse(
                self.place(statement),
                condition.depends,
                condition.loaded,
                False,
                condition.single_lane,
                any(isinstance(inner, ast.For | ast.While) for inner in _below(statement.body)),
            )  # fmt: skip
        )
        before_env, before = dict(self.env), self.conditions
        self.conditions = (*before, condition)
        body_leaves = self.statements(statement.body)
        body_env, self.env = self.env, dict(before_env)
        self.conditions = (*before, self.condition(test, statement.test, negated=True))
        else_leaves = self.statements(statement.orelse)
        self.conditions = before
        if body_leaves and else_leaves:
            return True
        if body_leaves or else_leaves:
            self.env = self.env if body_leaves else body_env
            leaving = statement.body if body_leaves else statement.orelse
            returns = any(isinstance(inner, ast.Return | ast.Raise) for inner in _below(leaving))
            if returns or self.loops:
                self.conditions = (*before, self.condition(test, statement.test, leaves=True, negated=True))
            return False
        self._merge(body_env, test)
        return False

    def _reads_local(self, node: ast.AST) -> bool:
        return any(isinstance(inner, ast.Name) and inner.id in self.env for inner in below(node))

    def _merge(self, other: dict[str, Value], test: Value) -> None:
        for name in {*self.env, *other}:
            here, there = self.env.get(name), other.get(name)
            if here == there:
                continue
            if here is None or there is None:
                self.env[name] = self._joined([value for value in (here, there) if value is not None], test)
            else:
                self.env[name] = self._joined([here, there], test)

    def _joined(self, values: list[Value], test: Value) -> Value:
        views = [value for value in values if isinstance(value, View)]
        if views and len(views) == len(values):
            return views[0] if all(view.array is views[0].array for view in views) else Opaque()
        if len(values) == 1 and isinstance(values[0], Scalar | View):
            return values[0]
        kinds = {value.kind for value in values if isinstance(value, Scalar)}
        kind = next(iter(kinds)) if len(kinds) == 1 else None
        return self.opaque([*values, test], kind)

    # -- loops -----------------------------------------------------------------------------------------

    def _do_for(self, statement: ast.For) -> bool:
        call = statement.iter
        counter = self.atoms.loop()
        if isinstance(call, ast.Call) and isinstance(self.value(call.func), Opaque) and self._is_range(call):
            parts = [self.scalar(item) for item in call.args]
            start = parts[0] if len(parts) > 1 else Scalar(number(0), "int")
            step = parts[2] if len(parts) > 2 else Scalar(number(1), "int")
            item: Value = Scalar(start.form + step.form * atom(counter), "int")
        else:
            iterated = self.value(call)
            parts = [self.as_scalar(iterated)]
            view = self.view(iterated)
            item = self.opaque([iterated, Scalar(atom(counter))], loaded=view is not None)
            if view is not None:
                item = self.load(statement.iter, View(view.array, (*view.prefix, Index(atom(counter)))))
        context = LoopContext(
            counter, frozenset().union(*(self.depends(part) for part in parts)),
            any(self.loaded(part) for part in parts), False, statement, _trip_count(parts),
        )  # fmt: skip
        self._loop(statement, context, lambda: self.store(statement.target, item))
        self.statements(statement.orelse)
        return False

    def _is_range(self, call: ast.Call) -> bool:
        return self._called_name(call) in ("range", "numba.prange") and bool(call.args)

    def _do_while(self, statement: ast.While) -> bool:
        counter = self.atoms.loop()
        before = len(self.facts.accesses), len(self.facts.operations), len(self.facts.atomics)
        self._summarise(statement, counter)
        test = self.value(statement.test)
        context = LoopContext(counter, self.depends(test) - {counter}, self.loaded(test), True, statement)
        del (
            self.facts.accesses[before[0] :],
            self.facts.operations[before[1] :],
            self.facts.atomics[before[2] :],
        )
        self._loop(statement, context, lambda: None, test)
        return False

    def _loop(
        self, statement: ast.For | ast.While, context: LoopContext, bind: object, test: Value | None = None
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
        self.conditions = (*before, self.condition(test, statement))
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
            LoopUse(self.place(statement), context, thread, any(access.kind != "load" for access in accesses))
        )
        self._after(statement, inductions, context)

    def _summarise(self, statement: ast.For | ast.While, counter: str) -> dict[str, Value]:
        """Gives each name that the loop changes a value that holds in every iteration."""
        found = loop_dependences(statement)
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
                    continue
            if isinstance(before, View) and name not in found.scalars:
                continue
            new[name] = self._loop_value(name, before, found, counter)
        self.env.update(new)
        return inductions

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
                values: list[Value] = [value, *trips, *([before] if before is not None else [])]
                depends = frozenset().union(*(self.depends(item) for item in values)) - {context.counter}
                loaded = any(self.loaded(item) for item in values)
                self.env[name] = Scalar(self.atoms.opaque(depends, loaded), value.kind)

    # -- device functions ------------------------------------------------------------------------------

    def run_function(self, device: Declaration, bound: dict[str, Value]) -> Value:
        """The value that a device function returns for the given arguments; what it does is noted."""
        saved = (
            self.module,
            self.function,
            self.env,
            self.constants,
            self.returned,
            self.depth,
            self.conditions,
        )
        self.module, self.function, self.env = device.module, device.node, bound
        self.constants = Constants(self.workspace, device.module, device.node)
        self.returned, self.depth = [], self.depth + 1
        self.statements(device.node.body)
        results = self.returned
        self.module, self.function, self.env, self.constants, self.returned, self.depth, self.conditions = (
            saved
        )
        if not results:
            return Opaque()
        first = results[0]
        if all(result == first for result in results):
            return first
        sizes = {len(result.items) for result in results if isinstance(result, Tuple)}
        if len(sizes) == 1 and all(isinstance(result, Tuple) for result in results):
            columns = zip(*(result.items for result in results if isinstance(result, Tuple)), strict=True)
            return Tuple(tuple(self.opaque(list(column)) for column in columns))
        return self.opaque([*results, *bound.values()])


def _reads_element(value: ast.expr, target: ast.Subscript) -> bool:
    """Whether `value` reads the element that is assigned, as in `a[i] = a[i] + x`."""
    wanted = ast.unparse(target)
    return any(isinstance(inner, ast.Subscript) and ast.unparse(inner) == wanted for inner in below(value))


def _trip_count(parts: list[Scalar]) -> int | None:
    """The iterations of `range(…)` when all its parts are constant."""
    values = [part.form.constant for part in parts]
    known = [value for value in values if value is not None]
    if len(known) != len(values) or not 1 <= len(known) <= 3 or (len(known) == 3 and known[2] == 0):
        return None
    return len(range(*known))


def _below(body: Sequence[ast.stmt]) -> list[ast.AST]:
    return [inner for statement in body for inner in below(statement)]
