"""Histories that earlier versions wrote are brought to this version when they are opened."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from kept_runs import own_file

from advisor.model.history import sqlite_file
from advisor.model.history.fingerprint import Fingerprint, KernelIdentity, LineMetrics, Run, RunFacts, Timing
from advisor.model.history.store import HistoryStore

# As version 1 made them.
_VERSION_1 = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, label TEXT NOT NULL, command TEXT NOT NULL,
    started REAL NOT NULL, ended REAL, device TEXT NOT NULL, executed_on TEXT NOT NULL,
    toolchain TEXT NOT NULL, commit_id TEXT, dirty INTEGER, status TEXT NOT NULL, metrics TEXT NOT NULL,
    notes TEXT NOT NULL, host TEXT NOT NULL, process TEXT
);
CREATE TABLE fingerprints (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id), name TEXT NOT NULL, path TEXT,
    line INTEGER, source_hash TEXT, types TEXT NOT NULL, grid TEXT, block TEXT,
    dynamic_shared INTEGER NOT NULL, source TEXT NOT NULL, launches INTEGER NOT NULL, mean_ms REAL,
    timing TEXT NOT NULL, metrics TEXT NOT NULL, lines TEXT NOT NULL, ranges TEXT NOT NULL
);
CREATE INDEX runs_by_label ON runs (label);
CREATE INDEX runs_by_commit ON runs (commit_id);
CREATE INDEX fingerprints_of_run ON fingerprints (run);
CREATE INDEX fingerprints_of_kernel ON fingerprints (path, name, run, source);
CREATE INDEX fingerprints_by_name ON fingerprints (name, run);
INSERT INTO runs VALUES
    (3, 'profile', 'before', 'advisor profile k.py', 1000.5, 1001.0, 'h200', 'NVIDIA H200',
     '{"python":"3.11"}', 'abcdef12', 1, 'done', '{"x":1.5}', '["a note"]', '{"k":[1]}', 'here 1'),
    (4, 'import', 'after', 'advisor import r.csv', 2000.0, 2000.0, 'l4', 'NVIDIA L4', '{}', NULL, NULL,
     'done', '{}', '[]', '{}', 'here 2');
INSERT INTO fingerprints VALUES
    (10, 3, 'add', 'k.py', 7, 'f00d', '["int64"]', '4 1 1', '256 1 1', 64, 'measured', 3, 2.5,
     '[2,2.5,2.5,0.5,2.0,3.0,[2.0,3.0]]', '{"flops":1e6}', '[["k.py",9,"access",{"s":4.0}]]', '["epoch"]'),
    (11, 3, 'add', 'k.py', 7, 'f00d', '["int64"]', '8 1 1', '256 1 1', 0, 'measured', 1, 4.0,
     '[1,4.0,4.0,0.0,4.0,4.0,[4.0]]', '{}', '[]', '[]'),
    (12, 4, 'void gemm<float>(int)', NULL, NULL, NULL, '[]', NULL, NULL, 0, 'measured', 1, NULL, 'null',
     '{}', '[]', '[]'),
    (13, 4, 'add', 'k.py', NULL, NULL, '[]', NULL, NULL, 0, 'simulated', 1, 9.0,
     '[1,9.0,9.0,0.0,9.0,9.0,[]]', '{}', '[]', '[]');
PRAGMA user_version = 1
"""
_LINES = (LineMetrics("k.py", 9, "access", {"s": 4.0}),)
_WHO = KernelIdentity("add", "k.py", "f00d", ("int64",), (4, 1, 1), (256, 1, 1), 64)
_OTHER_SHAPE = KernelIdentity("add", "k.py", "f00d", ("int64",), (8, 1, 1), (256, 1, 1))
_BEFORE = Run(
    RunFacts("profile", "before", "advisor profile k.py", 1000.5, "h200", "NVIDIA H200", {"python": "3.11"},
             "abcdef12", True),
    {"x": 1.5},
    (
        Fingerprint(_WHO, "measured", 3, Timing(2, 2.5, 2.5, 0.5, 2.0, 3.0, (2.0, 3.0)), {"flops": 1e6},
                    _LINES, ("epoch",), 7),
        Fingerprint(_OTHER_SHAPE, "measured", 1, Timing(1, 4.0, 4.0, 0.0, 4.0, 4.0, (4.0,)), line=7),
    ),
    ("a note",), {"k": [1]}, 3,
)  # fmt: skip
_AFTER = Run(
    RunFacts("import", "after", "advisor import r.csv", 2000.0, "l4", "NVIDIA L4"),
    fingerprints=(
        Fingerprint(KernelIdentity("void gemm<float>(int)"), "measured", 1, None),
        Fingerprint(KernelIdentity("add", "k.py"), "simulated", 1, Timing(1, 9.0, 9.0, 0.0, 9.0, 9.0)),
    ),
    id=4,
)


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    file = own_file(tmp_path)
    file.parent.mkdir()
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(_VERSION_1)
    return tmp_path


def version(root: Path) -> int:
    with closing(sqlite3.connect(own_file(root))) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_what_an_earlier_version_kept_is_read(earlier: Path) -> None:
    store = HistoryStore(earlier)
    assert [store.run(3), store.run(4)] == [_BEFORE, _AFTER]
    assert [one.mean for one in store.times("add")] == [2.5, 4.0, 9.0]
    assert [run.id for run in store.latest()] == [4, 3]
    assert version(earlier) == 2


def test_what_an_earlier_version_began_goes_on(earlier: Path) -> None:
    store = HistoryStore(earlier)
    assert store.add_run(Run(_BEFORE.facts, fingerprints=_BEFORE.fingerprints)) == 5
    assert store.run(5).fingerprints == _BEFORE.fingerprints
    assert [run.id for run in store.latest()] == [5, 4]
    with closing(sqlite3.connect(own_file(earlier))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM kernels").fetchone() == (3,)
        names = {
            row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE name LIKE '%by_%'")
        }
    assert names == {"runs_by_label", "runs_by_commit", "kernels_by_name"}


def test_several_open_it_at_once(earlier: Path) -> None:
    found = []
    together = threading.Barrier(4)

    def read() -> None:
        store = HistoryStore(earlier)
        together.wait()
        found.append([store.run(3), store.run(4)])
        store.close()

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[_BEFORE, _AFTER]] * 4


def test_one_that_cannot_be_written_is_read_and_left_as_it_is(
    earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a folder that cannot be written, where no log can be made."""

    def refuse(*_: object) -> None:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(sqlite_file, "use_write_ahead_log", refuse)
    before = own_file(earlier).read_bytes()
    assert HistoryStore(earlier).run(3) == _BEFORE
    assert own_file(earlier).read_bytes() == before


def test_a_step_that_fails_leaves_the_earlier_version(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = sqlite_file.statements

    def failing(found: int, dialect: sqlite_file.Dialect) -> list[str]:
        return [*steps(found, dialect), "INSERT INTO nowhere VALUES (1)"]

    monkeypatch.setattr(sqlite_file, "statements", failing)
    with pytest.raises(Exception, match="nowhere"):
        HistoryStore(earlier).add_run(_BEFORE)
    monkeypatch.undo()
    assert version(earlier) == 1
    assert HistoryStore(earlier).run(3) == _BEFORE
