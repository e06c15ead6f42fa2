"""The kernels that were judged by reading, before any check of them: what is asked of that data."""

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

DATA = Path(__file__).parents[2] / "data" / "judged_kernels"
CAUSES = tomllib.loads((DATA / "causes.toml").read_text("utf-8"))
LEVELS = {"high", "medium", "low"}


def judged(half: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((DATA / f"{half}.json").read_text("utf-8"))
    return found


def test_there_are_enough_kernels_of_enough_repositories():
    kernels = judged("open") + judged("opened")
    assert len(kernels) >= 150
    assert len({one["repository"] for one in kernels}) >= 25
    places = [(one["repository"], one["path"], one["line"], one["kernel"]) for one in kernels]
    assert len(places) == len(set(places))


@pytest.mark.parametrize("half", ["open", "opened"])
def test_the_half_follows_from_the_name_of_the_repository(half):
    for one in judged(half):
        even = hashlib.sha256(one["repository"].encode()).digest()[0] % 2 == 0
        assert one["half"] == half == ("open" if even else "opened"), one["repository"]


def test_repositories_that_are_set_aside_are_in_no_other_half():
    halves = ("open", "opened", "open_2", "open_3", "aside", "aside_2")
    repositories = {half: {one["repository"] for one in judged(half)} for half in halves}
    assert sum(map(len, repositories.values())) == len(set().union(*repositories.values()))
    assert len(judged("aside")) >= 80
    assert {one["half"] for half in ("aside", "aside_2") for one in judged(half)} == {"aside"}


@pytest.mark.parametrize("half", ["open", "opened", "aside", "open_2", "open_3", "aside_2"])
def test_points_are_ranked_and_have_causes_that_are_defined(half):
    for one in judged(half):
        assert re.fullmatch(r"[0-9a-f]{40}", one["commit"])
        assert [point["rank"] for point in one["points"]] == list(range(1, len(one["points"]) + 1))
        assert len(one["points"]) <= 3
        for point in one["points"]:
            assert point["cause"] in CAUSES
            assert point["at"] in ("kernel", "host")
            assert point["confidence"] in LEVELS
            assert point["say"].endswith(".") and point["worth"]


def test_each_cause_is_used():
    halves = ("open", "opened", "aside")
    used = {point["cause"] for half in halves for one in judged(half) for point in one["points"]}
    assert used == set(CAUSES)
