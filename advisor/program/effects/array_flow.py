"""Which names of a function may stand for which arrays, and what is done with each: one walk of its body."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from advisor.program.effects.callees import Callees, Known
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below

READ, WRITTEN, KEPT, RETURNED = 1, 2, 4, 8
_UNKNOWN_USE = READ | WRITTEN | KEPT
EVERYTHING = _UNKNOWN_USE | RETURNED
# What is asked of an array without looking at its elements.
QUESTIONS = frozenset({"shape", "size", "ndim", "dtype", "strides", "itemsize", "nbytes"})
# In-place operators that Numba has for whole arrays and rows in kernels. For the others (`+=`, `-=`, `*=`,
# `//=`, `%=`, `**=`) numba.cuda.ufuncs has no function, so that they only compile for numbers.
_IN_PLACE = (ast.Div, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift, ast.MatMult)
_LEAVES = (ast.Constant, ast.Pass, ast.Break, ast.Continue, ast.Import, ast.ImportFrom, ast.expr_context)

# What a function called with an array does with each of its arguments, None where it is not clear.
Called = Callable[[ModuleSyntax, FunctionNode, ast.Call], list[int] | None]


@dataclass(frozen=True, slots=True)
class _Value:
    """The names whose arrays an expression may be, be a part of, or hold; `element` where the last thing done
    was to index, so that it may just as well be a number.
    """

    names: frozenset[str] = frozenset()
    element: bool = False


_NOTHING = _Value()


class ArrayFlow:
    """The names of one function: what flows into what, and what is done with each.

    Nested functions, lambdas and comprehensions are walked as a part of the function, whose names they share.
    """

    def __init__(
        self, module: ModuleSyntax, function: FunctionNode, callees: Callees, called: Called
    ) -> None:
        self._module, self._function = module, function
        self._callees, self._called = callees, called
        self._done: dict[str, int] = defaultdict(int)
        self._sources: dict[str, set[str]] = defaultdict(set)
        # Names of elements with the names of their arrays, and names that are used as arrays are.
        self._elements: list[tuple[str, frozenset[str]]] = []
        self._as_arrays: set[str] = set()
        self._asked: set[str] = set()
        self._statements(function.body)

    def effects(self) -> dict[str, int]:
        """What may be done with the array that each name has when the function begins."""
        parts_of_parts = self._in_circles()
        for name, arrays in self._elements:
            # An element with a name of its own is loaded, if not it is a row of which elements are used. Of
            # parts of parts of itself that a name is bound to the last is loaded.
            last = name in arrays or (name in parts_of_parts and not parts_of_parts.isdisjoint(arrays))
            if name not in self._as_arrays or name in self._asked or last:
                self._mark(arrays, READ)
        waiting = list(self._done)
        while waiting:
            name = waiting.pop()
            for source in self._sources.get(name, ()):
                before = self._done.get(source, 0)
                if before | self._done[name] != before:
                    self._done[source] = before | self._done[name]
                    waiting.append(source)
        return dict(self._done)

    def _in_circles(self) -> frozenset[str]:
        """The names whose arrays flow back to them, and those on the way from one circle to another."""
        into = {name: set(sources) for name, sources in self._sources.items()}
        out_of: dict[str, set[str]] = defaultdict(set)
        for name, sources in into.items():
            for source in sources:
                out_of[source].add(name)
        left = {*into, *out_of}
        for before, behind in ((into, out_of), (out_of, into)):
            waiting = [one for one in left if not before.get(one)]
            while waiting:
                name = waiting.pop()
                left.discard(name)
                for other in behind.pop(name, ()):
                    before[other].discard(name)
                    if not before[other]:
                        waiting.append(other)
        return frozenset(left)

    def others(self, name: str, changed: bool) -> frozenset[str]:
        """The other names under which elements of a name's array are used; those with `changed` only under
        which they may be written.
        """
        targets: dict[str, list[str]] = defaultdict(list)
        for target, sources in self._sources.items():
            for source in sources:
                targets[source].append(target)
        found, waiting = {name}, [name]
        while waiting:
            new = [one for one in targets.get(waiting.pop(), ()) if one not in found]
            found.update(new)
            waiting += new
        written = {one for one in found if self._done.get(one, 0) & (WRITTEN | KEPT)}
        return frozenset(written if changed else found & self._as_arrays) - {name}

    def _mark(self, names: Iterable[str], done: int) -> None:
        for name in names:
            self._done[name] |= done

    def _flow(self, value: _Value, target: str) -> None:
        for name in value.names - {target}:
            self._sources[target].add(name)
        if value.element:
            self._elements.append((target, value.names))

    # --- statements

    def _statements(self, body: Iterable[ast.AST]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            self._assign_all(node.targets, node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._assign_all([node.target], node.value)
        elif isinstance(node, ast.AugAssign):
            self._update(node)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._iterate(node.target, node.iter)
            self._statements([*node.body, *node.orelse])
        elif isinstance(node, ast.If | ast.While):
            self._read(node.test)
            self._statements([*node.body, *node.orelse])
        elif isinstance(node, ast.Expr):
            self._value(node.value)
        elif isinstance(node, ast.Return):
            if node.value is not None:
                value = self._value(node.value)
                self._mark(value.names, RETURNED | (READ if value.element else 0))
        elif isinstance(node, ast.Assert):
            self._read(node.test)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._delete(target)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            self._mark(node.names, _UNKNOWN_USE)
        elif isinstance(node, ast.Match):
            self._match(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._inner_function(node)
        else:
            self._other_statement(node)

    def _other_statement(self, node: ast.AST) -> None:
        """Follow the statements of `with`, `try` and what Python may have else; all else is unknown uses."""
        if isinstance(node, _LEAVES):
            return
        if isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                value = self._value(item.context_expr)
                self._mark(value.names, _UNKNOWN_USE)
                if item.optional_vars is not None:
                    self._assign(item.optional_vars, value)
            self._statements(node.body)
        elif isinstance(node, ast.ExceptHandler):
            self._statements(node.body)
        elif type(node).__name__ in ("Try", "TryStar"):
            parts = (getattr(node, part) for part in ("body", "handlers", "orelse", "finalbody"))
            self._statements(statement for part in parts for statement in part)
        else:
            self._unknown(node)

    def _assign_all(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        parts = value.elts if isinstance(value, ast.Tuple | ast.List) else None
        if parts is not None and not any(isinstance(one, ast.Starred) for one in parts):
            values = [self._value(one) for one in parts]
            for target in targets:
                inner = target.elts if isinstance(target, ast.Tuple | ast.List) else None
                starred = inner is None or any(isinstance(one, ast.Starred) for one in inner)
                if inner is not None and not starred and len(inner) == len(values):
                    for one, given in zip(inner, values, strict=True):
                        self._assign(one, given)
                else:
                    self._assign(target, _joined(values))
            return
        whole = self._value(value)
        for target in targets:
            self._assign(target, whole)

    def _assign(self, target: ast.expr, value: _Value) -> None:
        if isinstance(target, ast.Name):
            self._flow(value, target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self._assign(one, _Value(value.names, True))
        elif isinstance(target, ast.Starred):
            self._assign(target.value, value)
        elif isinstance(target, ast.Subscript | ast.Attribute):
            # What is stored to an element or a field is copied there.
            self._store(target)
            self._mark(value.names, READ)
        else:
            self._unknown(target)
            self._mark(value.names, _UNKNOWN_USE)

    def _store(self, target: ast.Subscript | ast.Attribute, done: int = WRITTEN) -> None:
        base = self._base(target.value)
        if isinstance(target, ast.Subscript):
            self._read(target.slice)
        self._mark(base.names, done)

    def _update(self, node: ast.AugAssign) -> None:
        value = self._value(node.value)
        self._mark(value.names, READ)
        if isinstance(node.target, ast.Name):
            self._mark([node.target.id], READ | (WRITTEN if isinstance(node.op, _IN_PLACE) else 0))
        else:
            self._store(node.target, READ | WRITTEN)

    def _delete(self, target: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self._delete(one)
        elif isinstance(target, ast.Subscript | ast.Attribute):
            self._store(target)

    def _iterate(self, target: ast.expr, over: ast.expr) -> None:
        base = self._base(over)
        self._assign(target, _Value(base.names, True))

    def _match(self, node: ast.Match) -> None:
        subject = self._value(node.subject)
        self._mark(subject.names, READ)
        for case in node.cases:
            for part in below(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(part, ast.MatchAs | ast.MatchStar | ast.MatchMapping) and name:
                    self._flow(subject, name)
                elif isinstance(part, ast.MatchValue):
                    self._read(part.value)
            if case.guard is not None:
                self._read(case.guard)
            self._statements(case.body)

    def _inner_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Follow a function in the function: what it is called with counts as unknown, what it returns as the
        function's own result.
        """
        for decorator in node.decorator_list:
            self._mark(self._value(decorator).names, _UNKNOWN_USE)
        self._defaults(node.args)
        self._statements(node.body)

    def _defaults(self, given: ast.arguments) -> None:
        for default in (*given.defaults, *given.kw_defaults):
            if default is not None:
                self._mark(self._value(default).names, _UNKNOWN_USE)

    def _unknown(self, node: ast.AST) -> None:
        """Take everything as possible for what a piece of code names."""
        self._mark((one.id for one in below(node) if isinstance(one, ast.Name)), _UNKNOWN_USE)

    # --- expressions

    def _read(self, node: ast.expr) -> None:
        self._mark(self._value(node).names, READ)

    def _base(self, node: ast.expr) -> _Value:
        """The value of what is indexed, iterated over or asked for a part."""
        value = self._value(node)
        self._as_arrays |= value.names
        return value

    def _value(self, node: ast.expr) -> _Value:
        if isinstance(node, ast.Name):
            return _Value(frozenset((node.id,)))
        if isinstance(node, _LEAVES):
            return _NOTHING
        if isinstance(node, ast.Subscript):
            base = self._base(node.value)
            self._read(node.slice)
            return _Value(base.names, bool(base.names))
        if isinstance(node, ast.BinOp):
            return self._operation(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return _joined(self._value(one) for one in node.elts)
        if isinstance(node, ast.IfExp):
            self._read(node.test)
            return _joined([self._value(node.body), self._value(node.orelse)])
        if isinstance(node, ast.BoolOp):
            found = _joined(self._value(one) for one in node.values)
            self._mark(found.names, READ)
            return found
        if isinstance(node, ast.NamedExpr):
            found = self._value(node.value)
            self._flow(found, node.target.id)
            return _Value(found.names | {node.target.id}, found.element)
        return self._other_value(node)

    def _other_value(self, node: ast.expr) -> _Value:
        if isinstance(node, ast.Starred):
            return self._value(node.value)
        if isinstance(node, ast.UnaryOp | ast.Compare | ast.Slice | ast.JoinedStr | ast.FormattedValue):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self._read(child)
            return _NOTHING
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            for part in node.generators:
                self._iterate(part.target, part.iter)
                for test in part.ifs:
                    self._read(test)
            parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
            return _joined(self._value(one) for one in parts)
        if isinstance(node, ast.Lambda):
            self._defaults(node.args)
            return self._value(node.body)
        self._unknown(node)
        return _Value(frozenset(one.id for one in below(node) if isinstance(one, ast.Name)))

    def _attribute(self, node: ast.Attribute) -> _Value:
        value = self._value(node.value)
        if node.attr in QUESTIONS:
            # Of a row it is the row's, of a record it may be a field of that name.
            if not isinstance(node.value, ast.Name):
                self._mark(value.names, READ)
                return value
            self._asked.add(node.value.id)
            return _NOTHING
        self._as_arrays |= value.names
        return _Value(value.names, bool(value.names))

    def _operation(self, node: ast.BinOp) -> _Value:
        """A number or, of a sum, the tuple that two are joined to."""
        operands: list[ast.expr] = []
        part: ast.expr = node
        sums = True
        while isinstance(part, ast.BinOp):
            operands.append(part.right)
            sums &= isinstance(part.op, ast.Add)
            part = part.left
        operands.append(part)
        values = [self._value(one) for one in operands]
        whole = _joined(values)
        self._mark(whole.names, READ)
        tuples = sums and all(map(_may_be_tuple, operands))
        return _Value(whole.names) if tuples else _NOTHING

    # --- calls

    def _call(self, node: ast.Call) -> _Value:
        given = [*node.args, *(one.value for one in node.keywords)]
        known = self._callees.known(node, self._module, self._function)
        if known is None and isinstance(node.func, ast.Attribute):
            method = self._method(node, node.func)
            if method is not None:
                return method
        values = [self._value(one) for one in given]
        if known is Known.NUMBERS:
            self._mark(_joined(values).names, READ)
            return _NOTHING
        if known is Known.QUESTION:
            # The length of an element is that of a row.
            self._asked |= {one.id for one in given if isinstance(one, ast.Name)}
            return _NOTHING
        if known is Known.SAME:
            whole = _joined(values)
            self._as_arrays |= whole.names
            return _Value(whole.names, bool(whole.names))
        if known is Known.UPDATE:
            self._mark(values[0].names, READ | WRITTEN)
            self._mark(_joined(values[1:]).names, READ)
            return _NOTHING
        return self._call_of_function(node, values)

    def _call_of_function(self, node: ast.Call, values: list[_Value]) -> _Value:
        """What the functions do that a name may stand for; all that is possible where that is not known."""
        functions = self._callees.functions(node.func, self._module, self._function)
        every = [self._called(*one, node) for one in functions or ()]
        whole = _joined(values)
        if not every or None in every:
            whole = _joined([*values, self._value(node.func)])
            self._mark(whole.names, _UNKNOWN_USE)
            return _Value(whole.names)
        found = _NOTHING
        for effects in every:
            for value, done in zip(values, effects or (), strict=True):
                # What is neither written nor returned may be a number, which the call has loaded.
                if done & (WRITTEN | RETURNED):
                    self._as_arrays |= value.names
                elif value.element:
                    self._mark(value.names, READ)
                self._mark(value.names, done & ~RETURNED)
                if done & RETURNED:
                    found = _joined([found, value])
        return found

    def _method(self, node: ast.Call, func: ast.Attribute) -> _Value | None:
        """What a method of an array does; None where it is none that is known."""
        does = self._callees.method(node, func, self._module, self._function)
        if does is None:
            return None
        base = self._base(func.value)
        for one in node.args:
            given = self._value(one)
            # Not each thing that has a method of that name is an array.
            self._mark(given.names, READ if given.element else _UNKNOWN_USE)
        if does is Known.SAME:
            return _Value(base.names, bool(base.names))
        self._mark(base.names, WRITTEN if does is Known.FILL else READ)
        return _NOTHING


_MAY_BE_TUPLE = (ast.Name, ast.Subscript, ast.Tuple, ast.Call, ast.IfExp, ast.BoolOp, ast.NamedExpr,
                 ast.Attribute, ast.Lambda)  # fmt: skip


def _may_be_tuple(node: ast.expr) -> bool:
    return isinstance(node, _MAY_BE_TUPLE) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add))


def _joined(values: Iterable[_Value]) -> _Value:
    names: set[str] = set()
    element = False
    for value in values:
        names |= value.names
        element |= value.element
    return _Value(frozenset(names), element)
