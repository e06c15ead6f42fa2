"""Programs run by CPython with values that know the definition which gave them."""

from __future__ import annotations

import ast
import contextlib
import inspect
import random
import sys
import types
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

_MOST_STEPS = 50
# What a name has from outside of its scope: a parameter's value.
GIVEN = -1
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Value:
    """A value that knows the numbers of the definitions that may have given it; it can be anything."""

    __slots__ = ("givers", "parts", "run")

    def __init__(self, run: Run, givers: tuple[int, ...], parts: Sequence[Any] | None = None) -> None:
        self.run, self.givers, self.parts = run, givers, parts

    def __bool__(self) -> bool:
        return self.run.flip()

    def __iter__(self) -> Iterator[Any]:
        if self.parts is None:
            for _ in range(self.run.few()):
                self.run.step()
                yield Value(self.run, self.givers)
            return
        for part in self.parts:
            if part == "*":
                yield from (Value(self.run, self.givers) for _ in range(1 + self.run.few()))
            else:
                yield Value(self.run, self.givers, part)

    async def __aiter__(self) -> Any:
        for one in self:
            yield one

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        if name in Value.__slots__:
            object.__setattr__(self, name, value)

    def __getitem__(self, index: object) -> Value:
        return self

    def __setitem__(self, index: object, value: object) -> None: ...

    def __delitem__(self, index: object) -> None: ...

    def __call__(self, *given: object) -> Value:
        return self

    def __lt__(self, other: object) -> Any:
        return self

    __gt__ = __lt__

    def __isub__(self, other: Any) -> Any:
        return other

    __imatmul__ = __isub__

    def __rsub__(self, other: object) -> Value:
        return self

    __rmatmul__ = __rsub__


class Failure(Exception):
    pass


class Other(Exception):
    pass


class _EndOfRun(BaseException):
    pass


class _Context:
    """A context that may swallow the exception of its body."""

    def __init__(self, run: Run, value: Any) -> None:
        self.run, self.value = run, value

    def __enter__(self) -> Any:
        self.run.may_fail()
        return self.value

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> bool:
        return kind is not None and issubclass(kind, Exception) and self.run.flip()

    async def __aenter__(self) -> Any:
        return self.__enter__()

    async def __aexit__(self, *given: Any) -> bool:
        return self.__exit__(*given)


