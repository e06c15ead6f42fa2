"""What stands in the user's lines: at accesses, atomics, barriers, branches and float64 arithmetic.

Only what is not as it should be: numbers that say nothing would hide those that do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lsp_server.analysis.checked_text import Analysis
from lsp_server.numbers.access_card import ATOMIC_METRICS, METRICS, stands_in_source
from lsp_server.numbers.cards import Card, Quantities
from lsp_server.numbers.known import Known, known_of
from lsp_server.numbers.rows import BEFORE_EDIT, Row
from lsp_server.numbers.thresholds import thresholds

# Names that the compiler gives to shared arrays; users do not know them.
_UNNAMED = "_cudapy"


@dataclass(frozen=True)
class Hint:
    """A few words behind the end of a line (line and column from 1), and the cards that explain them."""

    line: int
    column: int
    label: str
    cards: tuple[Card, ...]


def hints(analysis: Analysis, first: int, last: int) -> list[Hint]:
    """The hints on the lines `first` to `last`, in the order of the text, each behind the end of its line.

    The same words stand there once, with the cards of all that they are said of. A device function has the
    records of each kernel that calls it.
    """
    lines = analysis.document.source.lines
    known = known_of(analysis)
    quantities = Quantities(analysis.settings)
    found: dict[tuple[int, str], dict[tuple[int, str], Card]] = {}
    for row, label, metrics in _worth_telling(known, first, last):
        if not stands_in_source(row):
            label = _named(row, label)
        cards = found.setdefault((row.span.end_line, label), {})
        card = _card(row, known.owner(row, "kernel"), metrics, quantities)
        place = row.span.end_column, row.label
        if place in cards:
            both = (*cards[place].assumed, *card.assumed)
            card = replace(cards[place], assumed=tuple(dict.fromkeys(both)))
        cards[place] = card
    return [
        Hint(line, len(lines[line - 1]) + 1, label, tuple(cards[place] for place in sorted(cards)))
        for (line, label), cards in sorted(found.items(), key=lambda one: (one[0][0], min(one[1])))
        if line <= len(lines)
    ]


def _worth_telling(known: Known, first: int, last: int) -> Iterator[tuple[Row, str, tuple[str, ...]]]:
    """The records on those lines of which there is something to say, with the words and the metrics."""
    for entity, telling in _TELLING.items():
        for row in known.rows(entity):
            if first <= row.span.end_line <= last:
                label, metrics = telling(row, known)
                if label:
                    yield row, label, metrics


def _access(row: Row, known: Known) -> tuple[str, tuple[str, ...]]:
    del known
    sectors, ideal = row.amount("sectors_per_request"), row.amount("ideal_sectors_per_request")
    ways = row.amount("bank_conflict_ways")
    if sectors is not None and ideal is not None and sectors > ideal * thresholds().sectors_over_ideal:
        told, needed = _between(row, "sectors_per_request"), _between(row, "ideal_sectors_per_request")
        label = f"{told} sectors/request, ideal {needed}"
        return _marked(label, row, "sectors_per_request"), METRICS
    if ways is not None and ways >= thresholds().bank_conflict_ways:
        return _marked(
            f"{_between(row, 'bank_conflict_ways')}-way bank conflict", row, "bank_conflict_ways"
        ), METRICS
    return "", ()


def _atomic(row: Row, known: Known) -> tuple[str, tuple[str, ...]]:
    del known
    lanes = row.amount("lanes_per_address")
    if lanes is None or row.holds("single_thread") or lanes < thresholds().lanes_per_address:
        return "", ()
    return _marked(
        f"{_between(row, 'lanes_per_address')} lanes/address", row, "lanes_per_address"
    ), ATOMIC_METRICS


def _barrier(row: Row, known: Known) -> tuple[str, tuple[str, ...]]:
    if row.holds("divergent"):
        return "only a part of the block gets here", ("divergent",)
    if row.holds("after_divergent_exit"):
        return "a part of the block has left before", ("after_divergent_exit",)
    kernel = known.owner(row, "kernel")
    passed = kernel.amount("barriers_per_block") if kernel is not None else None
    if kernel is None or not passed or passed < 2.0 or len(known.owned("barrier", kernel)) > 1:
        return "", ()
    label = _marked(f"{_short(passed)} times each block", kernel, "barriers_per_block")
    return label, ("loop_depth",)


def _branch(row: Row, known: Known) -> tuple[str, tuple[str, ...]]:
    del known
    divided = row.amount("divided")
    if row.holds("single_lane"):
        return "", ()
    if divided is not None:
        worth = divided >= thresholds().divided
        most = row.most("divided")
        share = f"{divided:.0%}" if most is None else f"{divided:.0%} to {most:.0%}"
        label = _marked(f"diverges {share}", row, "divided") if worth else ""
        return label, ("divided", "data_dependent")
    if row.holds("lane_dependent") and row.holds("data_dependent"):
        return "may diverge", ("lane_dependent", "data_dependent")
    return "", ()


def _line(row: Row, known: Known) -> tuple[str, tuple[str, ...]]:
    """Float64 arithmetic, where nobody asked for float64."""
    count, kernel = row.amount("fp64_instructions"), known.owner(row, "kernel")
    if not count or (kernel is not None and kernel.holds("stated_float64")):
        return "", ()
    metrics = ("fp64_instructions", "fp64_special_instructions", "conversion_instructions", "instructions")
    return _marked(f"{count:.0f} float64", row, "fp64_instructions"), metrics


_TELLING = {
    "access": _access,
    "atomic": _atomic,
    "barrier": _barrier,
    "branch": _branch,
    "line": _line,
}


def _marked(label: str, row: Row, metric: str) -> str:
    """The words, and whether what they rest on is from before the text was edited."""
    return f"{label} ({BEFORE_EDIT})" if row.from_before(metric) else label


def _named(row: Row, label: str) -> str:
    """The words with the array's name, of a record whose place in the line is not known."""
    return f"{'shared memory' if row.label.startswith(_UNNAMED) else row.label}: {label}"


def _card(row: Row, kernel: Row | None, metrics: tuple[str, ...], quantities: Quantities) -> Card:
    owner = f"of kernel `{kernel.label}`" if kernel is not None else ""
    what = f"{row.entity} {owner}".strip()
    grids = quantities.grid("", row, metrics)
    return Card(row.label, what, (), grids, row.assumptions(metrics))


def _between(row: Row, metric: str) -> str:
    """The value of a known metric, with the most that it may be where that is more."""
    value, most = row.amount(metric) or 0.0, row.most(metric)
    least, largest = _short(value), _short(value if most is None else most)
    return least if least == largest else f"{least} to {largest}"


def _short(number: float) -> str:
    """A number with at most one decimal."""
    return f"{number:.1f}".removesuffix(".0")
