"""`advisor check` with nothing replaced: bad input and configuration, with source evidence only."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

# The else branch is never reached by some threads of the block: a barrier there is an error of the program.
DIVERGENT = """from numba import cuda


@cuda.jit
def half(a):
    i = cuda.threadIdx.x
    if i < 16:
        cuda.syncthreads()
    a[i] = i
"""


@pytest.fixture
def check(advisor: Run, project: Path) -> Run:
    def run(*argv: str) -> Any:
        return advisor("check", "--evidence", "source", "--no-cache", "--format", "json", *argv)

    return run


def rules_found(outcome: Any) -> set[str]:
    return {finding["rule"] for finding in json.loads(outcome.out)["findings"]}


@pytest.fixture
def barrier_rule(check: Run, project: Path) -> str:
    """The id of the rule about barriers that only a part of the block reaches."""
    (project / "k.py").write_text(DIVERGENT)
    (rule,) = [rule for rule in rules_found(check("k.py")) if "barrier" in rule]
    return rule


def test_a_finding_stands_at_its_line(check: Run, project: Path, barrier_rule: str) -> None:
    (finding,) = [row for row in json.loads(check("k.py").out)["findings"] if row["rule"] == barrier_rule]
    assert (finding["path"], finding["line"], finding["kernel"]) == ("k.py", 8, "half")


def test_select_ignore_and_level(check: Run, barrier_rule: str) -> None:
    assert rules_found(check("--select", barrier_rule)) == {barrier_rule}
    assert barrier_rule not in rules_found(check("--ignore", barrier_rule))
    assert barrier_rule not in rules_found(check("--config", f'rules.{barrier_rule}.level = "off"'))
    assert barrier_rule not in rules_found(check("--config", f'per-file-ignores."k.py" = ["{barrier_rule}"]'))
    assert check("--select", barrier_rule, "--config", f'rules.{barrier_rule}.level = "info"').status == 0


def test_a_suppression_silences_and_an_unused_one_is_reported(
    check: Run, project: Path, barrier_rule: str
) -> None:
    source = project / "k.py"
    source.write_text(
        DIVERGENT.replace("syncthreads()", f"syncthreads()  # advisor: ignore[{barrier_rule}] one warp")
    )
    assert not rules_found(check()) & {barrier_rule, "unused-suppression"}
    source.write_text(DIVERGENT.replace("a[i] = i", f"a[i] = i  # advisor: ignore[{barrier_rule}] one warp"))
    assert rules_found(check()) >= {barrier_rule, "unused-suppression"}
    assert "unused-suppression" not in rules_found(check("--ignore", "unused-suppression"))


def test_an_unknown_rule_or_device_is_wrong_use(check: Run) -> None:
    for argv in (["--select", "nosuch"], ["--ignore", "nosuch"], ["--device", "voodoo2"]):
        outcome = check(*argv)
        assert (outcome.status, outcome.out) == (2, "")
        assert outcome.err.startswith("advisor: error: ")


@pytest.mark.parametrize(
    "content",
    [
        b"from numba import cuda\n@cuda.jit\ndef k(a:\n    pass\n",
        DIVERGENT.encode() + b"x = '\xff'\n",
        DIVERGENT.encode() + b"\0\n",
        b"# coding: no-such-encoding\n" + DIVERGENT.encode(),
    ],
    ids=["syntax", "encoding", "null byte", "coding line"],
)
def test_a_bad_file_is_an_error_with_its_place_and_the_others_go_on(
    check: Run, project: Path, barrier_rule: str, content: bytes
) -> None:
    (project / "bad.py").write_bytes(content)
    outcome = check()
    (error,) = json.loads(outcome.out)["errors"]
    assert outcome.status == 2
    assert error["path"] == "bad.py"
    assert error["line"] >= 1
    assert error["message"]
    assert barrier_rule in rules_found(outcome)
    assert check("bad.py").status == 2


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="every file is readable to this user"
)
def test_an_unreadable_file_is_an_error_and_the_others_go_on(
    check: Run, project: Path, barrier_rule: str
) -> None:
    (project / "secret.py").write_text(DIVERGENT)
    (project / "secret.py").chmod(0)
    outcome = check()
    assert [error["path"] for error in json.loads(outcome.out)["errors"]] == ["secret.py"]
    assert barrier_rule in rules_found(outcome)


def test_a_module_is_never_imported(check: Run, project: Path) -> None:
    (project / "k.py").write_text("open('trace', 'w').close()\n" + DIVERGENT)
    assert check("--no-run").status in (0, 1)
    assert not (project / "trace").exists()


def test_a_comment_that_the_configuration_doubles_is_not_called_unused(
    check: Run, project: Path, barrier_rule: str
) -> None:
    silenced = f"syncthreads()  # advisor: ignore[{barrier_rule}] one warp"
    (project / "k.py").write_text(DIVERGENT.replace("syncthreads()", silenced))
    found = rules_found(check("--config", f'per-file-ignores."k.py" = ["{barrier_rule}"]'))
    assert not found & {barrier_rule, "unused-suppression"}


def test_a_comment_for_a_rule_that_could_not_be_judged_is_not_called_unused(
    check: Run, project: Path, barrier_rule: str
) -> None:
    # Only the machine code decides about float64.
    text = DIVERGENT.replace("a[i] = i", "a[i] = i * 0.5  # advisor: ignore[float64-promotion] meant so")
    (project / "k.py").write_text(text)
    assert "unused-suppression" not in rules_found(check())


def test_an_unknown_rule_for_a_file_is_wrong_use(check: Run, barrier_rule: str) -> None:
    outcome = check("--config", 'per-file-ignores."k.py" = ["barier-in-divergent-branch"]')
    assert outcome.status == 2
    assert "per-file-ignores, 'k.py'" in outcome.err
    assert "barrier-in-divergent-branch" in outcome.err
