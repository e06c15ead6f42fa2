"""What the statements of a kernel do, in order: assignments, stores, branches."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from advisor.evidence.source.kernel_walk.affine_forms import THREAD, number
from advisor.evidence.source.kernel_walk.calls import Calls
from advisor.evidence.source.kernel_walk.kernel_facts import (
    BranchUse,
    Condition,
    Index,
    Opaque,
    Scalar,
    Tuple,
    Value,
    View,
)
from advisor.program.syntax.module import root_name
from advisor.program.syntax.tree_nodes import below

_THREADS = frozenset(THREAD)


class Statements(Calls):
    """Walks statements in order; branches are merged."""

    # What a function gives back, and the conditions around each `return`.
    returned: list[tuple[Value, tuple[Condition, ...]]] = []

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
            self.returned.append((self.value(statement.value), self.conditions))
        return True

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
        """Bind a name, unpack a tuple or note a store into an array."""
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
            self._store_element(target, "store", value)
        elif isinstance(target, ast.Attribute):
            self.value(target.value)

    def _store_element(self, target: ast.Subscript, kind: str, value: Value | None = None) -> View | None:
        base = self.value(target.value)
        view = self.view(base)
        if view is None:
            self.value_of_index(target.slice)
            return None
        view = self.indexed(view, target.slice)
        if isinstance(base, Scalar):
            self.withdraw(base)
        self.note_access(target, view, kind, value)
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
            )
        )
        entry, before = self.env.entry(), self.conditions
        self.conditions = (*before, condition)
        body_leaves = self.statements(statement.body)
        after_body = self.env.taken_back_to(entry)
        self.conditions = (*before, self.condition(test, statement.test, negated=True))
        else_leaves = self.statements(statement.orelse)
        self.conditions = before
        if body_leaves and else_leaves:
            return True
        if body_leaves or else_leaves:
            if else_leaves:
                self.env.taken_back_to(entry)
                self.env.update(after_body)
            leaving = statement.body if body_leaves else statement.orelse
            returns = any(isinstance(inner, ast.Return | ast.Raise) for inner in _below(leaving))
            if returns or self.loops:
                self.conditions = (
                    *before,
                    self.condition(test, statement.test, leaves=True, negated=body_leaves),
                )
            return False
        self._merge(after_body, entry, test, chosen=condition.loaded and _compares_by_order(statement.test))
        return False

    def _reads_local(self, node: ast.AST) -> bool:
        return any(isinstance(inner, ast.Name) and inner.id in self.env for inner in below(node))

    def _merge(self, after_body: Mapping[str, Value], entry: int, test: Value, chosen: bool) -> None:
        """Join what both branches give names; `entry` is where they part.

        Where the order of the data has `chosen` the branch, threads that take the same one may get the same.
        """
        before = self.env.before(entry)
        for name in {**after_body, **before}:
            here = self.env.get(name)
            there = after_body[name] if name in after_body else before[name]
            if here == there:
                continue
            given = [value for value in (here, there) if value is not None]
            new = [value for value in given if value != before.get(name)]
            shared = any(self._is_shared(value, chosen) for value in new)
            self.env[name] = self._joined(given, test, shared)

    def _is_shared(self, value: Value, chosen: bool) -> bool:
        """Whether several of the threads that a branch gives a value may get the same one."""
        if isinstance(value, Scalar) and self.atoms.many_to_one(value.form):
            return True
        return chosen and _THREADS.isdisjoint(self.depends(value))

    def _joined(self, values: list[Value], test: Value, shared: bool = False) -> Value:
        views = [value for value in values if isinstance(value, View)]
        if views and len(views) == len(values):
            return views[0] if all(view.array is views[0].array for view in views) else Opaque()
        if len(values) == 1 and isinstance(values[0], Scalar | View):
            return values[0]
        kinds = {value.kind for value in values if isinstance(value, Scalar)}
        kind = next(iter(kinds)) if len(kinds) == 1 else None
        return self.opaque([*values, test], kind, rounds=shared)


def _compares_by_order(test: ast.expr) -> bool:
    return any(
        isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        for inner in below(test)
        if isinstance(inner, ast.Compare)
        for operator in inner.ops
    )


def _reads_element(value: ast.expr, target: ast.Subscript) -> bool:
    """Whether `value` reads the element that is assigned, as in `a[i] = a[i] + x`."""
    root = root_name(target)
    alike = [inner for inner in below(value) if isinstance(inner, ast.Subscript) and root_name(inner) == root]
    return bool(alike) and ast.unparse(target) in map(ast.unparse, alike)


def _below(body: Sequence[ast.stmt]) -> list[ast.AST]:
    return [inner for statement in body for inner in below(statement)]
