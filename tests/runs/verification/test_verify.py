"""`advisor verify`: verdicts on fixes by running them, kept and shown, and versions compared."""

from __future__ import annotations

import json
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from program_in_process import run_advisor
from recorded_project import replacing

from advisor.check.pipeline import check
from advisor.fixes.proofs import ProofStore
from advisor.model.findings import Proof
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config
from advisor.runs.verification.verification import verify

KERNEL = '''\
"""A kernel with a power."""
import numpy as np
from numba import cuda


@cuda.jit
def cube(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] ** 3.0


def workload():
    a = np.linspace(0, 2, 200_000, dtype=np.float32)
    cube[1024, 256](cuda.to_device(a), cuda.device_array(200_000, np.float32))
'''


def options(folder: Path) -> CheckOptions:
    settings = load_config(folder)
    return CheckOptions(
        "a100-80gb", folder, "simulated", select=("slow-power",), settings=settings, workspace_files=()
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.advisor]\n")
    (tmp_path / "k.py").write_text(KERNEL)
    return tmp_path


def test_a_fix_that_helps_is_proven_and_shown_beside_the_finding(project: Path) -> None:
    (one,) = verify([project / "k.py"], options(project)).verified
    assert one.candidate.fix == "power-to-product"
    assert one.judgement.verdict == "predicted faster"
    assert one.judgement.speedup > 1.5
    assert one.judgement.comparison.agreement in ("equal", "within tolerance")
    assert (project / "k.py").read_text() == KERNEL
    (finding,) = check([project / "k.py"], options(project)).findings
    (fix,) = [fix for fix in finding.fixes if fix.edits]
    assert fix.proof == one.judgement.proof()
    (entry,) = ProofStore(project).ledger()
    assert (entry.rule, entry.fix, entry.kernel) == ("slow-power", "power-to-product", "cube")
    assert entry.achieved == one.judgement.speedup
    # Another kernel text is another matter: what was proven is proven no more.
    (project / "k.py").write_text(KERNEL.replace("out[i] = a", "out[i] = 1 + a"))
    (finding,) = check([project / "k.py"], options(project)).findings
    assert [fix.proof for fix in finding.fixes if fix.edits] == [None]


VERDICTS = [
    ("a[i] ** 3.0", "a[i + 1] * a[i] * a[i]", "results differ", "out of bounds"),
    ("a[i] ** 3.0", "(a[i] ** 4.0) ** 0.25 * (a[i] ** 2.0) ** 1.0", "predicted slower", "1 output equal"),
    ("if i < out.size:", "if i < (out.size:", "cannot tell", "no Python"),
]


@pytest.mark.parametrize(("old", "new", "verdict", "said"), VERDICTS)
def test_verdicts(project: Path, monkeypatch, old: str, new: str, verdict: str, said: str) -> None:
    replacing(monkeypatch, old, new)
    (one,) = verify([project / "k.py"], options(project)).verified
    assert one.judgement.verdict == verdict, one.judgement
    assert said in one.judgement.detail
    (finding,) = check([project / "k.py"], options(project)).findings
    withdrawn = verdict in ("results differ", "predicted slower")
    (fix,) = [fix for fix in finding.fixes if fix.id == "replacing"]
    assert fix.proof.withdraws == withdrawn
    assert bool(fix.edits) != withdrawn
    assert len(ProofStore(project).ledger()) == (verdict != "cannot tell")


TRANSPOSE = """\
import numpy as np
from numba import cuda


@cuda.jit
def transpose(a, b):
    x, y = cuda.grid(2)
    if x < a.shape[1] and y < a.shape[0]:
        b[x, y] = a[y, x]


def workload():
    a = cuda.to_device(np.arange(256 * 256, dtype=np.float32).reshape(256, 256))
    b = cuda.device_array((256, 256), np.float32)
    transpose[(8, 8), (32, 32)](a, b)
"""


def test_a_padded_tile_is_predicted_faster(project: Path) -> None:
    (project / "k.py").write_text(TRANSPOSE)
    every = replace(options(project), select=("memory",))
    found = verify([project / "k.py"], every).verified
    (one,) = [each for each in found if each.candidate.fix == "stage-shared-tile"]
    # Naive: each of 2,048 warps stores 32 lines of which it writes four bytes. Such transposes are published
    # to be 2.3 to 5.4 times slower than through a padded tile (benchmarks/published).
    assert one.judgement.verdict == "predicted faster"
    assert one.judgement.speedup is not None and 2.0 < one.judgement.speedup < 6.0
    (fix,) = [
        fix
        for finding in check([project / "k.py"], every).findings
        for fix in finding.fixes
        if fix.id == "stage-shared-tile"
    ]
    assert fix.edits


@pytest.mark.parametrize(
    ("kept", "evidence", "now"),
    [
        ("slower", "simulated on X", None),
        ("proven faster", "simulated on X", None),
        ("proven faster", "measured on X", "measured faster"),
        ("slower", "measured on X", "measured slower"),
        ("results differ", "simulated on X", "results differ"),
        ("predicted slower", "simulated on X", "predicted slower"),
    ],
)
def test_former_verdicts_hold_where_they_were_measured(tmp_path: Path, kept, evidence, now) -> None:
    store = ProofStore(tmp_path)
    store.add("a100", ["digest"], "a-fix", Proof(kept, 0.5, evidence, ""), ())
    found = store.proofs("a100").get(("a-fix", "digest"))
    assert (found.verdict if found else None) == now


