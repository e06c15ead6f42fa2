"""Random well-typed conditions and rules over the vocabulary of `writing`, as nodes and as text.

A node is a tuple of an operator and what it takes; `text_of` writes it, `plain_verdicts` gives its value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

Node = tuple[Any, ...]
Scope = dict[str, str]

OWNER = {"access": "kernel", "kernel": "run", "run": None, "device": None}
# Families of numbers that may be compared, with literals of a value each and the metrics by entity.
LITERALS = {
    "count": {"1": 1.0, "2": 2.0, "4": 4.0, "2.5": 2.5},
    "ratio": {"0%": 0.0, "25%": 0.25, "50%": 0.5, "100%": 1.0},
    "time": {"1 ms": 1.0, "2000 us": 2.0, "0.004 s": 4.0},
    "byte": {"512 B": 512.0, "1 KiB": 1024.0, "2 KiB": 2048.0},
    "rate": {"1 sectors/request": 1.0, "4 sectors/request": 4.0, "32 sectors/request": 32.0},
}
METRICS = {
    "count": [("kernel", "registers"), ("device", "sm_count")],
    "ratio": [("kernel", "share")],
    "time": [("kernel", "time"), ("run", "total")],
    "byte": [("kernel", "spilled")],
    "rate": [("access", "sectors"), ("access", "ideal")],
    "truth": [("kernel", "debug"), ("access", "guarded")],
    "text": [("kernel", "limiter"), ("access", "space"), ("device", "name")],
}
NUMBERS = tuple(LITERALS)
TEXTS = ("warps", "registers", 'a "b" \\ c')
PATTERNS = ("*", "reg*", "w?rps", "[a-c]*")
ORDER = ("<", "<=", ">", ">=", "=", "!=")


@dataclass
class Named:
    """A param, let or definition: its name, its kind, and for a let the variables that it speaks of."""

    name: str
    kind: str
    node: Node
    speaks_of: frozenset[str] = frozenset()


@dataclass
class RandomRule:
    """A rule as nodes."""

    variables: list[tuple[str, str]]
    params: list[Named] = field(default_factory=list)
    lets: list[Named] = field(default_factory=list)
    definitions: list[Named] = field(default_factory=list)
    when: Node = ("truth", True)
    unless: list[Node] = field(default_factory=list)


class Writer:
    """Draws nodes; every quantifier gets a name of its own."""

    def __init__(self, draw: st.DrawFn, rule: RandomRule) -> None:
        self.draw, self.rule, self.quantifiers = draw, rule, 0

    def one_of(self, choices: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(choices))

    def node(self, kind: str, scope: Scope, depth: int) -> Node:
        if kind == "truth":
            return self.truth(scope, depth)
        return self.text(scope, depth) if kind == "text" else self.number(kind, scope, depth)

    def metric(self, kind: str, scope: Scope) -> Node | None:
        """A metric by its variable or through the owners of one."""
        ways: list[Node] = []
        for entity, name in METRICS[kind]:
            if entity == "device":
                ways.append(("metric", "device", (), name))
            for variable, base in scope.items():
                at: str | None = base
                path: tuple[str, ...] = ()
                while at is not None and at != entity:
                    at = OWNER[at]
                    path = (*path, str(at))
                if at == entity:
                    ways.append(("metric", variable, path, name))
        return self.one_of(ways) if ways else None

    def named(self, kind: str, scope: Scope) -> Node | None:
        known: list[Node] = [("param", one.name) for one in self.rule.params if one.kind == kind]
        known += [
            ("let", one.name) for one in self.rule.lets if one.kind == kind and one.speaks_of <= scope.keys()
        ]
        return self.one_of(known) if known else None

    def leaf(self, kind: str, scope: Scope, literal: Node) -> Node:
        choice = self.draw(st.integers(0, 5))
        found = self.named(kind, scope) if choice == 0 else None
        if found is None and choice < 5:
            found = self.metric(kind, scope)
        return found or literal

    def number(self, kind: str, scope: Scope, depth: int) -> Node:
        form = self.one_of(("leaf", "leaf", "+", "-", "otherwise", "min", "max", "abs", "scaled", "special"))
        if depth <= 0 or form == "leaf":
            return self.leaf(kind, scope, ("literal", kind, self.one_of(list(LITERALS[kind]))))
        if form == "special":
            if kind == "ratio":
                other = self.one_of(("time", "byte"))
                return ("/", self.number(other, scope, depth - 1), self.number(other, scope, depth - 1))
            if kind == "count":
                counted = self.quantified(("number",), scope, depth - 1)
                return counted or self.number(kind, scope, depth - 1)
            form = "neg"
        if form == "neg":
            return ("neg", self.number(kind, scope, depth - 1))
        if form == "abs":
            return ("abs", self.number(kind, scope, depth - 1))
        if form == "scaled":
            plain = ("literal", "count", self.one_of(list(LITERALS["count"])))
            # A ratio of a count is a count.
            factor = plain if kind == "ratio" else self.number("count", scope, depth - 1)
            return ("*", factor, self.number(kind, scope, depth - 1))
        return (form, self.number(kind, scope, depth - 1), self.number(kind, scope, depth - 1))

    def text(self, scope: Scope, depth: int) -> Node:
        if depth > 0 and self.draw(st.integers(0, 4)) == 0:
            return ("otherwise", self.text(scope, depth - 1), self.text(scope, depth - 1))
        return self.leaf("text", scope, ("text", self.one_of(TEXTS)))

    def truth(self, scope: Scope, depth: int) -> Node:
        form = self.one_of(("and", "or", "not", "compare", "compare", "between", "known", "missing", "in",
                            "like", "text", "same", "otherwise", "some", "macro", "leaf"))  # fmt: skip
        if depth <= 0:
            form = self.one_of(("compare", "leaf"))
        if form in ("and", "or"):
            return (form, *(self.truth(scope, depth - 1) for _ in range(self.draw(st.integers(2, 3)))))
        if form == "not":
            return ("not", self.truth(scope, depth - 1))
        if form in ("same", "otherwise"):
            operator = form if form == "otherwise" else self.one_of(("=", "!="))
            return (operator, self.truth(scope, depth - 1), self.truth(scope, depth - 1))
        if form in ("known", "missing"):
            return (form, self.node(self.one_of((*NUMBERS, "truth", "text")), scope, depth - 1))
        if form == "in":
            size = self.draw(st.integers(1, 3))
            return ("in", self.text(scope, depth - 1), *(self.one_of(TEXTS) for _ in range(size)))
        if form == "like":
            return ("like", self.text(scope, depth - 1), self.one_of(PATTERNS))
        if form == "text":
            operator = self.one_of(("=", "!="))
            return (operator, self.text(scope, depth - 1), self.text(scope, depth - 1))
        if form == "some":
            found = self.quantified(("some", "every", "no"), scope, depth - 1)
            return found or self.truth(scope, depth - 1)
        if form == "macro" and self.rule.definitions:
            known = [name for name, entity in scope.items() if entity == "kernel"]
            if known:
                return ("macro", self.one_of(self.rule.definitions).name, self.one_of(known))
        if form in ("compare", "between"):
            kind = self.one_of(NUMBERS)
            operator = form if form == "between" else self.one_of(ORDER)
            size = 3 if form == "between" else 2
            return (operator, *(self.number(kind, scope, max(depth - 1, 0)) for _ in range(size)))
        return self.leaf("truth", scope, ("truth", self.draw(st.booleans())))

    def quantified(self, quantifiers: tuple[str, ...], scope: Scope, depth: int) -> Node | None:
        owners = [
            (name, entity) for name, kind in scope.items() for entity, of in OWNER.items() if of == kind
        ]
        if not owners:
            return None
        owner, entity = self.one_of(owners)
        self.quantifiers += 1
        variable = f"q{self.quantifiers}"
        above = {scope[owner], OWNER[scope[owner]]}
        inner = {name: kind for name, kind in scope.items() if kind in above} | {variable: entity}
        return (self.one_of(quantifiers), entity, variable, owner, self.truth(inner, depth))


@st.composite
def rules(draw: st.DrawFn, named: bool = True) -> RandomRule:
    """Random rules, with params, lets and definitions when `named`."""
    entity = draw(st.sampled_from(("kernel", "kernel", "access")))
    variables = [("k", "kernel")] if entity == "kernel" else [("a", "access")]
    if draw(st.booleans()):
        variables.append(("r", "run") if entity == "kernel" else ("k", "kernel"))
    rule, scope = RandomRule(variables), dict(variables)
    writer = Writer(draw, rule)
    if named:
        for at in range(draw(st.integers(0, 2))):
            kind = writer.one_of(NUMBERS)
            rule.params.append(Named(f"p{at}", kind, ("literal", kind, writer.one_of(list(LITERALS[kind])))))
        if draw(st.booleans()):
            hidden, rule.params = rule.params, []
            rule.definitions.append(Named("d0", "truth", writer.truth({"x": "kernel"}, 2)))
            rule.params = hidden
        for at in range(draw(st.integers(0, 2))):
            kind = writer.one_of((*NUMBERS, "truth", "text"))
            node = writer.node(kind, scope, 2)
            rule.lets.append(Named(f"l{at}", kind, node, frozenset(scope)))
    rule.when = writer.truth(scope, 4)
    rule.unless = [writer.truth(scope, 2) for _ in range(draw(st.integers(0, 2)))]
    return rule
