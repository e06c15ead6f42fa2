"""What names stand for, and where they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Role: TypeAlias = Literal["definition", "reference"]
SymbolKind: TypeAlias = Literal[
    "rule", "entity", "metric", "definition", "param", "let", "variable", "function", "pattern"
]


class Symbol(NamedTuple):
    """What a name stands for: its kind, what it belongs to ("" for nothing), and its name.

    A metric belongs to its entity, "" for one of a definition's variable; a parameter, a let and a variable
    to their item, a quantifier's variable to its place.
    """

    kind: SymbolKind
    owner: str
    name: str


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a text: where it stands, what it stands for, and whether it is declared there.

    `inside` is the item that it stands in.
    """

    start: int
    end: int
    symbol: Symbol
    role: Role = "reference"
    inside: str = ""


class Call(NamedTuple):
    """A call of a definition: its name, the entity of the argument ("" where not known), and the definition
    that it stands in."""

    name: str
    entity: str
    inside: str
