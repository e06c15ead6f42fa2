"""The tables of the grammar's parser: made by Lark once, kept in the user's cache folder, run by `trees`."""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from advisor.model.data_files import grammar_folder
from advisor.model.text.syntax_trees import one_tree_at_a_time
from advisor.rules.loading.kept_files import read_kept, write_kept

if TYPE_CHECKING:
    from lark import Lark

STARTS = ("item", "clause")
# A terminal's name in Lark that cannot be one in a pattern, and what it is called here.
_LARKS_END, THE_END = "$END", "the_end"
_FORMAT = 3
_KEPT = 2
# Comments end at their line: a shorter match of one would take the rest of it for words.
_SKIPPED = r"(?:[ \t\f\r\n]|//[^\n]*(?:\n|\Z))*(?![ \t\f\r\n]|//)"
_AT_THE_END = rf"(?P<{THE_END}>)\Z"


class Production(NamedTuple):
    """What a reduction does: how many symbols it takes, and what becomes of them.

    `name` is the symbol that stands for them, `data` that of the node made of them, None where their children
    go into the node above. `included` has for each child its place, whether its own children are taken
    instead of it, and how many absent children come before; `absent_last` are those at the end. `passed_on`
    says that the only child stands for itself.
    """

    size: int
    name: str
    data: str | None
    included: tuple[tuple[int, bool, int], ...]
    absent_last: int
    passed_on: bool


@dataclass(frozen=True, slots=True)
class Tables:
    """An LALR(1) automaton with a lexer for each state.

    `actions` has for each state and terminal the state to go to, or the number n of a production as -n - 1;
    `gotos` for each state and symbol the next state. `lexers` numbers the pattern of each state. `kept` are
    the terminals that come into the tree.
    """

    actions: tuple[dict[str, int], ...]
    gotos: tuple[dict[str, int], ...]
    lexers: tuple[int, ...]
    patterns: tuple[str, ...]
    productions: tuple[Production, ...]
    begins: dict[str, int]
    ends: dict[str, int]
    kept: frozenset[str]


def grammar() -> str:
    """The text of the grammar file."""
    return (grammar_folder() / "rules.lark").read_text("utf-8")


@cache
def lark_parser() -> Lark:
    """Lark's own parser of the grammar, for the files whose errors it has to tell."""
    from lark import Lark

    # Lark has Python read the literals of a grammar.
    with one_tree_at_a_time:
        return Lark(
            grammar(), parser="lalr", start=list(STARTS), propagate_positions=True, maybe_placeholders=True
        )


_known: dict[str, Tables] = {}


def tables(cache_folder: Path | None = None) -> Tables:
    """The tables of the grammar, from memory, from the user's own cache folder, or from Lark."""
    if not _known:
        _known["tables"] = _kept_tables(cache_folder)
    return _known["tables"]


def _kept_tables(cache_folder: Path | None) -> Tables:
    if cache_folder is None:
        return _made()
    made_of = f"{_FORMAT} {version('lark')} {grammar()}"
    file = cache_folder / f"grammar-{hashlib.sha256(made_of.encode()).hexdigest()[:32]}.pickle"
    found = read_kept(file)
    if isinstance(found, Tables):
        return found
    made = _made()
    write_kept(file, pickle.dumps(made, pickle.HIGHEST_PROTOCOL), "grammar-*.pickle", _KEPT)
    return made


def _made() -> Tables:
    lark = lark_parser()
    frontend: Any = lark.parser
    table = frontend.parser._parse_table
    numbers = {rule: number for number, rule in enumerate(lark.rules)}
    actions, gotos, lexers = [], [], []
    patterns: dict[str, int] = {}
    nonterminals = {str(rule.origin.name) for rule in lark.rules}
    for state in range(len(table.states)):
        moves = table.states[state].items()
        gotos.append({str(name): arg for name, (_, arg) in moves if name in nonterminals})
        actions.append(
            {
                THE_END if name == _LARKS_END else str(name): arg
                if isinstance(arg, int)
                else -numbers[arg] - 1
                for name, (_, arg) in moves
                if name not in nonterminals
            }
        )
        pattern = _pattern(frontend.lexer.lexers[state])
        lexers.append(patterns.setdefault(pattern, len(patterns)))
    productions = tuple(_production(rule) for rule in lark.rules)
    included = {
        str(rule.expansion[place].name)
        for rule, production in zip(lark.rules, productions, strict=True)
        for place, _, _ in production.included
    }
    return Tables(
        tuple(actions), tuple(gotos), tuple(lexers), tuple(patterns), productions,
        dict(table.start_states), dict(table.end_states), frozenset(included),
    )  # fmt: skip


def _pattern(lexer: Any) -> str:
    """The pattern of all terminals that a state accepts, in Lark's order, with the space before them."""
    terminals = [one for one in lexer.terminals if one.name not in lexer.ignore_types]
    written = [f"(?P<{one.name}>{one.pattern.to_regexp()})" for one in terminals]
    return f"{_SKIPPED}(?:{'|'.join([*written, _AT_THE_END])})"


def _production(rule: Any) -> Production:
    options, symbols = rule.options, rule.expansion
    # Absent children are marked in a row with those that are there.
    absent = (
        [len(run) for run in "".join(str(int(one)) for one in options.empty_indices).split("0")]
        if options.empty_indices
        else [0] * (len(symbols) + 1)
    )
    included, before = [], 0
    for place, symbol in enumerate(symbols):
        before += absent[place]
        if not (symbol.is_term and symbol.filter_out):
            included.append((place, not symbol.is_term and symbol.name.startswith("_"), before))
            before = 0
    passed_on = options.expand1 and not rule.alias and len(included) == 1 and not included[0][1]
    name = str(rule.origin.name)
    data = None if name.startswith("_") else str(rule.alias or name)
    return Production(len(symbols), name, data, tuple(included), before + absent[-1], passed_on)
