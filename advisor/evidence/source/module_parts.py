"""A module as its top-level statements: each with what it binds and names, read only where it changed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.model.text.syntax_trees import syntax_tree
from advisor.program.kernels.declarations import called_names, launched_in, names_checked
from advisor.program.names.read_names import names_read_at
from advisor.program.syntax.tree_nodes import dotted_root

_WORD = re.compile(r"[^\W\d]\w*")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class PartNames:
    """What a part says by its names: those it binds in its module, all its words, and what its calls show.

    `functions` are those of its definitions, nested ones too. `arguments` are names and attributes that calls
    get; `called` those called in functions that may be for the GPU; `launched` those subscripted and then
    called; `checked` those called in functions that refuse remainders. Outside of definitions, `readings` are
    those bound to what calls without arguments give, as clocks are read, and `subtracted` those taken away
    from something. `read` are those that its code reads. `everywhere` when it may bind any name.
    """

    binds: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    arguments: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    launched: frozenset[str] = frozenset()
    checked: frozenset[str] = frozenset()
    readings: frozenset[str] = frozenset()
    subtracted: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """Top-level statements that share lines, with the blank lines and comments before them.

    `first` is its first line, from 1; `lines` are all of its lines.
    """

    first: int
    lines: tuple[str, ...]
    text: str
    names: PartNames

    @property
    def last(self) -> int:
        """Its last line."""
        return self.first + len(self.lines) - 1


def split(lines: Sequence[str]) -> list[Part] | None:
    """The parts of a module with these lines, in order; None for one that cannot be parsed."""
    return _split(lines, 1)


def split_again(before: Sequence[Part], old: Sequence[str], lines: Sequence[str]) -> list[Part] | None:
    """The parts of a changed module; those that the change is far from are the ones of `before`."""
    same, same_at_end = _common(old, lines)
    head = [part for part in before if part.last <= same]
    # What comes next may still belong to the last statement before the change, as an `else` does.
    head = head[:-1]
    begin = head[-1].last if head else 0
    tail = [part for part in before if part.first > max(len(old) - same_at_end, begin)]
    moved = len(lines) - len(old)
    end = tail[0].first - 1 + moved if tail else len(lines)
    middle = _split(lines[begin:end], begin + 1)
    if middle is None:
        return split(lines)
    if moved:
        tail = [Part(part.first + moved, part.lines, part.text, part.names) for part in tail]
    return [*head, *middle, *tail]


def _common(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines two texts have in common at their beginning, and at their end behind that."""
    shorter = min(len(old), len(new))
    same = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - same
    at_end = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    return same, at_end


def _split(lines: Sequence[str], first: int) -> list[Part] | None:
    try:
        tree = syntax_tree("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    groups: list[tuple[int, list[ast.stmt]]] = []
    for statement in tree.body:
        end = statement.end_lineno or statement.lineno
        if groups and _first_line(statement) <= groups[-1][0]:
            groups[-1][1].append(statement)
            groups[-1] = (max(end, groups[-1][0]), groups[-1][1])
        else:
            groups.append((end, [statement]))
    found, begin = [], 0
    for end, statements in groups:
        found.append(_part(first + begin, tuple(lines[begin:end]), statements))
        begin = end
    if begin < len(lines):
        found.append(_part(first + begin, tuple(lines[begin:]), []))
    return found


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])


def _part(first: int, lines: tuple[str, ...], statements: Sequence[ast.stmt]) -> Part:
    text = "\n".join(lines)
    return Part(first, lines, text, _names(text, statements))


