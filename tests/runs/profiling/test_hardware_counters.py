"""Nsight Compute as a child process: a program in its place prints what it is documented to print.

The file of counters has the form of `ncu --csv --page raw`: names, then units, then a row for each launch.
https://docs.nvidia.com/nsight-compute/NsightComputeCli/index.html
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.runs.profiling.gpu.counters import Counters, count, find_ncu

Write = Callable[[str], Path]

_HEAD = """\
#!{python}
import subprocess, sys
argv = sys.argv[1:]
importing = "--import" in argv
report = argv[argv.index("--import") + 1] if importing else argv[argv.index("-o") + 1] + ".ncu-rep"
child = [] if importing else argv[argv.index(sys.executable):]
"""

_COUNTING = """\
NAME = "_ZN8__main__5twiceB2v1B9cw51"
ROWS = [
    ["ID", "Process ID", "Process Name", "Kernel Name", "Block Size", "Grid Size", "CC",
     "gpu__time_duration.sum", "dram__bytes.sum", "lts__t_sector_hit_rate.pct"],
    ["", "", "", "", "", "", "", "nsecond", "byte", "%"],
    ["0", "9", "python3", NAME, "(256, 1, 1)", "(4, 1, 1)", "8.0", "2000", "4096", "25"],
    ["1", "9", "python3", NAME, "(256, 1, 1)", "(4, 1, 1)", "8.0", "4000", "8192", "75"],
    ["2", "9", "python3", NAME, "(512, 1, 1)", "(2, 1, 1)", "8.0", "1000", "512", "0"],
    ["3", "9", "python3", NAME, "(256, 1, 1)", "(4, 1, 1)", "8.0", "4000", "100", "10"],
]
if importing:
    assert open(report, "rb").read(3) == b"NVR"
    if "source" in argv:
        sys.exit("==ERROR== no source")
    for row in ROWS:
        print(",".join(f'"{cell}"' for cell in row))
    sys.exit()
print("==PROF== Connected to process 9 (python3)")
ended = subprocess.run(child)
assert ended.returncode == 0
open(report, "wb").write(b"NVR\\0")
"""


@pytest.fixture
def ncu(tmp_path: Path) -> Callable[[str], str]:
    """A function that writes a program in Nsight Compute's place and gives its path."""

    def write(body: str) -> str:
        file = tmp_path / "ncu"
        file.write_text(_HEAD.replace("{python}", sys.executable) + textwrap.dedent(body))
        file.chmod(0o755)
        return str(file)

    return write


def counted(ncu: str, file: Path, seconds: float | None = None) -> Counters:
    return count(ncu, file.parent, file.name, ["workload"], "a100-80gb", seconds)


def test_counters_of_each_kernel_and_shape(program: Write, ncu: Callable[[str], str]) -> None:
    file = program("twice[4, 256](x)\ntwice[4, 256](x)\ntwice[2, 512](x)")
    found = counted(ncu(_COUNTING), file)
    assert found.problem == ""
    metrics = {(who.name, who.grid): dict(values) for (_, who), values in found.metrics.items()}
    first, second = metrics["twice", (4, 1, 1)], metrics["twice", (2, 1, 1)]
    # The means of two launches, and the other shape alone.
    assert (first["dram_bytes"], first["l2_hit_rate"]) == (6144.0, 0.5)
    assert (second["dram_bytes"], second["l2_hit_rate"]) == (512.0, 0.0)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            'print("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "\n'
            '      "Performance Counters on the target device 0.")\nsys.exit(1)',
            "NVreg_RestrictProfilingToAdminUsers=0",
        ),
        ('print("==ERROR== Failed.", file=sys.stderr)\nsys.exit(1)', "status 1: ==ERROR== Failed."),
        ("subprocess.run(child)", "wrote no report"),
        (
            'if importing:\n    sys.exit("version")\nsubprocess.run(child)\nopen(report, "w").write("NVR")',
            "cannot be read: ",
        ),
        ("sys.exit(0)", "ended with status 0: it said nothing"),
        ("import time\ntime.sleep(600)", "did not end within 1 s"),
    ],
)  # fmt: skip
def test_why_there_are_none(program: Write, ncu: Callable[[str], str], body: str, words: str) -> None:
    found = counted(ncu(body), program("twice[4, 256](x)"), 1.0 if "sleep" in body else None)
    assert words in found.problem
    assert found.metrics == {}


def test_a_workload_that_fails_there(program: Write, ncu: Callable[[str], str]) -> None:
    found = counted(ncu(_COUNTING), program("raise ValueError('no data')"))
    assert found.problem == "The workload failed under Nsight Compute: ValueError: no data"


def test_a_file_that_is_no_program(program: Write, tmp_path: Path) -> None:
    file = tmp_path / "ncu"
    file.write_text("not a program")
    file.chmod(0o755)
    assert "cannot be started" in counted(str(file), program("twice[4, 256](x)")).problem


def test_it_is_looked_for_on_the_path(
    ncu: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ncu("")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert find_ncu() is None
    assert find_ncu(path) == path
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_ncu() == path
    assert find_ncu(str(tmp_path / "other")) is None


def test_several_workloads_of_one_file_are_told_apart(program: Write, ncu: Callable[[str], str]) -> None:
    file = program("twice[4, 256](x)\ntwice[4, 256](x)\ntwice[2, 512](x)")
    file.write_text(
        file.read_text() + "\n\ndef other():\n    twice[4, 256](cuda.to_device(np.ones(1000, np.float32)))\n"
    )
    found = count(ncu(_COUNTING), file.parent, file.name, ["workload", "other"], "a100-80gb")
    moved = {(name, who.grid): values["dram_bytes"] for (name, who), values in found.metrics.items()}
    assert moved == {
        ("workload", (4, 1, 1)): 6144.0, ("workload", (2, 1, 1)): 512.0, ("other", (4, 1, 1)): 100.0,
    }  # fmt: skip
    assert {key[0]: values["dram__bytes.sum"] for key, values in found.raw.items()}["other"] == (
        100.0,
        "byte",
    )
