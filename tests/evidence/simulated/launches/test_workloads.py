"""Workloads: found by name, run in a process of their own, once as long as nothing has changed."""

from __future__ import annotations

import json

import pytest
from advisor_command import AdvisorCommand, AdvisorHere
from recorded_launches import recorded

from advisor.evidence.simulated.launches.workloads import find_workloads

KERNEL = """\
import numpy as np
from numba import cuda
{imports}

@cuda.jit
def columns(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i, 3]


def workload():
    {first}
    columns[2, 64](cuda.to_device(np.ones((128, {width}), np.float32)), cuda.device_array(128, np.float32))
"""


@pytest.fixture
def advise(tmp_path_factory, user_cache) -> AdvisorHere:
    """The command, in this process but for programs that it runs."""
    return AdvisorHere(AdvisorCommand(tmp_path_factory.mktemp("home"), caches=user_cache))


def write(project, first="pass", width=8, imports=""):
    (project / "kernel.py").write_text(KERNEL.format(first=first, width=width, imports=imports))


def runs(project):
    query = "SELECT count(*) FROM runs"
    store = project / ".advisor" / "cache" / "workloads" / "launches.sqlite"
    assert store.is_file()
    import sqlite3

    connection = sqlite3.connect(store)
    ((count,),) = connection.execute(query).fetchall()
    connection.close()
    return count


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("def workload(): pass", ["workload"]),
        ("def workload_small(size=4): pass", ["workload_small"]),
        ("def workload(size): pass", []),
        ("def workload(*, size): pass", []),
        ("def workloads(): pass", []),
        ("async def workload(): pass", []),
        ("class A:\n    def workload(self): pass", []),
        ("def work(): pass", []),
        ("def workload(: pass", []),
    ],
)
def test_a_workload_is_a_function_that_needs_nothing(line, names):
    assert [one.name for one in find_workloads("a.py", line)] == names


def test_its_launch_is_evidence(advise, project):
    write(project)
    report = advise.check("kernel.py", cwd=project)
    (finding,) = [one for one in report.findings if one["rule"] == "uncoalesced-access"]
    assert finding["line"] == 9
    assert "32 sectors/request" in finding["message"]
    assert "Simulated without a GPU: kernel.py:14, grid 2, block 64." in str(finding["assumptions"])


def test_it_runs_once_until_something_changes(advise, project):
    (project / "sizes.py").write_text("WIDTH = 8\n")
    write(project, width="sizes.WIDTH", imports="import sizes\n")
    first = advise.check("kernel.py", cwd=project)
    again = advise.check("kernel.py", cwd=project)
    assert (first.out, runs(project)) == (again.out, 1)
    # A module that the workload imports belongs to it.
    (project / "sizes.py").write_text("WIDTH = 1\n")
    narrow = advise.check("kernel.py", cwd=project)
    assert runs(project) == 2
    assert "uncoalesced-access" in first.rules - narrow.rules


def test_without_running_nothing_is_executed(advise, project):
    write(project, first="open('was_here', 'w').close()")
    report = advise.check("--no-run", "kernel.py", cwd=project)
    assert not (project / "was_here").exists()
    assert "simulated" not in json.dumps(report.report["findings"])
    advise.check("kernel.py", cwd=project)
    assert (project / "was_here").exists()


FAILURES = [
    ("raise ValueError('no data')", "`workload()` failed: ValueError: no data"),
    ("import nowhere_to_be_found", "No module named 'nowhere_to_be_found'"),
    ("import os; os._exit(3)", "its process ended with status 3"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "its process ended with status -11"),
    ("raise SystemExit(4)", "`workload()` failed: SystemExit: 4"),
]


@pytest.mark.parametrize(("first", "said"), FAILURES, ids=[one[0] for one in FAILURES])
def test_a_failure_is_told_and_source_evidence_stays(advise, project, first, said):
    write(project, first=first)
    report = advise.check("kernel.py", cwd=project)
    ((path, line, message),) = report.errors
    assert (path, line) == ("kernel.py", 12)
    assert said in message
    assert "uncoalesced-access" in report.rules
    assert report.status == 1


def test_failures_are_told_by_place_whichever_process_ends_first(advise, project):
    names = [f"{letter}.py" for letter in "abcde"]
    for name in names:
        (project / name).write_text(KERNEL.format(first="raise ValueError", width=8, imports=""))
    report = advise.check(*names, "--jobs", "2", cwd=project)
    assert [path for path, _, _ in report.errors] == names


def test_a_workload_that_never_ends_is_stopped(advise, project):
    (project / "pyproject.toml").write_text("[tool.advisor]\nworkload-seconds = 2\n")
    write(project, first="import itertools; all(True for _ in itertools.count())")
    report = advise.check("kernel.py", cwd=project)
    ((_, _, message),) = report.errors
    assert "did not end within 2 s" in message


def test_a_workload_that_crashes_says_how(advise, project):
    write(project, first="import ctypes; ctypes.string_at(0)")
    report = advise.check("kernel.py", cwd=project)
    ((_, _, message),) = report.errors
    assert "Fatal Python error: Segmentation fault" in message
    assert "Extension modules" not in message


def test_what_it_prints_is_not_the_reports(advise, project):
    write(project, first="print('{'); import sys; print('noise', file=sys.stderr)")
    report = advise.check("kernel.py", cwd=project)
    assert report.errors == []
    assert "uncoalesced-access" in report.rules


RECORDED = """\
import numpy as np
from numba import cuda


@cuda.jit
def columns(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i, 3]


def main():
    columns[2, 64](cuda.to_device(np.ones((128, 8), np.float32)), cuda.device_array(128, np.float32))


if __name__ == "__main__":
    main()
"""


@pytest.fixture
def program(advise, project):
    file = project / "program.py"
    file.write_text(RECORDED)
    assert advise("run", "program.py", cwd=project).status == 0
    assert recorded(project, "SELECT count(*) FROM launches") == [(1,)]
    return file


def simulated(report):
    return {
        (one["line"], one["assumptions"][0].split(",")[0])
        for one in report.findings
        if one["rule"] == "uncoalesced-access" and "Simulated" in str(one["assumptions"])
    }


def test_a_recorded_launch_is_evidence_also_when_the_kernel_has_moved(advise, project, program):
    told = "Simulated without a GPU: program.py:13"
    assert simulated(advise.check("program.py", cwd=project)) == {(9, told)}
    program.write_text("# One more line.\n" + RECORDED)
    assert simulated(advise.check("program.py", cwd=project)) == {(10, told)}
    assert simulated(advise.check("--no-run", "program.py", cwd=project)) == {(10, told)}


def test_a_record_older_than_the_kernels_code_is_not_used_and_that_is_said(advise, project, program):
    program.write_text(RECORDED.replace("a[i, 3]", "a[i, 3] + 1"))
    report = advise.check("program.py", cwd=project)
    assert simulated(report) == set()
    assert "uncoalesced-access" in report.rules
    said = " ".join(report.report["notices"])
    assert "the recorded launches of columns are older than its code" in said
    assert "run `program.py` again" in said
    # Running it again fixes that.
    assert advise("run", "program.py", cwd=project).status == 0
    again = advise.check("program.py", cwd=project)
    assert len(simulated(again)) == 1
    assert "older" not in str(again.report["notices"])
