"""Options and configuration as they act on findings: selection, devices, levels, statistics, suppressions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from advisor_command import AdvisorHere

KERNELS = """\
import numpy as np
from numba import cuda


@cuda.jit
def sum_of_roots(a, total):
    i = cuda.grid(1)
    if i < a.size:
        total[0] += a[i] ** 0.5


def main():
    a = cuda.device_array(300_000, dtype=np.float32)
    sum_of_roots[60, 256](a, a)
    sum_of_roots[300_000 // 100, 100](a, a)
"""
POWER, RACE = ("slow-power", "kernels.py", 9), ("unordered-update", "kernels.py", 9)
GRID, WARP = ("grid-too-small", "kernels.py", 14), ("block-not-warp-multiple", "kernels.py", 15)
FAST = ("--evidence", "source")


@pytest.fixture
def advise() -> AdvisorHere:
    """The command, in this process."""
    return AdvisorHere()


@pytest.fixture
def project(workspace: Path) -> Path:
    (workspace / "kernels.py").write_text(KERNELS)
    return workspace


def test_everything_is_found(advise: AdvisorHere, project: Path) -> None:
    outcome = advise.check(*FAST, cwd=project)
    assert outcome.status == 1
    assert outcome.places == {POWER, RACE, GRID, WARP}


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["--select", "launch"], {GRID, WARP}),
        (["--select", "launch", "--ignore", "grid-*"], {WARP}),
        (["--select", "grid-too-small,slow-power"], {GRID, POWER}),
        (["--select", "slow-power", "--extend-select", "block-*"], {POWER, WARP}),
        (["--ignore", "launch,correctness"], {POWER}),
        (["--select", "arithmetic", "--ignore", "slow-power"], set()),
        (["--ignore", "slow-power", "--ignore", "unordered-update"], {GRID, WARP}),
        (["--config", 'ignore = ["launch"]', "--ignore", "slow-power"], {RACE}),
        (["--config", 'select = ["launch"]', "--select", "slow-power"], {POWER}),
        (["--config", 'rules.slow-power.level = "off"', "--select", "slow-power,grid-too-small"], {GRID}),
        (
            ["--config", 'rules.grid-too-small.params.required_blocks_per_multiprocessor = "50%"'],
            {POWER, RACE, WARP},
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_rules_are_chosen(
    advise: AdvisorHere, project: Path, argv: list[str], expected: set[tuple[str, str, int]]
) -> None:
    outcome = advise.check(*FAST, *argv, cwd=project)
    assert outcome.places == expected
    assert outcome.status == int(bool(expected))


def test_the_device_decides_what_is_too_small(advise: AdvisorHere, project: Path) -> None:
    small = advise.check(*FAST, "--device", "l4", cwd=project)
    assert small.report["device"] == "NVIDIA L4"
    assert GRID not in small.places  # 60 blocks, 58 multiprocessors
    for device in ("t4", "h200"):
        found = GRID in advise.check(*FAST, "--device", device, cwd=project).places
        assert found is (device == "h200")


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (["--fail-level", "error"], 0),
        (["--fail-level", "warning"], 1),
        (["--fail-level", "error", "--config", 'rules.slow-power.level = "error"'], 1),
        (["--select", "slow-power", "--config", 'rules.slow-power.level = "info"'], 0),
        (
            ["--fail-level", "info", "--select", "slow-power", "--config", 'rules.slow-power.level = "info"'],
            1,
        ),
        (["--exit-zero"], 0),
        (["--device", "l4", "--select", "grid-too-small"], 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_exit_status_follows_the_levels(
    advise: AdvisorHere, project: Path, argv: list[str], status: int
) -> None:
    assert advise.check(*FAST, *argv, cwd=project).status == status


def test_statistics_count_findings_and_what_stayed_undecided(advise: AdvisorHere, project: Path) -> None:
    flags = ("check", *FAST, "--statistics", "--format", "concise")
    text = advise(*flags, cwd=project).out.decode()
    counted, _, undecided = text.partition("Findings by rule\n")[2].partition(
        "Undecided for lack of evidence\n"
    )
    rows = [line.split()[:3] for line in counted.splitlines() if line]
    assert sorted(rows) == sorted(
        ["1", "warning", rule]
        for rule in ("slow-power", "unordered-update", "grid-too-small", "block-not-warp-multiple")
    )
    needs = "    needs kernel.spill_load_bytes and kernel.spill_store_bytes\n"
    assert f"register-spills  at 1 place\n{needs}" in undecided
    assert "memory-bound" in undecided
    assert "memory-bound" not in advise(*flags, "--ignore", "memory", cwd=project).out.decode()


def test_undecided_rules_are_counted_in_the_summary(advise: AdvisorHere, project: Path) -> None:
    summary = advise.check(*FAST, cwd=project).report["summary"]
    assert (summary["files"], summary["kernels"], summary["launches"]) == (1, 1, 2)
    assert (summary["findings"], summary["warning"], summary["info"], summary["error"]) == (4, 4, 0, 0)
    assert summary["undecided_rules"] > 5


def suppressed(project: Path, line: int, comment: str) -> None:
    lines = KERNELS.splitlines()
    lines[line - 1] += f"  # advisor: {comment}"
    (project / "kernels.py").write_text("\n".join(lines) + "\n")


def test_a_suppression_silences_its_rule_on_its_line(advise: AdvisorHere, project: Path) -> None:
    suppressed(project, 9, "ignore[slow-power] called once")
    outcome = advise.check(*FAST, cwd=project)
    assert outcome.places == {RACE, GRID, WARP}
    assert outcome.report["summary"]["suppressed"] == 1


def test_an_unused_suppression_is_a_finding_of_its_own(advise: AdvisorHere, project: Path) -> None:
    suppressed(project, 7, "ignore[slow-power] called once")
    outcome = advise.check(*FAST, cwd=project)
    assert outcome.places == {POWER, RACE, GRID, WARP, ("unused-suppression", "kernels.py", 7)}
    for argv in (["--ignore", "unused-suppression"], ["--ignore", "slow-power"], ["--select", "launch"]):
        assert "unused-suppression" not in advise.check(*FAST, *argv, cwd=project).rules


def test_a_suppression_is_not_unused_where_its_rule_could_not_be_decided(
    advise: AdvisorHere, compiler: None, project: Path
) -> None:
    suppressed(project, 6, "ignore[register-spills] measured, and harmless")
    assert "unused-suppression" not in advise.check(*FAST, cwd=project).rules
    assert ("unused-suppression", "kernels.py", 6) in advise.check(cwd=project).places


def test_a_suppression_without_reason_or_with_an_unknown_rule(advise: AdvisorHere, project: Path) -> None:
    suppressed(project, 9, "ignore[slow-power]")
    outcome = advise.check(*FAST, cwd=project)
    assert ("suppression-without-reason", "kernels.py", 9) in outcome.places
    assert POWER not in outcome.places
    suppressed(project, 9, "ignore[slow-powder] called once")
    outcome = advise.check(*FAST, cwd=project)
    assert ("unknown-suppression", "kernels.py", 9) in outcome.places
    assert POWER in outcome.places


def test_per_file_ignores(advise: AdvisorHere, project: Path) -> None:
    (project / "examples").mkdir()
    (project / "examples" / "kernels.py").write_text(KERNELS)
    (project / "pyproject.toml").write_text(
        '[tool.advisor]\nevidence = "source"\nper-file-ignores."examples/**" = ["launch", "slow-power"]\n'
    )
    everywhere = {POWER, RACE, GRID, WARP}
    only_there = {("unordered-update", "examples/kernels.py", 9)}
    assert advise.check(cwd=project).places == everywhere | only_there
    below = advise.check(cwd=project / "examples")
    assert below.places == {RACE}
    assert advise.check("--isolated", *FAST, "examples", cwd=project).report["summary"]["findings"] == 4


def test_the_output_file_holds_the_report(advise: AdvisorHere, project: Path) -> None:
    target = project / "report.json"
    outcome = advise("check", *FAST, "--format", "json", "--output", "report.json", cwd=project)
    assert (outcome.status, outcome.out) == (1, b"")
    shown = advise.check(*FAST, cwd=project)
    assert json.loads(target.read_text("utf-8")) == shown.report
    refused = advise("check", *FAST, "--output", "kernels.py", cwd=project)
    assert refused.status == 2
    assert (project / "kernels.py").read_text() == KERNELS
