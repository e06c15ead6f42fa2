"""`advisor rules test`: examples, marks in kernel files, examples on files, mutants."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from program_in_process import run_advisor

RULE = """\
/// Half of each sector is wasted.
rule house-stride "House stride" {
  for each access a of kernel k
  param most = 10 sectors/request range 4 sectors/request .. 32 sectors/request "the house rule"

  when a.sectors_per_request > most

  severity warning  confidence high  effort low
  say "{a.array} needs {a.sectors_per_request}."
  why "Sectors are moved whole."
  try "Use neighbouring elements."
  source "House rules" at "Strides"

  example fires "every fourth" { a.sectors_per_request = 16 sectors/request }
  example silent "every second" { a.sectors_per_request = 8 sectors/request }
  example unknown "not known" { a.sectors_per_request = missing }
  example fires "a kernel of ours" on "kernels/strides.py" { }
  example silent "side by side" on "kernels/beside.py" { }
}
"""
STRIDES = """\
from numba import cuda


@cuda.jit(debug=True)  # ok: house-stride
def strides(a, b, out):  # fix: drop-debug-options
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[4 * i]  # hit: house-stride
        out[i] += b[2 * i]  # ok: house-stride
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    kernels = tmp_path / "house" / "kernels"
    kernels.mkdir(parents=True)
    (tmp_path / "house" / "house-stride.rules").write_text(RULE)
    (kernels / "strides.py").write_text(STRIDES)
    (kernels / "beside.py").write_text(STRIDES.replace("4 * i", "i").split("  # hit")[0] + "\n")
    (tmp_path / "advisor.toml").write_text('packs = ["house"]\nevidence = "source"\n')
    return tmp_path


def run(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return run_advisor(folder, "rules", "test", *argv)


def test_all_is_as_expected(project: Path) -> None:
    done = run(project)
    assert (done.returncode, done.stdout) == (
        0,
        "1 rule, 3 of 3 examples as expected, 8 of 8 marks as expected, 3 of 3 mutants killed (100.0%).\n",
    ), done.stderr


def test_too_few_mutants(project: Path) -> None:
    file = project / "house" / "house-stride.rules"
    file.write_text(RULE.replace("= 8 sectors/request", "= 4 sectors/request"))
    done = run(project, "--min-coverage", "90")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == (
        "house/house-stride.rules:2: house-stride with `most` half as large, 5 sectors/request: "
        "every example keeps its verdict."
    )
    assert done.stdout.endswith("Fewer mutants are killed than --min-coverage 90 asks for.\n")


def test_what_does_not_agree_is_named(project: Path) -> None:
    file = project / "house" / "kernels" / "strides.py"
    wrong = STRIDES.replace("# hit: house-stride", "# ok: house-stride").replace(
        "debug=True", "lineinfo=True"
    )
    file.write_text(wrong.replace("b[2 * i]  # ok", "b[2 * i]  # hit"))
    done = run(project, "--no-mutants")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "kernels/strides.py:5: drop-debug-options should mend what is found here, and cannot.",
        "kernels/strides.py:8: house-stride should be silent here, "
        "and says: `a` needs 16 to 32 sectors/request.",
        "kernels/strides.py:9: house-stride should find something here, and is silent.",
        "1 rule, 3 of 3 examples as expected, 5 of 8 marks as expected.",
    ]


def test_an_example_on_a_file_with_another_verdict(project: Path) -> None:
    file = project / "house" / "house-stride.rules"
    file.write_text(
        RULE.replace('silent "side by side" on "kernels/beside.py"', 'silent "x" on "kernels/strides.py"')
    )
    done = run(project, "--format", "json")
    content = json.loads(done.stdout)
    assert done.returncode == 1
    assert content["mark_failures"] == [
        "house/house-stride.rules:18: house-stride should be silent on kernels/strides.py, and is fires."
    ]


def test_a_failing_example_stops_the_mutants(project: Path) -> None:
    file = project / "house" / "house-stride.rules"
    file.write_text(RULE.replace("= 8 sectors/request", "= 12 sectors/request"))
    done = run(project)
    assert done.returncode == 1
    assert 'the example "every second" should be silent, but the rule is fires.' in done.stdout


WRONG = [
    (
        "# hit: house-strid",
        "kernels/strides.py:8: there is no rule `house-strid`. Did you mean `house-stride`?",
    ),
    ("# hit house-stride", "kernels/strides.py:8: this annotation cannot be read"),
]


@pytest.mark.parametrize(("mark", "said"), WRONG)
def test_marks_that_name_nothing(project: Path, mark: str, said: str) -> None:
    file = project / "house" / "kernels" / "strides.py"
    file.write_text(STRIDES.replace("# hit: house-stride", mark))
    done = run(project)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_file_of_an_example_that_is_not_there(project: Path) -> None:
    (project / "house" / "kernels" / "beside.py").unlink()
    done = run(project)
    assert done.returncode == 2
    assert "the example stands on `kernels/beside.py`, which is not there." in done.stderr
