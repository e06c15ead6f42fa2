"""Kernels whose speed nobody waits for: not to be compiled, or beside another that takes the time."""

from __future__ import annotations

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.evidence.metrics.tables import build_tables
from advisor.model.records import Record
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span
from advisor.rules import Rulebook
from advisor.rules.checking.computed_metrics import fill_in
from advisor.rules.policy import shipped_policy


@pytest.fixture(scope="module")
def shipped() -> Rulebook:
    return rulebook_for(Config(), cache=False)


def of_kernel(book: Rulebook, metric: str, entity: str, parts: list[dict[str, object]]) -> bool:
    kernel = Record("kernel", "k", "a.py", Span(1), "k", None)
    records = [Record(entity, f"p{at}", "a.py", Span(at + 2), "k", "k") for at in range(len(parts))]
    for record, known in zip(records, parts, strict=True):
        record.know("source", **known)  # type: ignore[arg-type]
    tables = build_tables([kernel, *records], book.owner_entity(), looked_for=("launch", "rejection", "name"))
    fill_in(book, tables)
    return bool(tables["kernel"].columns[metric].values[0] == 1.0)


@pytest.mark.parametrize(
    ("entity", "parts", "cannot"),
    [
        ("rejection", [{"refused": True}], True),
        ("rejection", [{"refused": False}], False),
        ("rejection", [{"refused": False}, {"refused": True}], True),
        ("name", [{"undefined": True}], True),
        ("name", [{"undefined": False}], False),
        ("name", [], False),
    ],
)
def test_kernels_that_cannot_be_compiled(
    shipped: Rulebook, entity: str, parts: list[dict[str, object]], cannot: bool
) -> None:
    assert of_kernel(shipped, "cannot_compile", entity, parts) is cannot


@pytest.mark.parametrize(
    ("launches", "beside"),
    [
        ([{"beside_walk": True}], True),
        ([{"beside_walk": True}, {"beside_walk": True}], True),
        ([{"beside_walk": True}, {"beside_walk": False}], False),
        # Of a loop with an unknown kernel nothing is known.
        ([{"beside_walk": True}, {"beside_walk": None}], True),
        ([{"beside_walk": None}], False),
        ([{"beside_walk": True}, {"beside_walk": False, "in_tests": True}], True),
        ([{"beside_walk": True, "in_tests": True}], False),
        ([], False),
    ],
)
def test_kernels_beside_dearer_ones(
    shipped: Rulebook, launches: list[dict[str, object]], beside: bool
) -> None:
    parts = [{"in_tests": False, **one} for one in launches]
    assert of_kernel(shipped, "beside_dearer", "launch", parts) is beside


@pytest.mark.parametrize(
    ("launches", "set_up"),
    [
        ([{"prepares_loop": True, "prepared_steps": None}], True),
        ([{"prepares_loop": True, "prepared_steps": 10.0}], True),
        ([{"prepares_loop": True, "prepared_steps": 3.0}], False),
        ([{"prepares_loop": True}, {"prepares_loop": True, "prepared_steps": 3.0}], False),
        ([{"prepares_loop": True}, {"prepares_loop": True, "prepared_steps": 3.0, "in_tests": True}], True),
        ([{"prepares_loop": False, "prepared_steps": None}], False),
    ],
)
def test_kernels_of_the_set_up(shipped: Rulebook, launches: list[dict[str, object]], set_up: bool) -> None:
    parts = [{"in_tests": False, **one} for one in launches]
    assert of_kernel(shipped, "in_set_up", "launch", parts) is set_up


@pytest.mark.parametrize("name", ["cannot-compile", "beside-dearer-kernel"])
def test_what_is_wrong_stays_as_loud(name: str) -> None:
    (one,) = [each for each in shipped_policy().circumstances if each.id == name]
    assert one.level == "info"
    assert "correctness" not in one.categories
    assert {"arithmetic", "memory", "local"} <= one.categories
