"""The store on disk, and that a second check compiles nothing."""

from __future__ import annotations

import multiprocessing
import sqlite3
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from small_kernels import KERNELS

from advisor.evidence.compiled import Target, compile_units, units
from advisor.evidence.compiled.compile_requests import compile_keys
from advisor.evidence.compiled.compilers import process
from advisor.model.storage.cache import Cache

TARGET = Target((9, 0))
FILE = "results.sqlite3"


def test_values_come_back_in_bulk(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "deep" / "folder")
    assert cache.get_many(["a"]) == {}
    assert not (tmp_path / "deep").exists()
    cache.put_many({"a": {"x": [1, 2.5, None, "é"]}, "b": 2})
    cache.put_many({"b": 3})
    assert Cache(tmp_path / "deep" / "folder").get_many(["a", "b", "c", "a"]) == {
        "a": {"x": [1, 2.5, None, "é"]},
        "b": 3,
    }
    many = {f"key{n}": n for n in range(1200)}
    cache.put_many(many)
    assert cache.get_many(many) == many


@pytest.mark.parametrize("damage", [b"", b"not a database", b"SQLite format 3\0" + b"\x07" * 8192])
def test_a_damaged_file_is_replaced_without_a_word(tmp_path: Path, damage: bytes) -> None:
    cache = Cache(tmp_path)
    cache.put_many({"a": 1})
    for file in tmp_path.glob(f"{FILE}*"):
        file.unlink()
    (tmp_path / FILE).write_bytes(damage)
    assert cache.get_many(["a"]) == {}
    cache.put_many({"a": 2})
    assert cache.get_many(["a"]) == {"a": 2}


def test_a_value_that_is_no_json_and_another_format_count_as_damage(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put_many({"a": 1, "b": 2})
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("UPDATE result SET value = 'cos' WHERE key = 'a'")
    connection.close()
    assert cache.get_many(["a", "b"]) == {}
    cache.put_many({"b": 5})
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
    assert cache.get_many(["b"]) == {}


def test_the_store_is_bounded_and_keeps_what_was_used_last(tmp_path: Path) -> None:
    cache = Cache(tmp_path, most_entries=8)
    for number in range(8):
        cache.put_many({f"k{number}": number})
    assert len(cache.get_many(f"k{n}" for n in range(8))) == 8
    cache.get_many(["k0"])
    cache.put_many({"new": 1})
    left = cache.get_many([*(f"k{n}" for n in range(8)), "new"])
    assert len(left) == 6
    assert {"k0", "new"} <= set(left)


def test_a_folder_that_cannot_be_made_leaves_the_cache_empty(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "below")
    cache.put_many({"a": 1})
    assert cache.get_many(["a"]) == {}


def _fill(folder: Path, start: int) -> None:
    cache = Cache(folder)
    for number in range(start, start + 40):
        cache.put_many({str(number): number})


def test_processes_write_at_the_same_time(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_fill, args=(tmp_path, 100 * n)) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
        assert writer.exitcode == 0
    wanted = {str(100 * n + k): 100 * n + k for n in range(3) for k in range(40)}
    assert Cache(tmp_path).get_many(wanted) == wanted


SECOND_RUN = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import small_kernels
from advisor.model.storage.cache import Cache
from advisor.evidence.compiled import Target, compile_units
from advisor.evidence.compiled.compilers import process
def refuse(*_): raise AssertionError("a worker was started")
process.subprocess.Popen = refuse
wanted = [small_kernels.KERNELS[name] for name in ("double", "type_error")]
steps = []
found = compile_units(wanted, Target((9, 0)), cache=Cache(Path(sys.argv[1])), timeout=60, jobs=2,
                      progress=lambda *step: steps.append(step))
assert set(found.by_kernel) == {"double"}, found
assert len(found.problems) == 1, found
assert steps == [("compiling", 2, 2)], steps
loaded = {name.partition(".")[0] for name in sys.modules} & {"numba", "llvmlite", "cuda", "numba_cuda"}
assert not loaded, loaded
"""


@pytest.mark.usefixtures("evidence")
class TestCompiledEvidenceInTheCache:
    """Units in front of the cache."""

    def test_a_second_run_starts_no_worker_and_imports_no_numba(self, tmp_path: Path) -> None:
        wanted = [KERNELS["double"], KERNELS["type_error"]]
        steps: list[tuple[str, int, int]] = []
        compile_units(
            wanted,
            TARGET,
            cache=Cache(tmp_path),
            timeout=120,
            jobs=1,
            progress=lambda *step: steps.append(step),
        )
        assert steps == [("compiling", 0, 2), ("compiling", 1, 2), ("compiling", 2, 2)]
        command = [
            sys.executable,
            "-c",
            textwrap.dedent(SECOND_RUN),
            str(tmp_path),
            str(Path(__file__).parent),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr

    def test_lines_follow_a_kernel_that_moved_and_other_content_is_another_unit(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cache = Cache(tmp_path)
        unit = KERNELS["double"]
        before = compile_units([unit], TARGET, cache=cache, timeout=120, jobs=1).by_kernel["double"]
        monkeypatch.setattr(process, "worker_command", lambda: [sys.executable, "-c", "raise SystemExit(3)"])
        moved = replace(unit, functions=tuple(replace(f, line=f.line + 100) for f in unit.functions))
        found = compile_units([moved], TARGET, cache=cache, timeout=60, jobs=1)
        assert [code.line - 100 for code in found.by_kernel["double"].lines] == [
            code.line for code in before.lines
        ]
        fast = replace(unit, options={"fastmath": True})
        assert compile_units([fast], TARGET, cache=cache, timeout=60, jobs=1).unavailable is not None
        assert compile_units([unit], Target((8, 0)), cache=cache, timeout=60, jobs=1).unavailable is not None

    def test_time_limits_are_not_kept(self, tmp_path: Path) -> None:
        cache = Cache(tmp_path)
        assert compile_units([KERNELS["half"]], TARGET, cache=cache, timeout=0.001, jobs=1).problems
        assert compile_units([KERNELS["half"]], TARGET, cache=cache, timeout=120, jobs=1).by_kernel


@pytest.mark.parametrize(
    "value", [3, [], {}, {"candidate": 9}, {"problem": None}, {"candidate": 0, "lines": [[7, 1, {}]]}]
)
def test_values_of_another_making_are_compiled_anew(
    tmp_path: Path, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "worker_command", lambda: [sys.executable, "-c", "raise SystemExit(3)"])
    cache = Cache(tmp_path)
    (key,) = compile_keys([KERNELS["double"]], TARGET, units._FORMAT)
    cache.put_many({key: value})
    found = compile_units([KERNELS["double"]], TARGET, cache=cache, timeout=60, jobs=1)
    assert found.by_kernel == {}
    assert found.problems == []
    assert found.unavailable is not None
