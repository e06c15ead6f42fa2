"""Goes through the statements of a function: notes its indices, loops and guards, and what it returns."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from advisor.program.index_relations.collected_relations import CollectedRelations
from advisor.program.index_relations.expression_values import Expressions, element_of, full_indices
from advisor.program.index_relations.guards import Guards
from advisor.program.index_relations.index_values import (
    UNKNOWN,
    Bound,
    Items,
    LocalArray,
    Number,
    Term,
    Value,
    View,
    below,
    constant,
    either,
    moved,
)
from advisor.program.index_relations.relations import Extent
from advisor.program.syntax.calls import keyword_value, last_name
from advisor.program.syntax.tree_nodes import below as nodes_below

_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_DEEPEST = 80
# Whose result is the place or the turn that a thread gets.
_HAND_OUT = frozenset({"add", "sub", "inc", "dec", "exch", "cas", "compare_and_swap"})


class FunctionWalk:
    """One walk through a function; `reads` are the places that give what arrays hold."""

    def __init__(
        self,
        expressions: Expressions,
        collected: CollectedRelations,
        call: Callable[[ast.Call, Sequence[Value], dict[str, Value]], Value],
        reads: set[ast.AST],
    ) -> None:
        """`call` gives what a function of the unit returns for arguments."""
        self._expressions, self._collected = expressions, collected
        self._call_function, self._reads = call, reads
        self._guards = Guards(expressions.value, collected)
        self._returned: list[Value] = []
        self._depth = 0

    def walk(self) -> Value:
        """Go through all statements; what the function returns."""
        self._block(self._expressions.function.tree.body)
        return either(self._returned) if self._returned else UNKNOWN

    # -- statements ----------------------------------------------------------------------------------------
    def _block(self, statements: Sequence[ast.stmt]) -> None:
        mark = self._guards.mark()
        self._depth += 1
        if self._depth < _DEEPEST:
            for one in statements:
                self._statement(one)
        self._depth -= 1
        self._guards.take_back(mark)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If):
            self._if(node)
        elif isinstance(node, ast.For):
            self._for(node)
        elif isinstance(node, ast.While):
            self._visit(node.test)
            self._branch(node.test, True, node.body)
            self._block(node.orelse)
        elif isinstance(node, ast.Return):
            if node.value is not None:
                self._visit(node.value)
                self._returned.append(self._guards.resolved(self._expressions.value(node.value)))
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            self._assignment(node)
        elif isinstance(node, ast.Assert):
            self._visit(node.test)
            self._guards.assume(node.test, True)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return
        else:
            self._other(node)

    def _other(self, node: ast.AST) -> None:
        """Go through the expressions and blocks of any other statement."""
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self._visit(part)
            elif isinstance(part, ast.stmt):
                self._block([part])
            else:
                self._other(part)

    def _branch(self, test: ast.expr, holds: bool, block: Sequence[ast.stmt]) -> None:
        mark = self._guards.mark()
        self._guards.assume(test, holds)
        self._block(block)
        self._guards.take_back(mark)

    def _if(self, node: ast.If) -> None:
        self._visit(node.test)
        self._branch(node.test, True, node.body)
        self._branch(node.test, False, node.orelse)
        # What follows runs where the other way was taken; the block around takes it back.
        if _leaves(node.body):
            self._guards.assume(node.test, False)
        elif _leaves(node.orelse):
            self._guards.assume(node.test, True)

    def _assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        if node.value is not None:
            self._visit(node.value)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            self._visit(target)
            if isinstance(target, ast.Subscript) and node.value is not None:
                self._store(target, node.value)

    def _store(self, target: ast.Subscript, value: ast.expr) -> None:
        """Note what an array holds that the kernel makes."""
        base = self._expressions.value(target.value)
        if isinstance(base, LocalArray):
            stored = self._guards.resolved(self._expressions.value(value))
            held = self._expressions.local_contents
            held[base.place] = either([held[base.place], stored]) if base.place in held else stored

    # -- loops ---------------------------------------------------------------------------------------------
    def _for(self, node: ast.For) -> None:
        self._visit(node.iter)
        self._expressions.loop_values[node] = self._iterated(node)
        self._visit(node.target)
        self._block(node.body)
        self._block(node.orelse)

    def _iterated(self, node: ast.For) -> Value:
        """What a loop gives its target."""
        if isinstance(node.iter, ast.Call):
            name, parts = last_name(node.iter.func), node.iter.args
            if any(isinstance(one, ast.Starred) for one in parts):
                return UNKNOWN
            if name in ("range", "prange") and 1 <= len(parts) <= 3:
                return self._counted([self._expressions.number(one) for one in parts])
            if name == "enumerate" and parts:
                iterated = self._expressions.value(parts[0])
                return Items((self._count_of(iterated), self._element_of(iterated, node)))
            if name == "zip":
                return Items(tuple(self._element_of(self._expressions.value(one), node) for one in parts))
        return self._element_of(self._expressions.value(node.iter), node)

    def _count_of(self, value: Value) -> Value:
        if isinstance(value, View) and value.axes:
            return below({Bound((Extent(value.array, value.axes[0]),))})
        return below({Bound((len(value.items),))}) if isinstance(value, Items) else UNKNOWN

    def _element_of(self, value: Value, node: ast.For) -> Value:
        """One element of what a loop goes through."""
        if isinstance(value, Items):
            return either(value.items) if value.items else UNKNOWN
        if isinstance(value, View | LocalArray):
            self._reads.add(node)
        if isinstance(value, View) and value.axes:
            count = self._count_of(value)
            assert isinstance(count, Number)
            self._collected.index(value, count)
            if len(value.axes) > 1:
                return replace(value, axes=value.axes[1:])
            return element_of(value)
        return UNKNOWN

    def _counted(self, parts: Sequence[Number]) -> Value:
        """The counter of a loop over `range`."""
        start = parts[0] if len(parts) > 1 else constant(0)
        stop = parts[0] if len(parts) == 1 else parts[1]
        step = parts[2].constant if len(parts) == 3 else 1
        if step is not None and step < 0:
            start, stop = stop, start
            bounds = self._guards.bounds_from(stop, 1)
        else:
            bounds = self._guards.bounds_from(stop)
        position = start.position or (stop.position if stop.single is None else None)
        found = below(bounds, position)
        self._guards.size_of_axis(replace(found, terms=(Term(position=start.position),)), stop)
        if len(start.elements) == 1 and start.elements == stop.elements:
            self._collected.row_bounds |= start.elements
        if stop.single is not None:
            self._collected.row_bounds |= stop.single.differences
        return found

    # -- expressions ---------------------------------------------------------------------------------------
    def _visit(self, node: ast.expr, depth: int = 0) -> None:
        """Note the indices and calls in an expression, each with the guards that it has there."""
        if depth > _DEEPEST:
            return
        if isinstance(node, ast.BoolOp):
            mark = self._guards.mark()
            for one in node.values:
                self._visit(one, depth + 1)
                self._guards.assume(one, isinstance(node.op, ast.And))
            self._guards.take_back(mark)
            return
        if isinstance(node, ast.IfExp):
            self._visit(node.test, depth + 1)
            for part, holds in ((node.body, True), (node.orelse, False)):
                mark = self._guards.mark()
                self._guards.assume(node.test, holds)
                self._visit(part, depth + 1)
                self._guards.take_back(mark)
            return
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.expr):
                self._visit(inner, depth + 1)
            elif isinstance(inner, ast.keyword):
                self._visit(inner.value, depth + 1)
        if isinstance(node, ast.Subscript):
            self._index(node)
        elif isinstance(node, ast.Call):
            self._call(node)

    def _index(self, node: ast.Subscript) -> None:
        base = self._expressions.value(node.value)
        if isinstance(base, LocalArray):
            if isinstance(node.ctx, ast.Load) and not base.constant:
                self._reads.add(node)
        elif isinstance(base, View):
            self._indices(base, node.slice)
            found = self._expressions.value(node)
            if isinstance(node.ctx, ast.Load) and not (isinstance(found, View) and found.axes):
                self._reads.add(node)

    def _indices(self, view: View, index: ast.expr) -> None:
        """Note an index of an array, one number for each axis or a tuple."""
        for at, item in enumerate(full_indices(index, len(view.axes)) or ()):
            if isinstance(item, ast.Slice):
                self._part(view, item, at)
                continue
            found = self._expressions.value(item)
            parts = found.items if isinstance(found, Items) else (found,)
            for further, part in enumerate(parts):
                number = part if isinstance(part, Number) else UNKNOWN
                self._collected.index(view, self._guards.number(number), at + further)

    def _part(self, view: View, part: ast.Slice, at: int) -> None:
        """Note the first and the last index of a part of an axis, where threads take parts of their own."""
        for bound, further in ((part.lower, 0), (part.upper, -1)):
            found = None if bound is None else self._expressions.value(bound)
            if isinstance(found, Number) and found.constant is None and not found.uniform:
                self._collected.index(view, self._guards.number(moved(found, further)), at)

    def _call(self, node: ast.Call) -> None:
        func = node.func
        if isinstance(func, ast.Name) and func.id in self._expressions.names.functions:
            arguments = [self._argument(one) for one in node.args if not isinstance(one, ast.Starred)]
            named = {one.arg: self._argument(one.value) for one in node.keywords if one.arg is not None}
            self._expressions.call_results[node] = self._call_function(node, arguments, named)
            return
        dotted = self._expressions.names.dotted(func)
        if not dotted.startswith("numba.cuda."):
            return
        name = dotted.removeprefix("numba.cuda.")
        if name == "shared.array":
            self._shared(node)
        elif name == "grid" and node.args:
            axes = self._expressions.number(node.args[0]).constant
            self._collected.uses_axes(axes or 1, axes or 1)
        elif name.startswith(("atomic.", "random.xoroshiro")) and node.args:
            self._element_changed(node, name)

    def _element_changed(self, node: ast.Call, name: str) -> None:
        """Note what an atomic operation, or a generator of random numbers, does with an array."""
        self._reads.add(node)
        base = self._expressions.value(node.args[0])
        if not isinstance(base, View):
            return
        around = self._expressions.function.parents.get(node)
        if name.removeprefix("atomic.") in _HAND_OUT and not isinstance(around, ast.Expr):
            self._collected.zeroed.add(base.array)
        if "compare_and_swap" in name:
            self._collected.index(base, constant(0))
        elif len(node.args) > 1:
            self._indices(base, node.args[1])

    def _argument(self, node: ast.expr) -> Value:
        return self._guards.resolved(self._expressions.value(node))

    def _shared(self, node: ast.Call) -> None:
        shape = node.args[0] if node.args else keyword_value(node, "shape")
        if shape is None:
            return
        found = self._expressions.value(shape)
        items = found.items if isinstance(found, Items) else (found,)
        extents = tuple(one.constant if isinstance(one, Number) else None for one in items)
        if 0 not in extents:
            self._collected.shared_shapes[extents] = None


def uses_axes(node: ast.AST, index: str) -> int:
    """How many axes the attributes below a node name of `threadIdx` or `blockIdx`, 1 at least."""
    named = [
        one for one in nodes_below(node) if isinstance(one, ast.Attribute) and one.attr in ("x", "y", "z")
    ]
    return max((1 + "xyz".index(one.attr) for one in named if last_name(one.value) == index), default=1)


def _leaves(block: Sequence[ast.stmt]) -> bool:
    """Whether a block never gets to its end."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, _JUMPS)
