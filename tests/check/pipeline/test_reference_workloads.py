"""`advisor check kernels/`: the nine first versions are told what is slow, the improved ones are clean."""

from __future__ import annotations

import ast

import pytest
from advisor_command import PROGRAM, AdvisorCommand, Outcome

WORKLOADS = (
    "ar_forecast",
    "conv2d",
    "dendritic_integration",
    "dot_product",
    "image_segmentation",
    "lstm_cell_forward",
    "matrix_multiply",
    "pixel_entropy",
    "vector_add",
)


@pytest.fixture(scope="module")
def runs(
    advise: AdvisorCommand, compiler: None, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Outcome, Outcome]:
    """A run with an empty cache, and one that finds what the first kept."""
    cache = f"cache-dir='{(tmp_path_factory.mktemp('kept') / 'cache').as_posix()}'"
    cold, warm = (advise.check("kernels/", "--config", cache, cwd=PROGRAM) for _ in range(2))
    return cold, warm


@pytest.fixture(scope="module")
def outcome(runs: tuple[Outcome, Outcome]) -> Outcome:
    return runs[0]


def lines_of(workload: str, version: str) -> set[int]:
    """The lines of one version's kernel and of the function that launches it."""
    tree = ast.parse((PROGRAM / "kernels" / f"{workload}.py").read_text("utf-8"))
    names = (f"{workload}_{version}", f"run_{version}")
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
    assert [node.name for node in found] == list(names)
    return {line for node in found for line in range(node.lineno, (node.end_lineno or 0) + 1)}


def test_these_are_all_workloads() -> None:
    files = {file.stem for file in (PROGRAM / "kernels").glob("*.py")}
    assert files == {*WORKLOADS, "__init__", "workload"}


def test_everything_was_read_and_compiled(outcome: Outcome) -> None:
    assert outcome.status == 1
    assert outcome.errors == []
    assert outcome.report["summary"]["kernels"] == 2 * len(WORKLOADS)
    assert outcome.report.get("notices", []) == []


@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_first_version_has_a_finding_at_its_kernel_or_launch(outcome: Outcome, workload: str) -> None:
    lines = lines_of(workload, "first")
    sources = [
        {evidence["source"] for evidence in finding["evidence"]}
        for finding in outcome.findings
        if finding["path"] == f"kernels/{workload}.py"
        and finding["line"] in lines
        and finding["severity"] != "info"
    ]
    assert sources
    assert all(found & {"source", "compiled", "simulated"} for found in sources)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_an_improved_version_has_no_finding_worth_a_warning(outcome: Outcome, workload: str) -> None:
    lines = lines_of(workload, "improved")
    assert [
        (finding["rule"], finding["line"])
        for finding in outcome.findings
        if finding["path"] == f"kernels/{workload}.py"
        and finding["severity"] != "info"
        and (finding["line"] in lines or (finding["kernel"] or "").endswith("_improved"))
    ] == []


def test_no_warning_stands_outside_the_first_versions(outcome: Outcome) -> None:
    places = {
        (f"kernels/{workload}.py", line) for workload in WORKLOADS for line in lines_of(workload, "first")
    }
    loud = {
        (finding["path"], finding["line"]) for finding in outcome.findings if finding["severity"] != "info"
    }
    assert loud <= places


def test_machine_code_speaks_too(outcome: Outcome) -> None:
    sources = {evidence["source"] for finding in outcome.findings for evidence in finding["evidence"]}
    assert sources >= {"source", "compiled"}


def test_the_second_run_says_the_same_byte_by_byte(runs: tuple[Outcome, Outcome]) -> None:
    cold, warm = runs
    assert warm == cold
