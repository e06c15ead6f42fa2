"""The tables in knowledge/imports: they name metrics that exist, in the units these have."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.check.rulebook import rulebook_for
from advisor.evidence.measured.reports.formulas import evaluate, parsed
from advisor.evidence.measured.reports.mapping import ENTITIES, counters_beside, entries
from advisor.evidence.measured.reports.reading.printed_numbers import Notation, notation_of
from advisor.evidence.measured.reports.reading.printed_units import in_base_unit
from advisor.evidence.measured.reports.report import Quantity
from advisor.model.settings.config import Config

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TOOLS = ("ncu", "nsys", "torch", "rocprof", "nvidia_smi")
ROOT = Path(__file__).parents[4]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("entity", ENTITIES)
def test_every_entry_gives_a_declared_metric_in_its_unit(tool: str, entity: str) -> None:
    rulebook = rulebook_for(Config())
    for entry in entries(tool, entity):  # type: ignore[arg-type]
        metric = rulebook.metric(entity, entry.metric)
        assert metric is not None, entry.metric
        assert metric.unit.name == entry.unit, entry.metric


def test_every_file_of_the_folder_is_a_table_that_is_read() -> None:
    assert {file.stem for file in (ROOT / "knowledge/imports").glob("*.toml")} == {*TOOLS, "units", "calls"}


def test_at_least_forty_metrics_of_nsight_compute() -> None:
    assert len({entry.metric for entry in entries("ncu", "kernel")}) >= 40


def test_what_kernel_rules_need_can_be_imported() -> None:
    """The cookbook's rules, and those that only counters can decide."""
    mapped = {entry.metric for entry in entries("ncu", "kernel")}
    assert mapped >= {
        "achieved_occupancy", "warp_execution_efficiency", "ai_flops_per_byte", "dram_norm", "latency_ms",
        "l2_hit_rate", "theoretical_occupancy", "occupancy_limiter", "resident_blocks", "registers",
    }  # fmt: skip


def test_tables_are_valid_toml_without_unknown_keys() -> None:
    known = {"metric", "unit", "from", "value", "optional", "choose", "zero", "total"}
    for tool in TOOLS:
        groups = tomllib.loads((ROOT / f"knowledge/imports/{tool}.toml").read_text("utf-8"))
        for entity in ENTITIES:
            assert all(set(group) <= known for group in groups.get(entity, ())), tool


@pytest.mark.parametrize(
    ("value", "unit", "base", "kind"),
    [
        (1.5, "Kbyte", 1500, "byte"),
        (1.5, "Mbyte", 1.5e6, "byte"),
        (2, "Gbyte/s", 2e9, "byte/s"),
        (2, "Tbyte/second", 2e12, "byte/s"),
        (35, "%", 0.35, "ratio"),
        (7, "usecond", 0.007, "time"),
        (7, "register/thread", 7, "count"),
        (9, "Kbyte/block", 9000, "byte"),
        (3, "inst/cycle", 3, "count"),
        (1.2, "Ghz", None, None),
        (4, "", 4, "count"),
        (3, "KiB", 3072, "byte"),
    ],
)
def test_units_as_they_are_printed(value: float, unit: str, base: float | None, kind: str | None) -> None:
    assert in_base_unit(Quantity(value, unit)) == (None if base is None else (pytest.approx(base), kind))


@pytest.mark.parametrize(
    ("texts", "decimal", "certain"),
    [
        (["1,234.50", "3"], ".", True),
        (["65,77", "27.595.520"], ",", True),
        (["1.234,5"], ",", True),
        (["117.344"], ".", False),
        (["117.344", "65,77"], ",", True),
        (["117,344", "65.77"], ".", True),
        (["12", "n/a"], ".", True),
        (["65,77", "65.77", "12.5"], ".", False),
    ],
)
def test_commas_and_points(texts: list[str], decimal: str, certain: bool) -> None:
    assert notation_of(texts) == Notation(decimal, certain)


@pytest.mark.parametrize(
    ("text", "decimal", "number"),
    [
        ("1,234,567", ".", 1_234_567),
        ("1.234.567", ",", 1_234_567),
        ("117.344", ",", 117_344),
        ("1'234.5", ".", 1234.5),
        ("1\u202f234,5", ",", 1234.5),
        ("3.5e-05", ".", 3.5e-5),
        ("n/a", ".", None),
        ("nan", ".", None),
        ("inf", ".", None),
        ("PolicySpread", ".", None),
    ],
)
def test_numbers_as_they_are_printed(text: str, decimal: str, number: float | None) -> None:
    assert Notation(decimal).number(text) == number


@given(st.floats(min_value=0, max_value=1e15, allow_nan=False))
def test_what_python_prints_in_thousands_is_read_back(value: float) -> None:
    text = f"{value:,.6f}"
    assert Notation(".").number(text) == float(f"{value:.6f}")
    swapped = text.translate(str.maketrans(",.", ".,"))
    assert Notation(",").number(swapped) == float(f"{value:.6f}")


def test_formulas_are_arithmetic_only() -> None:
    assert evaluate("(a + 2 * b) / max(c, 1)", {"a": 1.0, "b": 2.0, "c": 0.5}) == 5.0
    assert evaluate("a / b", {"a": 1.0, "b": 0.0}) is None
    for text in ("__import__('os')", "a.b", "a if b else c", "open(a)", "a +", "[1]", "'x'"):
        with pytest.raises(ValueError, match=r"formula|calls"):
            parsed(text)


def test_a_counter_that_says_nothing_alone_names_the_one_that_it_lacks() -> None:
    sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
    found = counters_beside("ncu", [sectors], [sectors, "unknown.sum"])
    assert found == {sectors: (requests, "global_sectors_per_request")}
    assert counters_beside("ncu", ["unknown.sum"], [sectors, "unknown.sum"]) == {}
