"""Fixes in texts with syntax errors: which of them leave alone what could not be read.

Nobody knows what a line that does not parse is going to be. A fix may stand beside it where it edits no line
of a function that has such a line, and where neither of them depends on the other: the broken lines of all
files name none of the functions that the fix edits, nor the kernel, and bind no name of the module that these
use.
"""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from advisor.fixes.application import edited
from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import COMPOUND, SourceModule
from advisor.model.findings import Edit
from advisor.model.text.syntax_recovery import BrokenLines, Recovered, recovered
from advisor.model.text.syntax_trees import one_tree_at_a_time
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.statement_places import DEFINITIONS

_NAME = re.compile(r"[^\W\d]\w*")
# What is followed by one of these is read on that line, not bound.
_BINDABLE = re.compile(r"[^\W\d]\w*\b(?!\s*[.(\[])")
_DECLARED = re.compile(r"\b(?:global|nonlocal)\b([^\r\n#;]*)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


@dataclass(frozen=True)
class BrokenText:
    """A text with syntax errors, and what could be read of it."""

    text: str
    read: Recovered

    @cached_property
    def named(self) -> frozenset[str]:
        """Every name on the broken lines."""
        return self._found(_NAME, self.read.broken)

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names of the module that broken lines may bind."""
        unread = "".join(line for at, line in enumerate(self._lines, 1) if at in self.read.unread)
        declared = (_NAME.findall(one) for one in _DECLARED.findall(unread))
        own = self._found(_BINDABLE, [one for one in self.read.broken if one.level == 0])
        return own.union(*declared)

    @cached_property
    def bound_anywhere(self) -> frozenset[str]:
        """The names that broken lines may bind, those of functions too."""
        return self._found(_BINDABLE, self.read.broken)

    def keeps_broken_lines(self, edits: Iterable[Edit]) -> bool:
        """Whether the text with the edits is read as before: with the same broken lines and no other."""
        after = edited(self.text, edits)
        read = recovered(after)
        return read is not None and BrokenText(after, read).broken_lines == self.broken_lines

    @cached_property
    def broken_lines(self) -> tuple[str, ...]:
        """The broken lines as they stand in the text."""
        return tuple(self._text_of(one) for one in self.read.broken)

    @cached_property
    def _lines(self) -> list[str]:
        return _LINE.findall(self.text)

    def _text_of(self, lines: BrokenLines) -> str:
        return "".join(self._lines[lines.first - 1 : lines.last])

    def _found(self, pattern: re.Pattern[str], lines: Iterable[BrokenLines]) -> frozenset[str]:
        return frozenset(name for one in lines for name in pattern.findall(self._text_of(one)))


class AroundErrors:
    """Texts by path, of which some have syntax errors, and what may be edited beside these."""

    def __init__(self, texts: Mapping[str, str], with_errors: Collection[str]) -> None:
        found = {path: recovered(texts[path]) for path in with_errors if path in texts}
        self._broken = {path: BrokenText(texts[path], read) for path, read in found.items() if read}
        # The cells of a notebook that cannot be read are not in its text: nobody knows what they name.
        self._closed = {path for path, read in found.items() if read is None}
        self.readable = {**texts, **{path: one.read.text for path, one in self._broken.items()}}
        self.unread = {path: one.read.unread for path, one in self._broken.items()}

    def allow(self, edits: Sequence[Edit], place: Place) -> bool:
        """Whether a fix for the finding at a place can be applied whatever its texts' broken lines become."""
        if not self._broken and not self._closed:
            return True
        by_path: dict[str, list[Edit]] = {}
        for edit in edits:
            by_path.setdefault(edit.path or place.finding.path, []).append(edit)
        if any(path in self._closed for path in by_path):
            return False
        for path, own in by_path.items():
            broken, module = self._broken.get(path), place.modules.get(path)
            if broken is not None and (module is None or _touch(own, module, broken.read.unread)):
                return False
        return self._are_independent(by_path, place) and all(
            broken.keeps_broken_lines(by_path[path])
            for path, broken in self._broken.items()
            if path in by_path
        )

    def _are_independent(self, by_path: Mapping[str, Sequence[Edit]], place: Place) -> bool:
        """Whether the broken lines of all texts and what a fix edits or rests on leave each other alone."""
        named = frozenset[str]().union(*(one.named for one in self._broken.values()))
        for path, offset, edit in _places(by_path, place):
            broken, module = self._broken.get(path), place.modules.get(path)
            if module is None:
                return False
            functions = _functions_around(module, offset)
            if not functions:
                if edit is not None and named & _names_of_statement(module, edit):
                    return False
                continue
            # The names of functions and classes around it: `make(3)[grid, block](…)`, `Solver.step(…)`.
            if edit is not None and named & {one.name for one in functions}:
                return False
            if broken is None:
                continue
            outer = functions[-1]
            torn = not broken.read.unread.isdisjoint(_lines_of(module, outer))
            used = _names_from_outside(module, functions[0] if torn else outer)
            if used is None or used & (broken.bound_anywhere if torn else broken.bound):
                return False
        kernel = place.kernel_row()
        return kernel is None or not named.intersection(kernel.label.split("."))


def _places(by_path: Mapping[str, Sequence[Edit]], place: Place) -> Iterator[tuple[str, int, Edit | None]]:
    """The places that a fix edits, with their edits, and those of its finding, kernel and launches."""
    for path, edits in by_path.items():
        yield from ((path, edit.start, edit) for edit in edits)
    yield place.finding.path, place.begin, None
    for row in [*filter(None, [place.kernel_row()]), *place.rows("launch")]:
        module = place.modules.get(row.path)
        yield row.path, 0 if module is None else module.offset(row.span.line, row.span.column - 1), None


def _touch(edits: Iterable[Edit], module: SourceModule, unread: frozenset[int]) -> bool:
    """Whether one of the edits concerns a line of what could not be read."""
    for edit in edits:
        first, last = module.line_of(edit.start), module.line_of(edit.end)
        if edit.start == module.line_start(edit.start) and edit.text.endswith(("\n", "\r")):
            if edit.start == edit.end:
                # Whole lines that are put in: they come after the line before.
                first = last = first - 1
            elif edit.end == module.line_start(edit.end):
                last -= 1
        if not unread.isdisjoint(range(first, last + 1)):
            return True
    return False


def _functions_around(module: SourceModule, offset: int) -> list[FunctionNode | ast.ClassDef]:
    """The functions and classes around an offset in a function, innermost first; none at module level."""
    node: ast.AST | None = module.function_around(offset)
    found: list[FunctionNode | ast.ClassDef] = []
    while node is not None:
        if isinstance(node, DEFINITIONS):
            found.append(node)
        node = module.parent(node)
    return found


def _lines_of(module: SourceModule, node: ast.AST) -> range:
    begin, end = module.range_of(node)
    return range(module.line_of(begin), module.line_of(end) + 1)


def _names_of_statement(module: SourceModule, edit: Edit) -> set[str]:
    """The names of the statements at module level that an edit changes, and of what it puts in."""
    found = set(_NAME.findall(edit.text))
    for node in module.nodes(ast.stmt):
        begin, end = module.range_of(node)
        if not isinstance(node, COMPOUND) and edit.start < edit.end and begin < edit.end and edit.start < end:
            found.update(_NAME.findall(module.text[begin:end]))
    return found


def _names_from_outside(module: SourceModule, node: FunctionNode | ast.ClassDef) -> set[str] | None:
    """The names that a function or class uses and does not bind itself; None where that is not known."""
    table = module.answer(_symbols, module.tree).get((node.name, node.lineno))
    return None if table is None else _unbound(table)


def _symbols(module: SourceModule, _: ast.Module) -> dict[tuple[str, int], symtable.SymbolTable]:
    """The symbol tables of all functions and classes, by name and line."""
    found: dict[tuple[str, int], symtable.SymbolTable] = {}
    try:
        with one_tree_at_a_time:
            waiting = [symtable.symtable(module.text, "", "exec")]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    while waiting:
        table = waiting.pop()
        found[table.get_name(), table.get_lineno()] = table
        waiting += table.get_children()
    return found


def _unbound(table: symtable.SymbolTable) -> set[str]:
    found = set[str]().union(*map(_unbound, table.get_children()))
    if isinstance(table, symtable.Function):
        found.difference_update(table.get_locals())
    return found | {one.get_name() for one in table.get_symbols() if one.is_global() or one.is_free()}
