"""What executes a kernel that somebody wrote has nothing to break, and ends whatever it does."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.evidence.simulated.synthesis.processes import contained_runs
from advisor.evidence.simulated.synthesis.processes.contained_runs import ContainedRuns
from advisor.evidence.simulated.synthesis.request import KnownLaunch, Limits, Request
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.model.errors import EvidenceUnavailable
from advisor.program.index_relations.relations import IndexRelations

HERE = str(Path(__file__).parent)
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits and Landlock are Linux's")


def request(kernel: str, seconds: float = 1.0, memory_bytes: int = 1 << 30) -> Request:
    return Request(kernel, (), IndexRelations(), KnownLaunch(), (), Limits(seconds, memory_bytes, 1))


@pytest.fixture(scope="module", params=["forked", "started"])
def runs(request: pytest.FixtureRequest) -> Iterator[ContainedRuns]:
    if request.param == "forked" and not hasattr(os, "fork"):
        pytest.skip("this system does not fork")
    found = ContainedRuns("hostile_programs:obey", forks=request.param == "forked", beside=[HERE])
    yield found
    found.close()


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the seconds of the launches, and little patience."""
    monkeypatch.setattr(contained_runs, "_SECONDS_BESIDE", 0)


def answer(runs: ContainedRuns, kernel: str, seconds: float = 1.0) -> Synthesis:
    return runs.answer(request(kernel, seconds))[0]


def processes_of(folder: str) -> list[int]:
    """Processes whose command line names a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if folder in command:
                found.append(int(entry.name))
    return found


@linux
def test_it_has_no_environment_an_empty_folder_and_one_open_descriptor(runs, monkeypatch):
    monkeypatch.setenv("SECRET", "1")
    environment, files, arguments, descriptors = answer(runs, "surroundings").assumptions
    # 0 to 2 lead nowhere, 3 is the connection.
    assert (environment, files, arguments, descriptors) == ("[]", "[]", "['']", "[0, 1, 2, 3]")


def test_it_has_not_imported_what_stands_in_the_working_folder(runs, tmp_path, monkeypatch):
    (tmp_path / "numba.py").write_text("raise SystemExit('imported')")
    (tmp_path / "usercustomize.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    runs.rest()
    assert "numba" not in answer(runs, "modules").assumptions


@linux
@pytest.mark.parametrize("what", ["write", "remove"])
def test_it_changes_no_file(runs, tmp_path, what):
    kept = tmp_path / "kept"
    kept.write_text("as it was")
    told = answer(runs, f"{what}:{kept}")
    assert kept.read_text() == "as it was"
    assert told.unknown.startswith("Running the kernel failed (PermissionError: ")


@linux
def test_a_loop_without_an_end_takes_its_processor_time(runs, brief):
    begin = time.monotonic()
    told, again = runs.answer(request("endless", seconds=1.0))
    assert told.unknown in (
        "Running the kernel took more than 1 s of processor time.",
        "Running the kernel took longer than 4 s.",  # Where others use the processors.
    )
    assert again is ("processor" in told.unknown)
    assert time.monotonic() - begin < 10.0


def test_waiting_takes_no_processor_time_and_ends_all_the_same(runs, brief, monkeypatch):
    monkeypatch.setattr(contained_runs, "_PATIENCE", 1)
    told, again = runs.answer(request("asleep", seconds=1.0))
    assert told.unknown == "Running the kernel took longer than 1 s."
    assert not again


@linux
def test_more_memory_than_is_allowed(runs):
    assert not answer(runs, f"memory:{100 << 20}").unknown
    told = answer(runs, f"memory:{64 << 30}")
    assert told.unknown == "Running the kernel takes more than 1.0 GB of memory."


@linux
def test_what_it_prints_goes_nowhere(runs, capfd):
    assert not answer(runs, "prints:200").unknown
    assert capfd.readouterr() == ("", "")


@linux
def test_an_answer_without_an_end(runs):
    assert answer(runs, "flood").unknown == "Running the kernel gives more than can be told."


@linux
@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"kernel": 1}', "[" * 100_000, '{"kernel": "k", "launches": [{}]}', "cos\nsystem\n."],
)
def test_an_answer_that_is_none(runs, text):
    assert answer(runs, f"lies:{text}").unknown == "The process that ran the kernel ended with status 0."


@linux
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_crash(runs, number):
    told = answer(runs, f"dies:{int(number)}")
    assert told.unknown == f"The process that ran the kernel was ended by {signal.Signals(number).name}."


@linux
@pytest.mark.parametrize("what", ["starts:x", "forks", "connects:9", "kills:{own}"])
def test_it_has_no_company(runs, what):
    told = answer(runs, what.format(own=os.getpid()))
    assert told.unknown == "Running the kernel failed (PermissionError: [Errno 1] Operation not permitted)."


@linux
def test_it_may_have_threads(runs):
    assert answer(runs, "threads").assumptions == ("ran",)


def test_who_asks_can_end_it(runs):
    begin = time.monotonic()

    def wanted() -> None:
        if time.monotonic() - begin > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runs.answer(request("asleep", seconds=100.0), wanted)
    assert time.monotonic() - begin < 10.0
    assert not answer(runs, "prints:0").unknown


@pytest.mark.parametrize("forks", [pytest.param(True, marks=linux), False])
def test_what_all_need_is_got_ready_once_before_processes_are_forked(tmp_path, forks):
    runs = ContainedRuns("hostile_programs:obey", forks=forks, beside=[HERE], store=tmp_path)
    first, second = (answer(runs, "prepared").assumptions for _ in range(2))
    runs.close()
    assert first[1:] == second[1:] == (str(tmp_path), str(not forks))
    assert (first == second) is forks


def test_a_program_that_is_not_there():
    runs = ContainedRuns("no_such_program:obey", beside=[HERE])
    if not hasattr(os, "fork"):
        assert runs.answer(request("asleep"))[0].unknown
        return
    with pytest.raises(EvidenceUnavailable, match="does not start"):
        runs.answer(request("asleep"))


@linux
def test_processes_end_with_the_one_that_asks(tmp_path):
    """Killed without a word, as an editor kills its server."""
    script = (
        "import sys, threading, time\n"
        f"sys.path.insert(0, {HERE!r})\n"
        "from test_contained_runs import ContainedRuns, HERE, request\n"
        f"runs = ContainedRuns('hostile_programs:obey', beside=[HERE, {str(tmp_path)!r}])\n"
        "threading.Thread(target=runs.answer, args=[request('asleep', 100.0)], daemon=True).start()\n"
        "time.sleep(100)\n"
    )
    process = os.posix_spawn(sys.executable, [sys.executable, "-c", script], dict(os.environ))
    try:
        deadline = time.monotonic() + 60.0
        # The one that asks, the one to fork from, and the contained one.
        while len(processes_of(str(tmp_path))) < 3 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(processes_of(str(tmp_path))) == 3
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    deadline = time.monotonic() + 20.0
    while processes_of(str(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert processes_of(str(tmp_path)) == []