class Run:
    """One run of a program, its branches by chance; `seen` are the places and the givers of what was read."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.steps = 0
        self.seen: set[tuple[int, str, tuple[int, ...]]] = set()
        self.everything = types.ModuleType("everything")

    def names(self) -> dict[str, Any]:
        anything = Value(self, ())
        return {
            "__name__": "generated", "O": anything, "V": lambda: anything, "flip": self.flip,
            "fail": self.may_fail, "context": lambda given=None: given, "call": self.call,
            "Failure": Failure, "Other": Other, "pick": lambda kind, _: kind,
            "subject": self.subject, "same": lambda _: lambda one: one,
            "base": lambda _: object, "_give": self.give, "_see": self.see, "_enter": self.enter,
            "_each": self.give, "_star": self.star, "_again": self.again,
        }  # fmt: skip

    def step(self) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise _EndOfRun

    def again(self, test: object) -> object:
        """The condition of a loop, as often as a run may last."""
        self.step()
        return test

    def few(self) -> int:
        return self.chance.choice((0, 1, 1, 2))

    def flip(self) -> bool:
        self.step()
        return self.chance.random() < 0.5

    def may_fail(self) -> None:
        if self.chance.random() < 0.04:
            raise Failure

    def call(self, function: Any) -> Any:
        self.step()
        made = function()
        if inspect.iscoroutine(made):
            with contextlib.suppress(StopIteration):
                made.send(None)
        if inspect.isgenerator(made):
            for _ in made:
                self.step()
        return Value(self, ())

    def subject(self, _: object) -> object:
        return self.chance.choice((1, 2, 3, [1], [1, 2], [1, [2, 3]], {"k": 1}, {"k": 1, "m": 2}, None))

    def give(
        self, giver: int | tuple[int, ...], evaluated: object, parts: Any = None, may_fail: bool = True
    ) -> Value:
        """What a definition gives its name, whatever was evaluated for it."""
        if may_fail:
            self.may_fail()
        return Value(self, giver if isinstance(giver, tuple) else (giver,), parts)

    def enter(self, giver: int, evaluated: object, parts: Any = None) -> _Context:
        return _Context(self, Value(self, (giver,), parts))

    def star(self, giver: int) -> None:
        """What `from everything import *` gives next."""
        vars(self.everything).clear()
        for name in "xyz":
            if self.chance.random() < 0.5:
                setattr(self.everything, name, Value(self, (giver,)))

    def see(self, place: int, value: Any, name: str = "") -> Any:
        giver = value[0] if isinstance(value, list) and value else value
        if isinstance(giver, Value):
            self.seen.add((place, name, giver.givers))
        return value


class _Watched(ast.NodeTransformer):
    """Writes into a tree what makes a run note which definition gave each value."""

    def __init__(self, numbers: dict[ast.AST, int], names: Sequence[str]) -> None:
        self.numbers, self.names = numbers, names

    def _call(self, name: str, node: ast.AST, *given: ast.expr) -> ast.Call:
        return _called(name, ast.Constant(self.numbers[node]), *given)

    def _given(self, name: str, node: ast.AST, value: ast.expr, target: ast.expr) -> ast.Call:
        return self._call(name, node, value, *_parts(target))

    def _named(self, node: ast.AST, name: str) -> ast.stmt:
        """A statement that gives a name the value of a definition."""
        value = _called("_give", ast.Constant(self.numbers[node]), *map(ast.Constant, (None, None, False)))
        return ast.Assign([ast.Name(name, ast.Store())], value)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self.names:
            return self._call("_see", node, node)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        whole = next((one for one in node.targets if isinstance(one, ast.Tuple | ast.List)), node.targets[0])
        self.generic_visit(node)
        node.value = self._given("_give", node, node.value, whole)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        if node.value is not None:
            node.value = self._call("_give", node, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        node.value = self._call("_give", node, node.value)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        self.generic_visit(node)
        node.value = self._call("_give", node, node.value)
        return node

    def _loop(self, node: Any) -> ast.stmt:
        self.generic_visit(node)
        node.iter = self._given("_each", node, node.iter, node.target)
        # Each element has the loop's parts.
        node.iter = _called("_elements", node.iter, ast.Constant(isinstance(node, ast.AsyncFor)))
        return node

    visit_For = visit_AsyncFor = _loop

    def visit_While(self, node: ast.While) -> ast.stmt:
        self.generic_visit(node)
        node.test = _called("_again", node.test)
        return node

    def _comprehension(self, node: Any) -> ast.expr:
        self.generic_visit(node)
        for one in node.generators:
            given = self._given("_each", node, one.iter, one.target)
            one.iter = _called("_elements", given, ast.Constant(bool(one.is_async)))
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _with(self, node: Any) -> ast.stmt:
        self.generic_visit(node)
        for item in node.items:
            target = item.optional_vars or ast.Name("O", ast.Store())
            item.context_expr = self._given("_enter", node, item.context_expr, target)
        return node

    visit_With = visit_AsyncWith = _with

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        if node.name:
            node.body.insert(0, self._named(node, node.name))
        return node

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        return [node, *(self._named(node, one.asname) for one in node.names if one.asname)]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        if node.names[0].name == "*":
            return [ast.Expr(self._call("_star", node)), node]
        return [node, *(self._named(node, one.asname) for one in node.names if one.asname)]

    def _definition(self, node: Any) -> list[ast.stmt]:
        self.generic_visit(node)
        if not isinstance(node, ast.ClassDef):
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            first = 1 if isinstance(node.body[0], ast.Global | ast.Nonlocal) else 0
            start = [_parameter(one.arg) for one in every if one]
            node.body[first:first] = start
        node.body += self._end(node)
        return [node, *([self._named(node, node.name)] if node.name in self.names else [])]

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _definition

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self.generic_visit(node)
        node.body += self._end(node)
        return node

    def _end(self, node: ast.AST) -> list[ast.stmt]:
        """What notes the names' values at the end of a scope."""
        found: list[ast.stmt] = []
        for name in self.names:
            seen = self._call("_see", node, ast.Name(name, ast.Load()), ast.Constant(name))
            handler = ast.ExceptHandler(ast.Name("NameError", ast.Load()), None, [ast.Pass()])
            found.append(ast.Try([ast.Expr(seen)], [handler], [], []))
        return found

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        captures: dict[str, list[int]] = {}
        for part in ast.walk(node.pattern):
            name = getattr(part, "name", None) or getattr(part, "rest", None)
            if isinstance(part, ast.MatchAs | ast.MatchStar | ast.MatchMapping) and name:
                captures.setdefault(name, []).append(self.numbers[part])
        self.generic_visit(node)
        if captures:
            named = [
                ast.NamedExpr(ast.Name(name, ast.Store()), _called("_give", ast.Constant(tuple(givers)),
                              *map(ast.Constant, (None, None, False))))
                for name, givers in captures.items()
            ]  # fmt: skip
            every = ast.Tuple([*named, node.guard or ast.Constant(True)], ast.Load())
            node.guard = ast.Subscript(every, ast.UnaryOp(ast.USub(), ast.Constant(1)), ast.Load())
        return node


def _called(name: str, *given: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(given), [])


def _parameter(name: str) -> ast.stmt:
    value = _called("_give", *map(ast.Constant, (GIVEN, None, None, False)))
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _parts(target: ast.expr) -> list[ast.expr]:
    """The parts that a value must have for a target, as an argument."""
    parts = _shape(target)
    return [] if parts is None else [ast.Constant(parts)]


def _shape(target: ast.expr) -> Any:
    if isinstance(target, ast.Tuple | ast.List):
        return tuple("*" if isinstance(one, ast.Starred) else _shape(one) for one in target.elts)
    return None


class _Elements:
    """What a loop runs over: values with the parts that its target wants."""

    def __init__(self, value: Value) -> None:
        self.value = value

    def __iter__(self) -> Iterator[Value]:
        run = self.value.run
        for _ in range(run.few()):
            run.step()
            run.may_fail()
            yield Value(run, self.value.givers, self.value.parts)

    async def __aiter__(self) -> Any:
        for one in self:
            yield one


def observed(text: str, names: Sequence[str], seeds: Sequence[int]) -> set[tuple[int, str, tuple[int, ...]]]:
    """What runs of a program showed: the number of a place, a name at the end of a scope, and the givers.

    Numbers are those of `ast.walk` over the program's tree. Raises SyntaxError for what is no program.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # what is compared or called may make no sense
        tree = ast.parse(text)
        numbers = {node: number for number, node in enumerate(ast.walk(tree))}
        watched = ast.fix_missing_locations(_Watched(numbers, names).visit(tree))
        code = compile(watched, "generated.py", "exec")
    seen: set[tuple[int, str, tuple[int, ...]]] = set()
    for seed in seeds:
        run = Run(seed)
        space = {**run.names(), "_elements": lambda value, _: _Elements(value)}
        sys.modules["everything"] = run.everything
        try:
            exec(code, space)
        except (Exception, _EndOfRun):
            pass
        finally:
            del sys.modules["everything"]
        seen |= run.seen
    return seen
