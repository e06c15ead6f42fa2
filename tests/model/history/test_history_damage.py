"""What can happen to a history, done for real: killed writers, two writers, newer versions, full disks."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from kept_runs import facts, fingerprint, own_file

from advisor.model.errors import AdvisorError, UsageError
from advisor.model.history import queries
from advisor.model.history.fingerprint import Run
from advisor.model.history.queries import INSERT_RUN
from advisor.model.history.rows import FINGERPRINT_COLUMNS, run_row
from advisor.model.history.store import HistoryStore

_HERE = Path(__file__).parent

_WRITER = """\
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from kept_runs import facts, fingerprint
from advisor.model.history.store import HistoryStore

store = HistoryStore(Path({root!r}))
run = store.begin(facts({label!r}))
for number in range({count}):
    store.add(run, fingerprint(f"kernel{{number}}"))
    print(number, flush=True)
store.end(run)
"""


def writer(root: Path, label: str, count: int, before: str = "") -> subprocess.Popen[bytes]:
    code = before + _WRITER.format(tests=str(_HERE), root=str(root), label=label, count=count)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_what_was_added_before_a_kill_is_kept(tmp_path: Path) -> None:
    process = writer(tmp_path, "killed", 10**9)
    assert process.stdout is not None
    told = [process.stdout.readline() for _ in range(50)]
    process.send_signal(signal.SIGKILL)
    told += process.communicate()[0].splitlines()
    # The last line may be torn; all others were said after the fingerprint was kept.
    said = len([line for line in told if line.strip()]) - 1
    store = HistoryStore(tmp_path)
    (run,) = store.runs()
    assert run.status == "broken off"
    kept = store.run(run.id or 0).fingerprints
    assert len(kept) >= said >= 49
    assert [one.identity.name for one in kept] == [f"kernel{number}" for number in range(len(kept))]
    assert store.add_run(Run(facts("after"), fingerprints=(fingerprint(),))) == 2
    assert store.find("latest") == 2


def test_a_run_whose_process_lives_is_running(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path)
    store.begin(facts())
    assert [run.status for run in HistoryStore(tmp_path).runs()] == ["running"]


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    count = 200
    processes = [writer(tmp_path, label, count) for label in ("a", "b")]
    for process in processes:
        _, words = process.communicate(timeout=200)
        assert process.returncode == 0, words
    store = HistoryStore(tmp_path)
    runs = store.runs()
    assert {(run.facts.label, run.status) for run in runs} == {("a", "done"), ("b", "done")}
    for run in runs:
        names = [one.identity.name for one in store.run(run.id or 0).fingerprints]
        assert names == [f"kernel{number}" for number in range(count)]


def test_a_newer_version_is_left_as_it_is(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path)
    store.add_run(Run(facts()))
    store.close()
    with sqlite3.connect(own_file(tmp_path)) as connection:
        connection.execute("PRAGMA user_version=7")
    connection.close()
    before = own_file(tmp_path).read_bytes()
    for use in (lambda one: one.runs(), lambda one: one.begin(facts()), lambda one: one.find("latest")):
        with pytest.raises(UsageError, match="newer version of Kernel Advisor"):
            use(HistoryStore(tmp_path))
    assert own_file(tmp_path).read_bytes() == before


def test_a_file_that_is_no_history_is_left_as_it_is(tmp_path: Path) -> None:
    file = own_file(tmp_path)
    file.parent.mkdir()
    file.write_text("These are my notes on history.\n" * 100)
    for use in (lambda one: one.runs(), lambda one: one.begin(facts())):
        with pytest.raises(AdvisorError, match="cannot be used: file is not a database"):
            use(HistoryStore(tmp_path))
    assert file.read_text().startswith("These are my notes")


def test_an_empty_file_holds_no_runs(tmp_path: Path) -> None:
    file = own_file(tmp_path)
    file.parent.mkdir()
    file.touch()
    assert HistoryStore(tmp_path).runs() == []
    assert HistoryStore(tmp_path).add_run(Run(facts())) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="limits of file sizes are Linux's")
def test_a_full_disk_keeps_what_was_there(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk's end: writing beyond it fails in the same place."""
    store = HistoryStore(tmp_path)
    store.add_run(Run(facts("before"), fingerprints=(fingerprint(),)))
    store.close()
    limit = "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
    process = writer(tmp_path, "full", 10**6, limit)
    out, words = process.communicate(timeout=200)
    assert process.returncode == 1
    assert b"AdvisorError: The history" in words
    assert b"cannot be used" in words
    said = len(out.splitlines())
    store = HistoryStore(tmp_path)
    assert len(store.run(store.find("before")).fingerprints) == 1
    full = store.find("full")
    assert len(store.run(full).fingerprints) == said > 0
    assert store.facts_of(full).status == "broken off"
    assert store.add_run(Run(facts("again"))) == 3
    check = sqlite3.connect(own_file(tmp_path))
    assert check.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    check.close()


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path)
    store.add_run(Run(facts("kept")))
    store.close()
    own_file(tmp_path).parent.chmod(0o555)
    try:
        assert [run.facts.label for run in HistoryStore(tmp_path).runs()] == ["kept"]
        with pytest.raises(AdvisorError, match="cannot be used"):
            HistoryStore(tmp_path).begin(facts())
    finally:
        own_file(tmp_path).parent.chmod(0o755)


