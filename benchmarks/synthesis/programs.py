"""The programs of public repositories whose launches are known, and the set that each repository belongs to.

What is learnt from the open half may change the program; the half set aside is only measured. A repository is
open where the first byte of the SHA-256 of its name, OWNER/NAME, is even: the rule was fixed before anything
was compared. Further sets have other repositories: each was measured once and then opened. Of a set that is
closed totals alone are told.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

DATA = Path(__file__).parent / "data"
HALVES = ("open", "aside")
# Sets with a list of programs of their own; nothing is learnt from those that are closed.
FURTHER = ("later", "latest", "newest", "sixth")
CLOSED: frozenset[str] = frozenset()
SETS = (*HALVES, *FURTHER)
# What launches that are made up tell of a line; totals, hit rates and times belong to a launch's sizes.
METRICS = (
    "sectors_per_request", "ideal_sectors_per_request", "bank_conflict_ways", "lanes_per_address", "divided",
)  # fmt: skip


def half_of(repository: str) -> str:
    """The half of a repository, by its name OWNER/NAME."""
    return HALVES[hashlib.sha256(repository.encode()).digest()[0] % 2]


def folder_name(repository: str) -> str:
    """The name of the folder that holds a repository's checkout."""
    return repository.replace("/", "+")


@dataclass(frozen=True)
class Program:
    """A program that was run by `advisor run`: what it runs, and where its arrays and sizes come from."""

    repository: str
    commit: str
    path: str
    sizes: str


def programs(further: str | None = None) -> list[Program]:
    """The programs of both halves, or those of a further set, in the order of their list."""
    name = f"programs_{further}.toml" if further else "programs.toml"
    rows = tomllib.loads((DATA / name).read_text("utf-8"))
    return [
        Program(repository["name"], repository["commit"], row["path"], row["sizes"])
        for repository in rows["repository"]
        for row in repository["program"]
    ]


@dataclass(frozen=True)
class TrueLine:
    """The counts of one line in a launch that took place: an access, an atomic operation or a branch.

    `lanes` is how many lanes of a request were active on average, None for a branch.
    """

    entity: str
    path: str
    line: int
    array: str
    space: str
    kind: str
    values: dict[str, float]
    lanes: float | None

    @property
    def place(self) -> tuple[str, str, int, str, str, str]:
        """What this line is compared by."""
        return self.entity, self.path, self.line, self.array, self.space, self.kind


@dataclass(frozen=True)
class TrueKernel:
    """The launch that a kernel is judged by, of all that its programs made: its shape, types and lines."""

    repository: str
    path: str
    name: str
    line: int
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: tuple[str, ...]
    lines: tuple[TrueLine, ...]

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What this kernel is found by."""
        return self.repository, self.path, self.name, self.line


def true_kernels(which: str) -> list[TrueKernel]:
    """The recorded kernels of a set."""
    rows = json.loads((DATA / f"true_{which}.json").read_text("utf-8"))
    return [
        TrueKernel(
            row["repository"],
            row["path"],
            row["kernel"],
            row["line"],
            tuple(row["grid"]),
            tuple(row["block"]),
            tuple(row["arguments"]),
            tuple(TrueLine(*one) for one in row["lines"]),
        )
        for row in rows
    ]


def write_true_kernels(which: str, kernels: Iterable[TrueKernel]) -> None:
    """Write the recorded kernels of a set, a line of the file for each of their lines."""
    parts = [_as_text(one) for one in sorted(kernels, key=lambda one: one.key)]
    (DATA / f"true_{which}.json").write_text("[\n" + ",\n".join(parts) + "\n]\n", "utf-8")


def _as_text(kernel: TrueKernel) -> str:
    head: dict[str, Any] = {
        "repository": kernel.repository, "path": kernel.path, "kernel": kernel.name, "line": kernel.line,
        "grid": kernel.grid, "block": kernel.block, "arguments": kernel.arguments,
    }  # fmt: skip
    rows = [
        json.dumps([one.entity, one.path, one.line, one.array, one.space, one.kind, one.values, one.lanes])
        for one in kernel.lines
    ]
    return json.dumps(head)[:-1] + ', "lines": [\n  ' + ",\n  ".join(rows) + "\n]}"