def test_without_a_workload_nothing_can_be_told(project: Path) -> None:
    (project / "k.py").write_text(KERNEL[: KERNEL.index("def workload")])
    (one,) = verify([project / "k.py"], options(project)).verified
    assert one.judgement.verdict == "cannot tell"
    assert "there is no workload" in one.judgement.detail


def test_a_workload_that_fails_is_said(project: Path) -> None:
    (project / "k.py").write_text(
        KERNEL.replace("def workload():", "def workload():\n    raise ValueError('no data')")
    )
    (one,) = verify([project / "k.py"], options(project)).verified
    assert one.judgement.verdict == "cannot tell"
    assert "ValueError: no data" in one.judgement.detail


def test_the_command_and_what_check_and_the_ledger_say_afterwards(project: Path) -> None:
    done = run_advisor(project, "verify", "--select", "slow-power", "k.py")
    assert done.returncode == 0, done.stderr
    assert "k.py: cube\n  predicted faster (" in done.stdout
    assert "Verified 1 fix on a simulated NVIDIA A100 80GB: 1 predicted faster." in done.stdout
    short = " ".join(run_advisor(project, "check", "--select", "slow-power", "k.py").stdout.split())
    assert "gain: predicted " in short and "; predicted faster, " in short
    shown = run_advisor(project, "check", "--select", "slow-power", "--all", "k.py").stdout
    assert "Predicted faster (" in shown
    objects = json.loads(
        run_advisor(project, "check", "--select", "slow-power", "--format", "json", "k.py").stdout
    )
    (fix,) = [fix for fix in objects["findings"][0]["fixes"] if "proof" in fix]
    assert fix["proof"]["verdict"] == "predicted faster" and fix["withdrawn"] is False
    listed = run_advisor(project, "rules", "list", "--calibration").stdout.splitlines()
    (line,) = [line for line in listed if line.startswith("slow-power ")]
    assert "1 of 1" in line
    (other,) = [line for line in listed if line.startswith("warp-divergence ")]
    assert "no estimate" in other


SLOW = """\
import numpy as np
from numba import cuda

@cuda.jit
def slow(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] ** 3.0

def workload():
    out = cuda.device_array(100_000, np.float32)
    slow[400, 256](cuda.to_device(np.linspace(0, 1, 100_000, dtype=np.float32)), out)

def returning():
    out = cuda.device_array(100_000, np.float32)
    slow[400, 256](cuda.to_device(np.linspace(0, 1, 100_000, dtype=np.float32)), out)
    return {"cubes": out.copy_to_host()}
"""


def test_two_versions_that_the_user_wrote(project: Path) -> None:
    (project / "slow.py").write_text(SLOW)
    fast = SLOW.replace("slow", "fast").replace("a[i] ** 3.0", "a[i] * a[i] * a[i]")
    (project / "fast.py").write_text(fast)
    (project / "wrong.py").write_text(fast.replace("a[i] * a[i] * a[i]", "a[i] * a[i]"))
    done = run_advisor(project, "verify", "--before", "slow.py", "--after", "fast.py", "--format", "json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["verdict"]) == (0, "predicted faster"), told
    assert told["speedup"] > 1.5
    done = run_advisor(project, "verify", "--before", "slow.py::returning", "--after", "wrong.py::returning")
    assert done.returncode == 1
    assert "verdict results differ" in done.stdout and "`result['cubes']`" in done.stdout


WRONG = [
    (("--before", "k.py"), "--before and --after go together"),
    (("--before", "k.py", "--after", "k.py", "k.py"), "leave out the other paths"),
    (("--before", "none.py", "--after", "k.py"), "none.py: no such file."),
    (
        ("--before", "k.py::other", "--after", "k.py"),
        "has no function `other` at its top. Functions: cube, workload.",
    ),
    (("--before", "k.py::cube", "--after", "k.py"), "`cube` needs arguments"),
    (("none",), "none: no such file or folder"),
    (("--device", "abacus", "k.py"), "abacus"),
]


@pytest.mark.parametrize(("argv", "said"), WRONG)
def test_what_cannot_be_asked(project: Path, argv: tuple[str, ...], said: str) -> None:
    done = run_advisor(project, "verify", *argv)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_damaged_record_of_proofs_is_said(project: Path) -> None:
    (project / ".advisor").mkdir()
    (project / ".advisor" / "proofs.sqlite").write_text(
        "no database, and longer than a header of one would be" * 9
    )
    done = run_advisor(project, "check", "--select", "slow-power", "k.py")
    assert done.returncode == 2
    assert "proofs.sqlite: cannot be read or written" in done.stderr


def test_nothing_to_verify(project: Path) -> None:
    (project / "k.py").write_text(textwrap.dedent("x = 1\n"))
    done = run_advisor(project, "verify", "k.py")
    assert (done.returncode, done.stdout) == (
        0,
        "There is no fix to verify: no finding has one that can be written as an edit.\n",
    )
