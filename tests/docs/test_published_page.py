"""The page of published measurements beside the data: what was added later stands there with its pairs."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "benchmarks" / "published" / "data"
LATER = sorted((DATA / "aside" / "later").rglob("*.toml"))
PAGE = (ROOT / "docs" / "quality" / "published-times.md").read_text("utf-8")
OWN_DEVICES = tomllib.loads((ROOT / "benchmarks" / "published" / "devices.toml").read_text("utf-8"))


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text("utf-8"))


def _pairs(data: dict[str, Any]) -> int:
    """The pairs of measurements that share a set: n (n - 1) / 2 of n."""
    sizes = Counter(one["set"] for one in data["measurement"])
    return sum(size * (size - 1) // 2 for size in sizes.values())


def test_each_group_that_was_added_later_has_its_row_with_all_its_pairs() -> None:
    expected: Counter[str] = Counter()
    for file in LATER:
        data = _read(file)
        expected[f"{data['group']}: {data['kind']}"] += _pairs(data)
    rows = re.findall(r"^\| later \| ([^|*]+) \| (\d+) \|", PAGE, re.MULTILINE)
    assert {name: int(count) for name, count in rows} == dict(expected)
    assert f"| later | **all** | {expected.total()} |" in PAGE


@pytest.mark.parametrize("file", sorted(DATA.rglob("*.toml")), ids=lambda file: file.stem)
def test_a_file_lies_in_the_folder_of_its_half_and_names_its_source(file: Path) -> None:
    data = _read(file)
    parts = file.relative_to(DATA).parts
    assert data["half"] == ("later" if "later" in parts else parts[0])
    assert data["address"].startswith(("https://", "public file on GitHub"))
    assert len({one["kernel"] for one in data["measurement"]}) == len(data["measurement"])


def test_devices_without_a_file_of_their_own_are_like_one_that_has() -> None:
    from advisor.model.devices import find_device

    for described in OWN_DEVICES.values():
        find_device(described["like"])
    for file in LATER:
        gpu = _read(file)["gpu"]
        assert gpu in OWN_DEVICES or find_device(gpu)
