"""What outputs say of gains that the time model predicts, and of remedies one after the other."""

from __future__ import annotations

import json

import pytest

from advisor.cli.pages.diagnosis_text import remedies_in_order
from advisor.model.findings import Finding, Gain, RemedyOrder, RemedyStep, Report
from advisor.model.text.source_text import Span
from advisor.reports.outputs import RenderOptions, load_format

GAIN = Gain(2.1, "predicted", 1.9, 2.3, 1.4, 3.2, "NVIDIA A100 80GB", 1.5, "dram")
SAID = "about 2.1 times as fast (1.4 to 3.2), predicted for NVIDIA A100 80GB"
FOUND = Finding("transposed-index", "k.py", Span(3, 5, 3, 9), "step", "warning", "high", "It is.", gain=GAIN)
ORDER = RemedyOrder(
    "step", "k.py", "NVIDIA A100 80GB",
    (
        RemedyStep("transposed-index", "k.py", 3, 1.9, 2.3, "fp64"),
        RemedyStep("float64", "k.py", 4, 4.0, 4.0, "l2"),
    ),
)  # fmt: skip


def rendered(name: str) -> str:
    report = Report("NVIDIA A100 80GB", [FOUND], texts={"k.py": "a\nb\n    x = y\n"}, orders=[ORDER])
    report.shares = {"step": 0.5}
    return load_format(name).render(report, {}, RenderOptions(color=False, width=200))


@pytest.mark.parametrize("name", ["text", "short"])
def test_people_read_the_interval_and_the_device(name):
    assert SAID in rendered(name)


def test_the_short_report_tells_what_the_run_gains_of_it():
    # Half of the time becomes 2.1 times as fast: 1 / (0.5 + 0.5 / 2.1).
    assert f"{SAID}, all kernels together 1.35" in rendered("short")


def test_programs_read_the_numbers():
    content = json.loads(rendered("json"))
    assert content["findings"][0]["gain"] == {
        "speedup": 2.1, "basis": "predicted", "interval": [1.4, 3.2], "by_counts": [1.9, 2.3],
        "device": "NVIDIA A100 80GB", "of_run": 1.5, "limiter_left": "dram",
    }  # fmt: skip
    (run,) = json.loads(rendered("sarif"))["runs"]
    assert run["results"][0]["properties"]["gain"]["interval"] == [1.4, 3.2]


def test_the_order_of_remedies_is_in_the_json_report():
    (order,) = json.loads(rendered("json"))["orders"]
    assert (order["kernel"], order["device"]) == ("step", "NVIDIA A100 80GB")
    assert [(one["rule"], one["line"], one["limiter_left"]) for one in order["steps"]] == [
        ("transposed-index", 3, "fp64"), ("float64", 4, "l2"),
    ]  # fmt: skip
    assert order["steps"][1]["speedup"] == 4.0


def test_the_diagnosis_tells_what_is_left_after_each():
    assert remedies_in_order(ORDER, 200) == [
        "One after the other, predicted for NVIDIA A100 80GB",
        "  1. [transposed-index] line 3: 2.09 times as fast in all (1.9 to 2.3 by its counts), then it waits "
        "for float64 units most",
        "  2. [float64] line 4: 4 times as fast in all, then it waits for L2 bandwidth most",
    ]


@pytest.mark.parametrize(
    ("speedup", "said"),
    [(1.0, "1"), (1.04, "1.04"), (1.26, "1.3"), (8.2, "8.2"), (12.4, "12"), (0.97, "0.97")],
)
def test_a_model_says_no_more_than_it_knows(speedup, said):
    told = Gain(speedup, "predicted", device="NVIDIA L4").in_words()
    assert told == f"about {said} times as fast, predicted for NVIDIA L4"


def test_the_estimate_of_a_rule_stays_as_it_was():
    assert Gain(3.2, "at most").in_words() == "predicted at most 3.2 times as fast"
