"""`advisor tune` as its users call it."""

from __future__ import annotations

import stat

import pytest
from advisor_command import AdvisorCommand, contents
from tuned_programs import GUARDED

pytestmark = pytest.mark.usefixtures("simulated")


@pytest.fixture(scope="module")
def advise(tmp_path_factory, user_cache):
    return AdvisorCommand(tmp_path_factory.mktemp("home"), caches=user_cache)


@pytest.fixture
def tuned(project, advise):
    """A function that runs `advisor tune` on the project's kernel."""
    # A block of 33 threads wastes half of its lanes, so that any other one is better.
    project.write(GUARDED.replace("THREADS = 100", "THREADS = 33"))

    def tune(*more, target="kernels.py::kernel"):
        return advise("tune", target, *more, cwd=project.folder)

    return tune


def test_table_diff_and_cache(project, tuned):
    before = contents(project.folder)
    first = tuned()
    assert first.status == 0, first.err
    lines = first.out.decode().splitlines()
    assert lines[0] == "kernels.py:8: kernel on NVIDIA A100 80GB"
    assert lines[1] == "  with x 100000, out 100000"
    assert lines[3].split() == [
        "block",
        "THREADS",
        "registers",
        "occupancy",
        "predicted",
        "vs.",
        "current",
    ]
    assert lines[4].split()[0] == "33" and lines[4].endswith("1.00  current")
    assert sum(line.endswith("best") for line in lines) == 1
    assert "-THREADS = 33" in lines and any(line.startswith("+THREADS = ") for line in lines)
    assert first.err == "advisor: --write applies the edit.\n"
    assert contents(project.folder) == before
    again = tuned()
    assert "from the cache" in again.out.decode().splitlines()[2]
    assert again.out.decode().splitlines()[3:] == lines[2:]


def test_write_and_json(project, tuned):
    project.file.chmod(0o640)
    report = tuned("--write", "--format", "json").report
    best = report["best"]
    assert report["written"] and not report["from_cache"] and report["complete"]
    assert (report["kernel"], report["path"], report["device"]) == ("kernel", "kernels.py", "a100-80gb")
    assert report["arguments"][0] == {"name": "x", "type": "array(float32, 1d, C)", "shape": [100000]}
    present = report["trials"][0]
    assert present["ratio"] == 1.0
    assert best["ratio"] == best["predicted_ms"] / present["predicted_ms"] < 1.0
    threads = best["configuration"]["THREADS"]
    assert best["block"] == [threads, 1, 1]
    assert best["grid"] == [-(-100000 // threads), 1, 1]
    assert f"+THREADS = {threads}\n" in report["diff"]
    assert f"\nTHREADS = {threads}\n" in project.file.read_text()
    assert stat.S_IMODE(project.file.stat().st_mode) == 0o640


def test_a_read_only_file_is_left_as_it_is(project, tuned):
    project.file.chmod(0o444)
    text = project.file.read_text()
    outcome = tuned("--write", "--seconds", "30")
    assert outcome.status == 2
    assert "kernels.py is left as it is: it is read-only." in outcome.err
    assert project.file.read_text() == text


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("kernels.py", (), "kernels.py: the kernel is missing; the target is written PATH::KERNEL."),
        ("gone.py::kernel", (), "gone.py: there is no such file; the target is written PATH::KERNEL."),
        ("kernels.py::", (), "kernels.py::: the kernel is missing; the target is written PATH::KERNEL."),
        ("kernels.py::kernel", ("--seconds", "-1"), "'-1' is no number of seconds (0 or more)"),
        ("kernels.py::kernel", ("--tolerance", "nan"), "'nan' is no number of a tolerance (0 or more)"),
        ("kernels.py::kernel", ("--device", "a10"), "a10"),
        ("kernels.py::kernel", ("--fersh",), "--fresh"),
    ],
)
def test_wrong_use(tuned, target, options, message):
    outcome = tuned(*options, target=target)
    assert outcome.status == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
