"""What documents and other tools ask for, and what carries each, as files of the knowledge base state it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache

from advisor.model.data_files import knowledge_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KINDS = ("rules", "fixes", "metrics", "commands", "workloads", "devices", "pages")
_ONE = {"fixes": "fix", "metrics": "metric", "workloads": "workload", "devices": "device"}


@dataclass(frozen=True)
class CoverageRow:
    """A statement, and the names of what carries it, by kind.

    `limit` says where a part can serve nobody or a number differs, and why, `left_out` why nothing carries
    it, `seen_in` which tools look for it. `example` is the command, or several joined by `;`, that shows
    the statement, `shows` the rules and texts that stand in what it prints.
    """

    id: str
    statement: str
    covered: dict[str, tuple[str, ...]]
    limit: str
    left_out: str = ""
    seen_in: tuple[str, ...] = ()
    example: str = ""
    shows: tuple[str, ...] = ()

    @property
    def document(self) -> str:
        """The letter of its document."""
        return self.id[0]


@dataclass(frozen=True)
class Coverage:
    """The titles of the documents by letter, and their statements."""

    documents: dict[str, str]
    rows: tuple[CoverageRow, ...]


def coverage() -> Coverage:
    """The coverage of the source documents, which `coverage.toml` states."""
    return _read("coverage.toml")


def peer_patterns() -> Coverage:
    """The coverage of the patterns of other tools, which `peer_patterns.toml` states."""
    return _read("peer_patterns.toml")


@cache
def _read(file: str) -> Coverage:
    data = tomllib.loads((knowledge_folder() / file).read_text("utf-8"))
    rows = tuple(
        CoverageRow(
            one["id"],
            one["statement"],
            {kind: tuple(one[kind]) for kind in _KINDS if one.get(kind)},
            one.get("limit", ""),
            one.get("left_out", ""),
            tuple(one.get("seen_in", ())),
            one.get("example", ""),
            tuple(one.get("shows", ())),
        )
        for one in data["rows"]
    )
    return Coverage({one["id"]: one["title"] for one in data["documents"]}, rows)


def coverage_as_markdown(found: Coverage) -> str:
    """A table for each document: statement, rules, what else carries it, and what shows it."""
    parts = []
    for letter, title in found.documents.items():
        rows = [one for one in found.rows if one.document == letter]
        columns = ["#", "statement", *_seen(found, ["looked for by"]), "rules", "what else"]
        columns += _shown(found, ["shown by"])
        lines = [f"## {title}", "", _row(columns), "|" + "---|" * len(columns)]
        lines += [
            _row(
                [
                    one.id,
                    one.statement,
                    *_seen(found, [", ".join(one.seen_in)]),
                    _names(one.covered.get("rules", ())),
                    _others(one),
                    *_shown(found, [f"`{one.example}`" if one.example else ""]),
                ]
            )
            for one in rows
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _seen(found: Coverage, cells: list[str]) -> list[str]:
    """The cells, where a list names who looks for its patterns."""
    return cells if any(one.seen_in for one in found.rows) else []


def _shown(found: Coverage, cells: list[str]) -> list[str]:
    """The cells, where statements have examples."""
    return cells if any(one.example for one in found.rows) else []


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _others(row: CoverageRow) -> str:
    said = []
    for kind, names in row.covered.items():
        if kind == "rules":
            continue
        if kind == "commands":
            said.append(", ".join(f"`advisor {name}`" for name in names))
        elif kind == "pages":
            said.append(", ".join(f"[{name}](../../{name})" for name in names))
        else:
            noun = _ONE[kind] if len(names) == 1 else kind
            said.append(f"{noun} {_names(names)}")
    if row.left_out:
        said.append(f"not looked for: {row.left_out}")
    if row.limit:
        said.append(f"limit: {row.limit}")
    return "; ".join(said)
