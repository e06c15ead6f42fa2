"""Which definitions reach a place: against runs of generated programs, and by hand."""

from __future__ import annotations

import ast
import contextlib
import random
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.model.text.source_text import SourceText
from advisor.program.names import scope_bindings
from advisor.program.syntax.module import ModuleSyntax, parse_module
from advisor.program.syntax.reaching_definitions import START, ReachingDefinitions

_MOST_STEPS = 60


class Value:
    """A value that knows the line that gave it; what `x += line` makes comes from that line."""

    def __init__(self, line: int) -> None:
        self.line = line

    def __iadd__(self, line: int) -> Value:
        return Value(line)

    def __bool__(self) -> bool:
        return True


class _EndOfRun(BaseException):
    pass


class Run:
    """What a program calls while it runs; which way it goes is chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.seen: set[tuple[int, int]] = set()
        self.steps = 0

    def names(self) -> dict[str, Any]:
        return {"V": Value, "flip": self.flip, "may_raise": self.may_raise, "see": self.see,
                "context": self.context}  # fmt: skip

    def flip(self) -> bool:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise _EndOfRun
        return self.chance.random() < 0.5

    def may_raise(self) -> None:
        if self.flip():
            raise ValueError

    def see(self, place: int, value: object) -> bool:
        line = value.line if isinstance(value, Value) else value.__code__.co_firstlineno  # type: ignore[attr-defined]
        self.seen.add((place, line))
        return True

    def context(self, line: int) -> _Context:
        return _Context(self, line)


class _Context:
    def __init__(self, run: Run, line: int) -> None:
        self.run, self.line = run, line

    def __enter__(self) -> Value:
        return Value(self.line)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is ValueError and self.run.flip()


# Each stands on one line. `L` is its number, `B` a block that is indented below it.
_SIMPLE = (
    "x = V(L)", "x: object = V(L)", "x += L", "y, (x, z) = 1, (V(L), 2)", "x = y = V(L)", "x: object",
    "see(L, x)", "see(L, x)", "see(L, [x for _ in (0,)][0])", "later.append(lambda: see(L, x))",
    "later.append(iter([see(L, x) for _ in (0,)]).__next__)", "see(L, (x := V(L)))", "flip() and (x := V(L))",
    "(x := V(L)) and flip()", "y = (x := V(L)) if flip() else 1", "[(x := V(L)) for _ in (0, 1) if flip()]",
    "may_raise()", "pass", "if flip(): return", "see(L, x) if flip() else may_raise()",
    "later and later[-1]()",
)  # fmt: skip
_IN_LOOPS = ("break", "continue", "if flip(): break", "if flip(): continue")
_COMPOUND = (
    ("if flip():B",), ("if flip():B", "else:B"), ("if flip():B", "elif (x := V(L)) and flip():B", "else:B"),
    ("while flip():B",), ("while flip() and (x := V(L)):B", "else:B"), ("for x in [V(L), V(L)]:B",),
    ("for y, x in [(1, V(L))]:B", "else:B"), ("for y in (1, 2):B",),
    ("with context(L) as x:B",), ("with context(0):B",), ("with context(0) as y, context(L) as x:B",),
    ("try:B", "except ValueError:B"), ("try:B", "except ValueError:B", "else:B", "finally:B"),
    ("try:B", "finally:B"),
    ("match flip():", " case True:B", " case _:B"), ("match V(L):", " case x if flip():B", " case y:B"),
    ("match [V(L), 1]:", " case [_, 2]:B", " case [x, 1] if may_raise() or flip():B"),
    ("def x():B",), ("def inner():B", "later.append(inner)"),
)  # fmt: skip
_STARS = (
    ("try:B", "except* ValueError:B"),
    ("try:B", "except* ValueError:B", "except* TypeError:B", "else:B"),
)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a function of `x` and `later`, a list of functions to call."""
    lines = ["def program(x, later):"]
    compound = _COMPOUND + (_STARS if sys.version_info >= (3, 11) else ())

    def block(depth: int, indent: str, in_loop: bool, in_star: bool) -> None:
        for _ in range(draw(st.integers(1, 4))):
            if depth and draw(st.integers(0, 2)) == 0:
                parts = draw(st.sampled_from(compound))
                for part in parts:
                    add(part, depth, indent, in_loop, in_star)
            else:
                allowed = _SIMPLE + (_IN_LOOPS if in_loop else ())
                text = draw(st.sampled_from(allowed))
                # Jumps out of `except*` are no Python.
                if in_star and any(word in text for word in ("return", "break", "continue")):
                    text = "pass"
                lines.append(indent + text.replace("L", str(len(lines) + 1)))

    def add(part: str, depth: int, indent: str, in_loop: bool, in_star: bool) -> None:
        head, has_block, _ = part.partition("B")
        lines.append(indent + head.replace("L", str(len(lines) + 1)))
        if not has_block:
            return
        inner = indent + ("        " if part.startswith(" ") else "    ")
        if head.startswith("def "):
            text = draw(st.sampled_from(["pass", "see(L, x)", "nonlocal x", "x = 1"]))
            lines.append(inner + text.replace("L", str(len(lines) + 1)))
            if lines[-1].strip() == "nonlocal x":
                lines.append(f"{inner}x = V({len(lines) + 1})")
            return
        loops = head.startswith(("while", "for")) or (in_loop and not head.startswith("except*"))
        block(depth - 1, inner, loops, in_star or head.startswith("except*"))

    block(draw(st.integers(1, 3)), "    ", False, False)
    return "\n".join(lines) + "\n"


