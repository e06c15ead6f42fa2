"""One project with a broken file, random bytes, a broken pack, a factory of kernels and an empty folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from advisor_command import AdvisorHere

from advisor.reports.outputs import available_formats

GOLDEN = Path(__file__).parent / "golden"
HALF_TYPED = """\
from numba import cuda


@cuda.jit
def half(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] **


@cuda.jit
def whole(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] ** 0.5
"""
FACTORY = """\
from numba import cuda


def make(power):
    @cuda.jit
    def kernel(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] = a[i] ** 0.5 + power

    return kernel
"""
RULES = """\
rule no-such-metric "No such metric" {
  for each kernel k
  when k.registrs > 3
  severity warning  confidence high  effort low
  say "{k}"
  why "It is."
  try "Do not."
  source "House rules" at "One"
  example fires "one" { k.registers = 4 }
  example silent "two" { k.registers = 2 }
}
"""
FORMATS = available_formats()


@pytest.fixture
def advise() -> AdvisorHere:
    """The command in this process: a check has no process of its own to be tested here."""
    return AdvisorHere()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    for folder in (".git", "empty", "house"):
        (project / folder).mkdir(parents=True)
    (project / "advisor.toml").write_text('evidence = "source"\npacks = ["house"]\n')
    (project / "house" / "no-such-metric.rules").write_text(RULES)
    (project / "half_typed.py").write_text(HALF_TYPED)
    (project / "factory.py").write_text(FACTORY)
    (project / "without_cuda.py").write_text("def f(:\n    pass\n")
    (project / "random_bytes.py").write_bytes(bytes(range(128, 256)))
    (project / "plain.py").write_text("x = 1\n")
    return project


@pytest.mark.parametrize("name", ["text", "concise"])
def test_what_is_printed(advise: AdvisorHere, tree: Path, name: str, request: pytest.FixtureRequest) -> None:
    outcome = advise("check", "--no-cache", "--format", name, ".", "empty", cwd=tree)
    file = GOLDEN / f"tree.{name}.txt"
    if request.config.getoption("--renew-golden", default=False):
        file.write_bytes(outcome.out)
    assert outcome.err == ""
    assert outcome.out == file.read_bytes()
    assert outcome.status == 2


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_carries_the_errors(advise: AdvisorHere, tree: Path, name: str) -> None:
    outcome = advise("check", "--no-cache", "--format", name, ".", "empty", cwd=tree)
    text = outcome.out.decode()
    assert outcome.status == 2
    places = ("half_typed.py", "without_cuda.py", "random_bytes.py", "house/no-such-metric.rules", "empty")
    if name == "short":  # three of them, and how many more
        assert len(re.findall(r" error\[not-checked\]", text)) == 3
        assert re.search(r"^\d+ more problems: advisor check --all$", text, re.MULTILINE)
    else:
        assert all(place in text for place in places)
    assert "slow-power" in text


def test_places_of_the_errors(advise: AdvisorHere, tree: Path) -> None:
    report = advise.check("--no-cache", ".", "empty", cwd=tree).report
    places = {(error["path"], error["line"], error["column"]) for error in report["errors"]}
    assert places == {
        ("half_typed.py", 8, 25),
        ("without_cuda.py", 1, 7),
        ("random_bytes.py", 1, 1),
        ("house/no-such-metric.rules", 3, 8),
        ("empty", 0, 1),
    }
    assert not any(error["checked"] for error in report["errors"])


def test_the_kept_report_says_the_same_again(advise: AdvisorHere, tree: Path) -> None:
    first, second = (advise.check(".", cwd=tree) for _ in range(2))
    assert (first.status, first.out) == (second.status, second.out)
    assert first.status == 2


@pytest.mark.parametrize(
    ("gone", "kept"), [("half_typed.py", 2), ("without_cuda.py", 2), ("random_bytes.py", 2), ("house", 2)]
)
def test_each_alone_is_status_2(advise: AdvisorHere, tree: Path, gone: str, kept: int) -> None:
    for name in {"half_typed.py", "without_cuda.py", "random_bytes.py"} - {gone}:
        (tree / name).unlink()
    if gone != "house":
        (tree / "advisor.toml").write_text('evidence = "source"\n')
    assert advise.check("--no-cache", cwd=tree).status == kept


def test_without_what_is_wrong_there_is_the_finding_and_status_1(advise: AdvisorHere, tree: Path) -> None:
    for name in ("half_typed.py", "without_cuda.py", "random_bytes.py"):
        (tree / name).unlink()
    (tree / "advisor.toml").write_text('evidence = "source"\n')
    outcome = advise.check("--no-cache", cwd=tree)
    assert (outcome.status, outcome.errors) == (1, [])
    assert outcome.places == {("slow-power", "factory.py", 9)}
    # An empty folder below a named one is no concern of anybody's.
    assert advise.check("--no-cache", "plain.py", cwd=tree).status == 0


def test_a_syntax_error_is_left_alone_by_fix(advise: AdvisorHere, tree: Path) -> None:
    debug = HALF_TYPED.replace("@cuda.jit\ndef whole", "@cuda.jit(debug=True, opt=False)\ndef whole")
    (tree / "half_typed.py").write_text(debug)
    outcome = advise("check", "--no-cache", "--fix", "--unsafe-fixes", "half_typed.py", cwd=tree)
    assert outcome.status == 2
    assert (tree / "half_typed.py").read_text() == debug
    fixes = [
        fix
        for finding in advise.check("--no-cache", "half_typed.py", cwd=tree).findings
        for fix in finding["fixes"]
    ]
    assert not any("edits" in fix for fix in fixes)
    shown = advise("check", "--no-cache", "--diff", "--unsafe-fixes", "half_typed.py", cwd=tree)
    assert (shown.status, shown.out) == (2, b"")
    assert "advisor: error: half_typed.py:8:25: syntax error: invalid syntax" in shown.err


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ('packs = ["houze"]', "advisor.toml:2: packs: `houze` is neither a folder nor an installed pack."),
        ('packs = [\n  "house",\n  "gone",\n]', "advisor.toml:4: packs: `gone` is neither a folder"),
    ],
)
def test_what_is_configured_and_missing_is_said_with_its_place(
    advise: AdvisorHere, tree: Path, setting: str, said: str
) -> None:
    (tree / "advisor.toml").write_text(f'evidence = "source"\n{setting}\n')
    outcome = advise("check", "--no-cache", cwd=tree)
    assert (outcome.status, outcome.out) == (2, b"")
    assert said in outcome.err


def test_a_pack_without_rules_is_said(advise: AdvisorHere, tree: Path) -> None:
    (tree / "advisor.toml").write_text('evidence = "source"\npacks = ["empty"]\n')
    outcome = advise.check("--no-cache", "factory.py", cwd=tree)
    assert outcome.status == 2
    assert outcome.errors == [("empty", 0, "no rule files in this pack; advisor.toml:2: packs names it")]


def test_a_missing_baseline_is_said(advise: AdvisorHere, tree: Path) -> None:
    outcome = advise("check", "--no-cache", "--baseline", "gone.json", "plain.py", cwd=tree)
    assert outcome.status == 2
    assert "--baseline gone.json: there is no such file; --write-baseline writes it." in outcome.err


def test_sarif_says_that_the_run_was_not_whole(advise: AdvisorHere, tree: Path) -> None:
    outcome = advise("check", "--no-cache", "--format", "sarif", cwd=tree)
    (invocation,) = json.loads(outcome.out)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    levels = [one["level"] for one in invocation["toolExecutionNotifications"]]
    assert levels.count("error") == 4
