"""Syntax trees of items and clauses, from the tables of the grammar: several times as fast as Lark's own.

What Lark accepts gives the same tree here; a text that is not accepted gives none, and Lark tells why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from advisor.rules.language.parse_tables import THE_END, Tables, tables

if TYPE_CHECKING:
    from lark import Token, Tree


class Leaf:
    """A token: its text and its place."""

    __slots__ = ("end", "start", "text", "type")

    def __init__(self, type_: str, text: str, start: int, end: int) -> None:
        self.type, self.text, self.start, self.end = type_, text, start, end

    def __str__(self) -> str:
        return self.text


class Node:
    """A part of the syntax: what it is, what it consists of (None for what was left out), and its place."""

    __slots__ = ("children", "data", "end", "start")

    def __init__(self, data: str, children: list[Child], start: int, end: int) -> None:
        self.data, self.children, self.start, self.end = data, children, start, end


Child: TypeAlias = Node | Leaf | None
# A list is part of the children of the node to come.
_Value: TypeAlias = Child | list[Child]
_Match: TypeAlias = Callable[[str, int], re.Match[str] | None]


class _Automaton:
    """The tables with the compiled patterns of the states; each is compiled when it is first needed."""

    def __init__(self, given: Tables) -> None:
        self.tables = given
        self.matchers: list[_Match | None] = [None] * len(given.lexers)
        self._compiled: dict[int, _Match] = {}

    def matcher(self, state: int) -> _Match:
        """The matcher of the terminals that a state accepts."""
        number = self.tables.lexers[state]
        if number not in self._compiled:
            self._compiled[number] = re.compile(self.tables.patterns[number]).match
        found = self.matchers[state] = self._compiled[number]
        return found


@cache
def _automaton() -> _Automaton:
    return _Automaton(tables())


def parse(text: str, start: str) -> Node | None:
    """The tree of an item or a clause, None for a text that is none."""
    automaton = _automaton()
    actions, gotos, kept = automaton.tables.actions, automaton.tables.gotos, automaton.tables.kept
    productions, matchers = automaton.tables.productions, automaton.matchers
    end_state = automaton.tables.ends[start]
    state = automaton.tables.begins[start]
    # What was met and is not yet part of something, with the state after it and the place where it begins.
    states, values, starts = [state], list[_Value](), list[int]()
    end = 0
    while True:
        match = (matchers[state] or automaton.matcher(state))(text, end)
        if match is None:
            return None
        kind = match.lastgroup or ""
        action = actions[state].get(kind)
        while action is not None and action < 0:
            size, name, data, included, absent_last, passed_on = productions[-action - 1]
            del states[-size:]
            if not passed_on:
                children = _children(included, absent_last, values[-size:])
                del values[-size:]
                values.append(children if data is None else Node(data, children, starts[-size], end))
                if size > 1:
                    del starts[1 - size :]
            elif size > 1:
                values[-size:] = [values[included[0][0] - size]]
                del starts[1 - size :]
            state = gotos[states[-1]][name]
            states.append(state)
            if kind == THE_END and state == end_state:
                return values[-1]  # type: ignore[return-value]
            action = actions[state].get(kind)
        if action is None:
            return None
        begin, end = match.span(kind)
        states.append(action)
        values.append(Leaf(kind, text[begin:end], begin, end) if kind in kept else None)
        starts.append(begin)
        state = action


def _children(
    included: Sequence[tuple[int, bool, int]], absent_last: int, found: list[_Value]
) -> list[Child]:
    """The children of a node: those that the tree keeps, with None for what was left out."""
    children: list[Child] = []
    for place, spread, absent in included:
        if absent:
            children += [None] * absent
        if not spread:
            children.append(found[place])  # type: ignore[arg-type]
        elif children:
            children += found[place]  # type: ignore[arg-type]
        else:
            # A list that grows by one element at a time is not copied each time.
            children = found[place]  # type: ignore[assignment]
    if absent_last:
        children += [None] * absent_last
    return children


def depth_of(tree: Node | Tree[Token]) -> int:
    """The number of levels of a tree; the values of examples, in which nothing is nested, count as one."""
    deepest, waiting, kind = 0, [(tree, 1)], type(tree)
    while waiting:
        one, level = waiting.pop()
        deepest = max(deepest, level)
        if one.data not in ("example", "given"):
            waiting += [(child, level + 1) for child in one.children if type(child) is kind]
    return deepest


def of_lark(tree: Tree[Token]) -> Node:
    """The same tree out of one of Lark's."""
    children: list[Child] = []
    for child in tree.children:
        if child is None or isinstance(child, str):
            leaf = child and Leaf(child.type, str(child), child.start_pos or 0, child.end_pos or 0)
            children.append(leaf or None)
        else:
            children.append(of_lark(child))
    return Node(str(tree.data), children, tree.meta.start_pos, tree.meta.end_pos)
