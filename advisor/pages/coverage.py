"""What the source documents ask for, and what carries each statement, from `knowledge/coverage.toml`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache

from advisor.data_files import knowledge_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KINDS = ("rules", "fixes", "metrics", "commands", "workloads", "devices", "pages")


@dataclass(frozen=True)
class CoverageRow:
    """A statement of a document, and the names of what carries it, by kind; `open` says what is missing."""

    id: str
    statement: str
    carried: dict[str, tuple[str, ...]]
    open: str

    @property
    def document(self) -> str:
        """The letter of its document."""
        return self.id[0]


@dataclass(frozen=True)
class Coverage:
    """The titles of the documents by letter, and their statements."""

    documents: dict[str, str]
    rows: tuple[CoverageRow, ...]


@cache
def coverage() -> Coverage:
    """The coverage that the knowledge base states."""
    data = tomllib.loads((knowledge_folder() / "coverage.toml").read_text("utf-8"))
    rows = tuple(
        CoverageRow(
            one["id"],
            one["statement"],
            {kind: tuple(one[kind]) for kind in _KINDS if one.get(kind)},
            one.get("open", ""),
        )
        for one in data["rows"]
    )
    return Coverage({one["id"]: one["title"] for one in data["documents"]}, rows)


def coverage_as_markdown(found: Coverage) -> str:
    """A table for each document: statement, rules, and what else carries it."""
    parts = []
    for letter, title in found.documents.items():
        rows = [one for one in found.rows if one.document == letter]
        lines = [f"## {title}", "", "| # | statement | rules | what else |", "|---|---|---|---|"]
        lines += [
            f"| {one.id} | {one.statement} | {_names(one.carried.get('rules', ()))} | {_others(one)} |"
            for one in rows
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _others(row: CoverageRow) -> str:
    said = []
    for kind, names in row.carried.items():
        if kind == "rules":
            continue
        if kind == "commands":
            said.append(", ".join(f"`advisor {name}`" for name in names))
        elif kind == "pages":
            said.append(", ".join(f"[{name}](../{name})" for name in names))
        else:
            noun = kind[:-1] if len(names) == 1 else kind
            said.append(f"{noun} {_names(names)}")
    if row.open:
        said.append(f"**open: {row.open}**")
    return "; ".join(said)
