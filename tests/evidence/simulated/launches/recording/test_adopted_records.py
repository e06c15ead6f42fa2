"""The record of launches that were made elsewhere, added to the one that is here."""

from __future__ import annotations

from advisor.evidence.simulated.launches.store import CopyRow, LaunchRow, LaunchStore, ProgramRow


def launch(number: int, **more) -> LaunchRow:
    given = {"statistics": {"loads": number}, "problem": None, **more}
    return LaunchRow(
        number, "scale", "k.py", 3, "hash", None, None, (4, 1, 1), (64, 1, 1), 0, [], 0, 1.0, 0.5, **given
    )


def record(store: LaunchStore, command: str, *numbers: int) -> None:
    run = store.begin_run(command, "a100-80gb", "simt")
    rows = [(one, store.add_counts(one)) for one in map(launch, numbers)]
    store.add(run, [*rows, (launch(99), None)])
    store.add_copy(run, CopyRow("scale", "k.py", numbers[0], {"kind": "unread"}))
    store.note_program(run, ProgramRow("main.py", (command,), False, "."))
    store.end_run(run, "done", {"k.py": command})


def test_another_record_stands_behind_the_own_one(tmp_path):
    here, there = LaunchStore(tmp_path, tmp_path / "here"), LaunchStore(tmp_path, tmp_path / "there")
    record(here, "first", 1, 2)
    record(there, "second", 3)
    record(there, "third", 4)
    here.adopt(there.content())
    assert [(run.id, run.command, run.status) for run in here.runs()] == [
        (1, "first", "done"),
        (2, "second", "done"),
        (3, "third", "done"),
    ]
    assert here.last_inputs("third", "a100-80gb") == {"k.py": "third"}
    latest = here.latest(["k.py"])["k.py", "scale"]
    assert [(run.command, row.number, row.statistics, row.defects) for run, row in latest] == [
        ("third", 4, {"loads": 4}, [{"kind": "unread"}]),
        ("third", 99, None, []),
    ]
    assert [program.arguments for _, program, _ in here.programs(["k.py"])] == [
        ("third",),
        ("second",),
        ("first",),
    ]
    here.adopt(there.content())
    assert [run.command for run in here.runs()] == ["first", "second", "third", "second", "third"]
    here.close(), there.close()


def test_an_empty_record_may_adopt(tmp_path):
    here, there = LaunchStore(tmp_path, tmp_path / "here"), LaunchStore(tmp_path, tmp_path / "there")
    record(there, "second", 3)
    here.adopt(there.content())
    assert [row.statistics for _, row in here.latest(["k.py"])["k.py", "scale"]] == [{"loads": 3}, None]
    here.close(), there.close()
