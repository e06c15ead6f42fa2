"""Tasks done by this machine, and projects as bytes that travel."""

from __future__ import annotations

import os

import pytest

from advisor.model.errors import UsageError
from advisor.model.processes import packed_projects
from advisor.model.processes.packed_projects import packed_project
from advisor.model.processes.units_of_work import Task, ThisMachine, content_key, in_chunks, in_order


def test_results_come_with_their_places_and_in_order_when_asked():
    tasks = [Task("", pow, (number, 2)) for number in (3, 1, 2)]
    assert dict(ThisMachine(2).results(tasks)) == {0: 9, 1: 1, 2: 4}
    assert in_order(iter([(2, "c"), (0, "a"), (1, "b")])) == ["a", "b", "c"]
    assert list(ThisMachine(2).results([])) == []


def test_what_a_task_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        list(ThisMachine(1).results([Task("", divmod, (1, 0))]))


def test_here_a_project_is_itself(tmp_path):
    place = ThisMachine(1).place(tmp_path)
    with place.opened() as root:
        assert root == tmp_path
    assert place.told("k.py: no", root) == "k.py: no"


def test_keys_tell_contents_apart():
    assert content_key("compile", {"a": 1, "b": [2]}) == content_key("compile", {"b": [2], "a": 1})
    different = {content_key("compile", 1), content_key("launches", 1), content_key("compile", "1")}
    assert len(different) == 3
    assert content_key("compile", 1).startswith("compile-")


@pytest.mark.parametrize(
    ("items", "at_once", "sizes"),
    # 4 parts for each worker, of 16 at most and 1 at least.
    [(0, 2, []), (5, 2, [1] * 5), (40, 2, [5] * 8), (100, 1, [16] * 6 + [4]), (1000, 100, [3] * 333 + [1])],
)
def test_parts_for_workers(items, at_once, sizes):
    parts = in_chunks(range(items), at_once, 16)
    assert [len(part) for part in parts] == sizes
    assert [one for part in parts for one in part] == list(range(items))


def test_a_project_within_a_package_begins_above_it(tmp_path):
    root = tmp_path / "package" / "inner"
    root.mkdir(parents=True)
    for folder in (root, root.parent):
        (folder / "__init__.py").write_text("")
    (tmp_path / "beside.txt").write_text("no part of the package")
    (root / "run.sh").write_text("echo\n")
    (root / "run.sh").chmod(0o755)
    (root / "linked").symlink_to(tmp_path)
    packed = packed_project(root)
    with packed.opened() as copy:
        assert copy.parts[-3:] == (tmp_path.name, "package", "inner")
        assert sorted(file.name for file in copy.parents[1].iterdir()) == ["package"]
        assert (copy.parent / "__init__.py").is_file()
        assert os.access(copy / "run.sh", os.X_OK)
        assert not (copy / "linked").exists()
        assert packed.told(f"{copy}/run.sh", copy) == f"{root}/run.sh"
    assert not copy.exists()


def test_equal_files_are_equal_projects(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "k.py").write_text("x = 1\n")
    digest = packed_project(tmp_path / "a").digest
    assert packed_project(tmp_path / "b").digest == digest
    (tmp_path / "b" / "k.py").write_text("x = 2\n")
    assert packed_project(tmp_path / "b").digest != digest


def test_a_project_that_is_too_large_is_not_sent(tmp_path, monkeypatch):
    (tmp_path / "data.bin").write_bytes(bytes(3 << 20))
    monkeypatch.setattr(packed_projects, "MOST_BYTES", 2 << 20)
    with pytest.raises(UsageError, match="more than the 2 MB that go to a cluster"):
        packed_project(tmp_path)
    monkeypatch.setattr(packed_projects, "MOST_BYTES", 3 << 20)
    assert len(packed_project(tmp_path).data) < 100_000