def _own_function(tree: ast.Module) -> ast.FunctionDef:
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def _uses(function: ast.FunctionDef) -> dict[int, ast.Name]:
    """The places where a program shows what `x` is, by their numbers."""
    found = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "see":
            name = next(one for one in ast.walk(node.args[1]) if isinstance(one, ast.Name) and one.id == "x")
            if isinstance(name.ctx, ast.Load) and isinstance(node.args[0], ast.Constant):
                found[int(node.args[0].value)] = name  # type: ignore[arg-type]
    return found


def runs(text: str) -> set[tuple[int, int]]:
    """The lines whose values were seen at a place, 0 for the parameter's own, in several runs."""
    seen: set[tuple[int, int]] = set()
    for seed in range(8):
        run = Run(seed)
        names = run.names()
        exec(text, names)
        later: list[Any] = []
        # A program may use a name that it has deleted, and call what it has rebound.
        with contextlib.suppress(_EndOfRun, Exception):
            names["program"](Value(0), later)
            for one in later:
                one()
        seen |= run.seen
    return seen


def parsed(text: str) -> ModuleSyntax | None:
    """The module of a program, None for one that is no Python: with code behind a capture of everything."""
    try:
        compile(text, "", "exec")
    except SyntaxError:
        return None
    return parse_module(SourceText("program.py", text))


@settings(deadline=None, max_examples=200)
@given(programs())
def test_what_a_run_sees_is_among_the_answers_of_all(text: str) -> None:
    module = parsed(text)
    if module is None:
        return
    function = _own_function(module.tree)
    places, lines = _uses(function), _lines_of(function)
    for place, line in sorted(runs(text)):
        if place not in places:
            continue
        found = _definitions(module, function, places[place], lines)
        said = f"line {line} at {place} of\n{text}\nnot in"
        assert found["definitions"] >= {line} or module.definitions(function).bound_by_others("x"), said
        assert found["values"] >= {line} or None in found["values"], said
        assert found["scope"] >= {line} or None in found["scope"], said
        assert found["visible"] >= {line} or None in found["visible"], said


def _definitions(
    module: ModuleSyntax, function: ast.FunctionDef, use: ast.Name, lines: dict[Any, int]
) -> dict[str, set[int | None]]:
    """The lines of what may have bound `x` at a place, as each of the analyses says; None for unknown."""
    values = scope_bindings.values_at(module, use)
    reaching = module.definitions(function).reaching("x", use)
    start = {0} if reaching is None or START in reaching else set()
    bound = scope_bindings.reaching(module, function, "x", use)
    return {
        "definitions": {lines[one] for one in module.definitions(function).reaching("x", use) or ()},
        "values": {lines.get(one, one.lineno) if one else None for one in values} | start,
        "scope": {lines[one.node] if one.node is not function else None for one in bound},
        "visible": {lines[one.node] if one else None for one in scope_bindings.bound_at(module, use)},
    }


def _lines_of(function: ast.FunctionDef) -> dict[Any, int]:
    """The lines that give the values of definitions: what a pattern captures comes from its `match`."""
    found: dict[Any, int] = {one: one.lineno for one in ast.walk(function) if hasattr(one, "lineno")}
    for match in ast.walk(function):
        if isinstance(match, ast.Match):
            found |= {one: match.lineno for case in match.cases for one in ast.walk(case.pattern)}
    return {**found, START: 0, function.args: 0}