def _names(text: str, statements: Sequence[ast.stmt]) -> PartNames:
    binds, functions, read = set[str](), set[str](), set[str]()
    arguments, called, checked, calls = set[str](), set[str](), set[str](), []
    everywhere = False
    script = [one for one in statements if not isinstance(one, _Function | ast.ClassDef)]
    for statement in statements:
        defines = isinstance(statement, _Function | ast.ClassDef)
        for node in ast.walk(statement):
            read.update(names_read_at(node))
            if isinstance(node, _Function | ast.ClassDef):
                binds.add(node.name)
                if isinstance(node, _Function):
                    functions.add(node.name)
                    called |= called_names(node) if node.decorator_list else set()
                    checked |= names_checked(node)
            elif isinstance(node, ast.Global):
                binds.update(node.names)
            elif isinstance(node, ast.alias):
                everywhere |= node.name == "*"
                binds.add(node.asname or node.name.split(".")[0])
            elif isinstance(node, ast.Call):
                calls.append(node)
                arguments.update(_handed(node))
            elif isinstance(node, ast.Attribute):
                if not isinstance(node.ctx, ast.Load):
                    binds |= {node.attr, *_root(node)}
            elif isinstance(node, ast.Name) and not defines and not isinstance(node.ctx, ast.Load):
                binds.add(node.id)
    return PartNames(
        frozenset(binds),
        frozenset(functions),
        words_in(text),
        frozenset(arguments),
        frozenset(called),
        frozenset(launched_in(calls)),
        frozenset(checked),
        frozenset(name for one in script for name in _readings(one)),
        frozenset(name for one in script for name in _subtracted(one)),
        frozenset(read),
        everywhere,
    )


def _readings(statement: ast.stmt) -> Iterator[str]:
    call = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(statement, ast.Assign) and isinstance(call, ast.Call) and not (call.args or call.keywords):
        yield from (one.id for one in statement.targets if isinstance(one, ast.Name))


def _subtracted(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and isinstance(node.right, ast.Name):
            yield node.right.id


def _handed(call: ast.Call) -> Iterator[str]:
    """The names and attributes among the arguments of a call."""
    for given in (*call.args, *(one.value for one in call.keywords)):
        if isinstance(given, ast.Name):
            yield given.id
        elif isinstance(given, ast.Attribute):
            yield given.attr


def words_in(text: str) -> frozenset[str]:
    """All names in a text, keywords, comments and strings included."""
    return frozenset(_WORD.findall(text))


def _root(node: ast.Attribute) -> set[str]:
    root = dotted_root(node)
    return set() if root is None else {root.id}


def _clocks(parts: Sequence[Part]) -> frozenset[str]:
    """The names that may hold a reading of a clock which another one is compared with."""
    readings = frozenset[str]().union(*(part.names.readings for part in parts))
    subtracted = frozenset[str]().union(*(part.names.subtracted for part in parts))
    return readings if readings & subtracted else frozenset()


class Needs:
    """Which parts decide what a part means.

    That is whatever binds one of its words, what that needs in turn, and what hands one of its functions to a
    call, for that may be how it is compiled, or launched where nobody sees it. Statements that may read a
    clock need whatever may stand between them: all of the module.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._binders: dict[str, list[int]] = {}
        given: dict[str, list[int]] = {}
        for number, part in enumerate(parts):
            for name in part.names.binds:
                self._binders.setdefault(name, []).append(number)
            for name in part.names.arguments:
                given.setdefault(name, []).append(number)
        self._always = {number for number, part in enumerate(parts) if part.names.everywhere}
        self._links = [
            self._named(part.names.words).union(
                *(given[name] for name in part.names.functions & given.keys())
            )
            for part in parts
        ]
        clocks = _clocks(parts)
        for number, part in enumerate(parts):
            if clocks & (part.names.readings | part.names.subtracted):
                self._links[number] = set(range(len(parts)))
        self._found: dict[int, tuple[int, ...]] = {}

    def of(self, number: int) -> tuple[int, ...]:
        """The numbers of the parts that one needs, itself included, ascending."""
        if number not in self._found:
            self._found[number] = self._reached({number})
        return self._found[number]

    def of_names(self, names: PartNames) -> tuple[int, ...]:
        """The numbers of the parts that another file with these names needs, ascending."""
        return self._reached(self._named(names.words))

    def _named(self, words: frozenset[str]) -> set[int]:
        known = self._binders.keys() & words
        return self._always.union(*(self._binders[name] for name in known))

    def _reached(self, start: set[int]) -> tuple[int, ...]:
        found, waiting = set(start), list(start)
        while waiting:
            fresh = self._links[waiting.pop()] - found
            found |= fresh
            waiting.extend(fresh)
        return tuple(sorted(found))
