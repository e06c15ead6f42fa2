"""The recorded launches that made-up ones are set beside: their sets, and what they hold."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "benchmarks" / "synthesis" / "data"
REPOSITORIES = tomllib.loads((DATA / "programs.toml").read_text("utf-8"))["repository"]
FURTHER = {
    name: tomllib.loads((DATA / f"programs_{name}.toml").read_text("utf-8"))["repository"]
    for name in ("later", "latest", "newest", "sixth")
}
METRICS = {
    "access": {"sectors_per_request", "ideal_sectors_per_request", "bank_conflict_ways"},
    "atomic": {"lanes_per_address"},
    "branch": {"divided"},
}


def _rows(half: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((DATA / f"true_{half}.json").read_text("utf-8"))
    return rows


def test_there_are_forty_programs_of_fifteen_repositories_with_their_commits() -> None:
    assert len(REPOSITORIES) >= 15
    assert sum(len(one["program"]) for one in REPOSITORIES) >= 40
    assert all(re.fullmatch("[0-9a-f]{40}", one["commit"]) for one in REPOSITORIES)


@pytest.mark.parametrize("half", ["open", "aside"])
def test_the_name_of_a_repository_decides_its_half(half: str) -> None:
    names = {row["repository"] for row in _rows(half)}
    even = {name for name in names if hashlib.sha256(name.encode()).digest()[0] % 2 == 0}
    assert names and even == (names if half == "open" else set())


def test_each_repository_has_recorded_kernels() -> None:
    recorded = {row["repository"] for half in ("open", "aside") for row in _rows(half)}
    assert recorded == {one["name"] for one in REPOSITORIES}


@pytest.mark.parametrize("name", FURTHER)
def test_a_further_set_has_other_repositories_each_with_its_commit_and_kernels(name: str) -> None:
    names = [one["name"] for one in FURTHER[name]]
    others = [one for key, each in FURTHER.items() if key != name for one in each]
    assert len(set(names)) == len(names) >= 15
    assert not {*names} & {one["name"] for one in (*REPOSITORIES, *others)}
    assert {*names} == {row["repository"] for row in _rows(name)}
    assert all(re.fullmatch("[0-9a-f]{40}", one["commit"]) for one in FURTHER[name])


@pytest.mark.parametrize("name", FURTHER)
def test_the_page_tells_how_many_kernels_and_programs_a_further_set_has(name: str) -> None:
    page = " ".join((ROOT / "docs" / "quality" / "synthesised-launches.md").read_text("utf-8").split())
    rows, repositories = _rows(name), FURTHER[name]
    lines, programs = sum(len(row["lines"]) for row in rows), sum(len(one["program"]) for one in repositories)
    assert (
        f"{len(rows)} kernels with {lines:,} lines, of {programs} programs of {len(repositories)} public"
        in page
    )


@pytest.mark.parametrize("half", ["open", "aside", *FURTHER])
def test_each_line_holds_counts_of_its_entity_within_their_range(half: str) -> None:
    for row in _rows(half):
        for entity, path, line, _, _, _, values, _ in row["lines"]:
            assert values and set(values) <= METRICS[entity] and line >= 0
            assert not path.startswith(("/", ".."))
            least, most = (0, 1) if entity == "branch" else (1, 32)
            assert all(least <= value <= most for value in values.values()), (row["kernel"], line, values)