BY_HAND = {
    "the last one of a block": ("x = 1", "x = 2", "use(x)", {2}),
    "either arm": ("if a:", "    x = 1", "else:", "    x = 2", "use(x)", {2, 4}),
    "one arm that leaves": ("if a:", "    x = 1", "    return", "use(x)", {0}),
    "a loop that may not run": ("for a in b:", "    x = 1", "use(x)", {0, 2}),
    "the iteration before": ("for a in b:", "    use(x)", "    x = 1", {0, 3}),
    "a jump before the end": ("while a:", "    x = 1", "    if b: break", "    x = 2", "use(x)", {0, 2, 4}),
    "an exception from anywhere": ("try:", "    x = 1", "    x = 2", "except E:", "    use(x)", {0, 2, 3}),
    "no exception": ("try:", "    x = 1", "except E:", "    return", "use(x)", {2}),
    "whatever has happened": ("try:", "    x = 1", "finally:", "    use(x)", {0, 2}),
    "inside of a context": ("with a:", "    x = 1", "    use(x)", {2}),
    "a context that may swallow": ("with a:", "    x = 1", "use(x)", {0, 2}),
    "a name of a context": ("async with a as x:", "    use(x)", {1}),
    "an asynchronous loop": ("async for x in a:", "    use(x)", {1}),
    "an arm of a match": ("x = 1", "match a:", "    case 1:", "        x = 2", "        use(x)", {4}),
    "some arm of a match": ("match a:", "    case 1:", "        x = 2", "use(x)", {0, 3}),
    "every arm of a match": (
        "match a:", "    case 1:", "        x = 2", "    case _:", "        x = 3", "use(x)", {3, 5},
    ),
    "what a pattern captures": ("match a:", "    case [x, *_]:", "        use(x)", {2}),
    "a condition that binds": ("if (x := a) and b:", "    use(x)", {1}),
    "a condition that may bind": ("if a or (x := b):", "    use(x)", {0, 1}),
    "a loop's condition": ("while (x := a):", "    pass", "use(x)", {1}),
    "a function that is called later": ("def f():", "    use(x)", "x = 1", {0, 3}),
    "the variable of a comprehension": ("x = 1", "[use(x) for x in a]", {2}),
    "a name that is read in an index": ("x = 1", "a[x] = 2", "use(x)", {1}),
}  # fmt: skip


@pytest.mark.parametrize("case", BY_HAND.values(), ids=list(BY_HAND))
def test_no_more_than_what_reaches_a_place(case: tuple[Any, ...]) -> None:
    *body, expected = case
    text = "async def f(a, b, x):\n" + "".join(f"    {line}\n" for line in body)
    function = parse_module(SourceText("f.py", text)).tree.body[0]
    assert isinstance(function, ast.AsyncFunctionDef)
    use = next(
        one for one in ast.walk(function) if isinstance(one, ast.Call) and ast.unparse(one) == "use(x)"
    )
    found = ReachingDefinitions(function).reaching("x", use.args[0])
    assert found is not None
    lines = {one: one.lineno for one in ast.walk(function) if hasattr(one, "lineno")}
    # Lines are those of the body, the parameter is on line 0.
    assert {0 if one is START else lines[one] - 1 for one in found} == expected


def test_the_class_of_a_pattern_is_read_where_the_match_begins() -> None:
    text = "def f(a, x):\n    x = V\n    match a:\n        case x():\n            return 1\n"
    function = _own_function(parse_module(SourceText("f.py", text)).tree)
    pattern = next(one for one in ast.walk(function) if isinstance(one, ast.MatchClass))
    assert ReachingDefinitions(function).reaching("x", pattern.cls) == {function.body[0]}


def test_the_place_of_an_item_that_a_loop_stores_to_is_no_definition() -> None:
    text = "def f(a, x):\n    x = 1\n    for a[x] in range(3):\n        pass\n"
    function = _own_function(parse_module(SourceText("f.py", text)).tree)
    loop = function.body[1]
    assert isinstance(loop, ast.For) and isinstance(loop.target, ast.Subscript)
    assert ReachingDefinitions(function).reaching("x", loop.target.slice) == {function.body[0]}


def test_what_another_function_binds_is_not_known() -> None:
    text = "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n    g()\n    use(x)\n"
    module = parse_module(SourceText("f.py", text))
    use = module.calls[-1].args[0]
    assert isinstance(use, ast.Name) and scope_bindings.values_at(module, use)[-1] is None


def test_the_time_for_all_names_grows_with_the_code() -> None:
    """Each name is looked for near its definitions only, however long the function is."""

    def steps(lines: int) -> int:
        body = "".join(f"    v{n} = v{n - 1} + 1\n" for n in range(1, lines))
        module = parse_module(SourceText("f.py", f"def f(v0):\n{body}"))
        function = _own_function(module.tree)
        definitions = module.definitions(function)
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        count = 0

        def traced(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(traced)
        try:
            for node in names:
                definitions.reaching(node.id, node)
        finally:
            sys.setprofile(None)
        return count

    # Four times the code takes four times the calls, and a few for longer searches.
    assert steps(800) < 6 * steps(200)