def test_a_place_that_cannot_be_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / ".advisor").write_text("")
    assert HistoryStore(tmp_path).runs() == []
    with pytest.raises(AdvisorError, match="cannot be used"):
        HistoryStore(tmp_path).begin(facts())


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path)
    bad = fingerprint()
    object.__setattr__(bad.identity, "name", None)
    with pytest.raises(AdvisorError, match="NOT NULL"):
        store.add_run(Run(facts(), fingerprints=(fingerprint(), bad)))
    assert store.runs() == []
    assert store.add_run(Run(facts(), fingerprints=(fingerprint(),))) >= 1


@pytest.mark.parametrize(
    "query",
    [queries.LATEST, queries.MEASURED_RUNS, queries.OF_KERNEL, queries.TIMES, queries.LATEST_OF_SHAPES],
)
def test_no_question_looks_at_all_fingerprints(tmp_path: Path, query: str) -> None:
    store = HistoryStore(tmp_path)
    store.add_run(Run(facts(), fingerprints=(fingerprint(),)))
    plan = [row[3] for row in store.database.rows(f"EXPLAIN QUERY PLAN {query}", [1] * query.count("?"))]
    assert any("USING INDEX fingerprints_of_" in step for step in plan), plan
    assert not [
        step for step in plan if step.startswith(("SCAN f ", "SCAN fingerprints", "SCAN TABLE fi"))
    ], plan


def test_a_long_history_answers_at_once(tmp_path: Path) -> None:
    """1,000 runs of 50 kernels: what reports ask for takes a part of a second, the bound much more."""
    store = HistoryStore(tmp_path)
    those = tuple(fingerprint(f"k{one}", source="measured") for one in range(50))
    on_gpu = replace(facts(), executed_on="NVIDIA H200")
    first = store.add_run(Run(on_gpu, fingerprints=those))
    with store.database.transaction() as at:
        for number in range(1, 1000):
            like = replace(on_gpu, label=f"run{number}", commit=f"{number:040x}")
            run = at.insert(INSERT_RUN, (*run_row(like), "nobody 1"))
            at.execute(
                f"INSERT INTO fingerprints (run, kernel, {FINGERPRINT_COLUMNS})"
                f" SELECT ?, kernel, {FINGERPRINT_COLUMNS} FROM fingerprints WHERE run = ?",
                (run, first),
            )
        at.execute("UPDATE runs SET status = 'done'")
    begin = time.perf_counter()
    assert len(store.run(store.find("latest")).fingerprints) == 50
    assert len(store.fingerprints([1, 1000])[1000]) == 50
    assert len(store.times("k7", "k.py")) == 1000
    assert store.kernel_runs("k.py")["k7"][0].run == 1000
    assert len(store.runs()) == 1000
    assert time.perf_counter() - begin < 30
