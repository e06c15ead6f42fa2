"""The history in each database: what is written is read again, and runs are found by what they are called."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest
from kept_runs import facts, fingerprint
from postgresql_server import PostgresqlServer

from advisor.model.errors import UsageError
from advisor.model.history.copying import Copied, copy_history
from advisor.model.history.fingerprint import Fingerprint, KernelRun, Run
from advisor.model.history.store import HistoryStore

Make: TypeAlias = "Callable[[], HistoryStore]"
_NUMBERS = itertools.count()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest) -> str:
    if request.param == "sqlite":
        return ""
    server: PostgresqlServer = request.getfixturevalue("server")
    return server.schema(f"history{next(_NUMBERS)}")


@pytest.fixture
def make(address: str, tmp_path: Path) -> Iterator[Make]:
    made = []

    def new() -> HistoryStore:
        made.append(HistoryStore(tmp_path, address))
        return made[-1]

    yield new
    for one in made:
        one.close()


def test_a_run_is_read_as_it_was_written(make: Make) -> None:
    run = Run(
        facts(toolchain={"python": "3.11"}, commit="a" * 40, dirty=True),
        {"total_latency_ms": 12.5, "timing_basis": "predicted", "is_it": True},
        (fingerprint(), fingerprint("mul", None, None, "measured")),
        ("NVML is not there",),
        {"samples": [[1, 2.5], [2, None]]},
    )
    number = make().add_run(run)
    assert make().run(number) == replace(run, id=number)


def test_a_fingerprint_is_readable_by_others_as_soon_as_it_is_added(make: Make) -> None:
    writer, reader = make(), make()
    number = writer.begin(facts())
    writer.add(number, fingerprint())
    run = reader.run(number)
    assert (run.status, run.fingerprints) == ("running", (fingerprint(),))
    writer.end(number, {"total_latency_ms": 1.0}, ["a note"], {"k": [1]})
    run = reader.run(number)
    assert (run.status, run.notes, run.host) == ("done", ("a note",), {"k": [1]})
    assert run.metrics == {"total_latency_ms": 1.0}


def test_the_run_before_is_one_of_the_same_label_with_a_kernel_of_this_one(make: Make) -> None:
    store = make()
    other_label = store.add_run(Run(facts("second"), {}, (fingerprint(),)))
    store.add_run(Run(facts(), {}, (fingerprint("mul"),)))
    store.add_run(Run(facts(device="a100"), {}, (fingerprint(),)))
    store.add_run(Run(facts(), {}, (fingerprint(source="measured"),)))
    now = store.run(store.add_run(Run(facts(), {}, (fingerprint(path="moved.py"),))))
    assert store.run_before(now, "simulated") == other_label
    later = store.run(store.add_run(Run(facts(), {}, (fingerprint(),))))
    assert store.run_before(later, "simulated") == now.id
    store.add_run(Run(facts("second"), {}, (fingerprint(),)))
    # That of the same label, though another one came after it.
    last = store.run(store.add_run(Run(facts(), {}, (fingerprint(),))))
    assert store.run_before(last, "simulated") == later.id
    unnamed = store.run(store.add_run(Run(facts(""), {}, (fingerprint("alone"),))))
    assert store.run_before(unnamed, "simulated") is None


def test_numbers_that_are_not_finite_are_not_kept(make: Make) -> None:
    one = replace(fingerprint(), metrics={"flops": float("nan"), "bytes": float("inf"), "dram_norm": 0.5})
    store = make()
    number = store.add_run(Run(facts(), fingerprints=(one,), host={"x": float("nan")}))
    run = store.run(number)
    assert (run.fingerprints[0].metrics, run.host) == ({"dram_norm": 0.5}, {"x": None})


def test_nothing_is_made_by_reading(make: Make, tmp_path: Path) -> None:
    store = make()
    assert (store.runs(), store.times(), store.kernel_runs("k.py"), store.latest()) == ([], [], {}, [])
    assert list(tmp_path.iterdir()) == []
    assert not make().exists()


def test_runs_come_latest_first_and_are_narrowed_down(make: Make) -> None:
    store = make()
    for label, device, kind in (("a", "h200", "profile"), ("b", "l4", "import"), ("c", "h200", "import")):
        store.add_run(Run(facts(label, device, kind)))
    assert [run.facts.label for run in store.runs()] == ["c", "b", "a"]
    assert [run.facts.label for run in store.runs(device="h200")] == ["c", "a"]
    assert [run.facts.label for run in store.runs(kind="import", most=1)] == ["c"]


def test_a_run_is_found_by_number_age_label_and_commit(make: Make) -> None:
    store = make()
    first = store.add_run(Run(facts("before", commit="abcdef12" + "0" * 32)))
    second = store.add_run(Run(facts("after", commit="abc00000" + "0" * 32)))
    third = store.add_run(Run(facts("before")))
    broken = store.add_run(Run(facts("half"), status="failed"))
    assert store.find(str(second)) == second
    assert (store.find("latest"), store.find("latest~1"), store.find("latest~2")) == (third, second, first)
    assert store.find("before") == third
    assert store.find("half") == broken
    assert (store.find("abcdef"), store.find("abc0")) == (first, second)


@pytest.mark.parametrize("text", ["99", "latest~3", "latest~x", "nobody", "ffff", "", "abc", "9" * 400, "²"])
def test_what_is_not_there_is_told_with_what_is(make: Make, text: str) -> None:
    store = make()
    store.add_run(Run(facts("nightly", commit="abcdef12" + "0" * 32)))
    with pytest.raises(UsageError, match=r"No run is called .* The latest are 1 \(nightly\)"):
        store.find(text)


def test_an_empty_history_says_how_to_fill_it(make: Make) -> None:
    with pytest.raises(UsageError, match="Nothing has been kept yet"):
        make().find("latest")


def test_a_kernel_in_a_run_has_all_its_shapes_of_that_run_only(make: Make) -> None:
    store = make()
    small = replace(fingerprint(), identity=replace(fingerprint().identity, grid=(1, 1, 1)))
    store.add_run(Run(facts("old"), fingerprints=(fingerprint(mean=9.0), fingerprint("mul"))))
    second = store.add_run(Run(facts("new"), fingerprints=(fingerprint(), small)))
    assert store.of_kernel("k.py", "add", second, "simulated") == (fingerprint(), small)
    assert store.of_kernel("k.py", "add", second, "measured") == ()
    assert store.of_kernel("other.py", "add", second, "simulated") == ()


def test_of_each_text_device_and_command_the_latest_measurement(make: Make) -> None:
    store = make()
    measured = fingerprint(source="measured")
    other_text = replace(measured, identity=replace(measured.identity, source_hash="f00d"))
    here = replace(facts(), executed_on="NVIDIA H200")
    imported = replace(here, kind="import", command="advisor import kernels.csv")
    for run in (
        Run(here, fingerprints=(measured,)),
        Run(imported, fingerprints=(measured, fingerprint("mul", source="measured"))),
        Run(here, fingerprints=(other_text,)),
        Run(replace(here, device="l4", executed_on="NVIDIA L4"), fingerprints=(measured,)),
        Run(here, fingerprints=(measured, measured)),
        Run(here, fingerprints=(fingerprint(),)),  # predicted
        Run(replace(here, executed_on="simt"), fingerprints=(measured,)),
    ):
        store.add_run(run)
    known = measured.identity.source_hash
    assert store.kernel_runs("k.py") == {
        "add": [
            KernelRun(5, "h200", known), KernelRun(4, "l4", known), KernelRun(3, "h200", "f00d"),
            KernelRun(2, "h200", known),
        ],
        "mul": [KernelRun(2, "h200", known)],
    }  # fmt: skip
    assert store.kernel_runs("other.py") == {}


def test_times_come_oldest_first_without_those_that_have_none(make: Make) -> None:
    store = make()
    store.add_run(Run(facts(), fingerprints=(fingerprint(mean=4.0), fingerprint("mul", mean=1.0))))
    store.add_run(Run(facts(), fingerprints=(fingerprint(mean=None), fingerprint("add", "other.py", 7.0))))
    store.add_run(Run(facts(), fingerprints=(fingerprint(mean=3.0),)))
    assert [(one.run, one.mean) for one in store.times("add", "k.py")] == [(1, 4.0), (3, 3.0)]
    assert [one.mean for one in store.times("add")] == [4.0, 7.0, 3.0]
    assert len(store.times()) == 4


def test_of_each_kernel_the_latest_times_are_asked_for(make: Make) -> None:
    store = make()
    for mean in (1.0, 2.0, 3.0, 4.0):
        store.add_run(Run(facts(), fingerprints=(fingerprint(mean=mean), fingerprint("mul", mean=10 * mean))))
    assert [(one.name, one.mean) for one in store.times(most=2)] == [
        ("add", 3.0), ("mul", 30.0), ("add", 4.0), ("mul", 40.0),
    ]  # fmt: skip


def test_the_latest_of_each_kernel_device_and_source(make: Make) -> None:
    """Of a kernel without path too; a run all of whose kernels a later one has is left out."""
    store = make()
    of_report = fingerprint("void gemm<float>(int)", None, source="measured")
    store.add_run(Run(facts("gone"), fingerprints=(fingerprint(),)))
    store.add_run(Run(facts("l4", "l4"), fingerprints=(fingerprint(mean=5.0),)))
    store.add_run(Run(facts("report"), fingerprints=(of_report, fingerprint(source="measured", mean=7.0))))
    store.add_run(Run(facts("last"), fingerprints=(fingerprint(mean=3.0), fingerprint(mean=4.0))))

    def shown(run: Run) -> tuple[str, list[tuple[str | None, float | None]]]:
        kernels = [(one.identity.path, one.timing and one.timing.mean) for one in run.fingerprints]
        return run.facts.label, kernels

    assert [shown(run) for run in store.latest()] == [
        ("last", [("k.py", 3.0), ("k.py", 4.0)]),
        ("report", [(None, 2.0), ("k.py", 7.0)]),
        ("l4", [("k.py", 5.0)]),
    ]  # fmt: skip


def test_the_latest_of_each_shape_of_a_kernels_launches(make: Make) -> None:
    store = make()

    def sized(blocks: int, text: str = "now", mean: float = 2.0) -> Fingerprint:
        one = fingerprint(mean=mean)
        return replace(one, identity=replace(one.identity, grid=(blocks, 1, 1), source_hash=text))

    for shapes in ([sized(1), sized(2)], [sized(1, mean=5.0)], [sized(3)], [sized(3, "earlier")]):
        store.add_run(Run(facts(), fingerprints=tuple(shapes)))
    store.add_run(Run(facts(device="l4"), fingerprints=(sized(4),)))
    assert store.latest_of_shapes(sized(9), "h200", 9) == [sized(3), sized(1, mean=5.0), sized(2)]
    assert store.latest_of_shapes(sized(9), "h200", 2) == [sized(3), sized(1, mean=5.0)]
    assert store.latest_of_shapes(sized(9, "earlier"), "h200", 9) == [sized(3, "earlier")]
    assert store.latest_of_shapes(sized(9), "h100", 9) == []


@pytest.mark.parametrize(
    "name",
    [
        "a%s",
        "what?",
        "o'Neil",
        'a"b',
        "Ω≈ç√ 核",
        "a\\b",
        "line\nbreak",
        "; DROP TABLE runs; --",
        "%(x)s {0}",
        " ",
    ],
)
def test_names_with_odd_characters(make: Make, name: str) -> None:
    store = make()
    one = fingerprint(name, f"{name}/k.py", source="measured")
    run = Run(replace(facts(name), executed_on=name), {name: name}, (one,), (name,), {name: [name]})
    number = store.add_run(run)
    assert make().run(number) == replace(run, id=number)
    assert store.find(name) == number
    assert list(store.kernel_runs(f"{name}/k.py")) == [name]


@pytest.mark.parametrize("letter", ["\0", "\ud800"])
def test_letters_that_no_database_takes_become_a_mark(make: Make, letter: str) -> None:
    store = make()
    number = store.add_run(Run(facts(f"a{letter}b"), {}, (fingerprint(f"k{letter}"),), (f"n{letter}",)))
    kept = store.run(number)
    assert (kept.facts.label, kept.fingerprints[0].identity.name) == ("a\ufffdb", "k\ufffd")
    assert store.find(f"a{letter}b") == number
    assert store.times(f"k{letter}")[0].name == "k\ufffd"


def test_a_copy_holds_what_the_original_does(make: Make, tmp_path: Path) -> None:
    """Into the other database or the same one; a second copy adds what is new alone."""
    store, copied = make(), HistoryStore(tmp_path, "copy.sqlite")
    first = Run(
        facts(toolchain={"python": "3.11"}, commit="a" * 40, dirty=True), {"x": 1.5}, (fingerprint(),), ("n",)
    )
    second = Run(
        replace(facts("other"), started=2.0), fingerprints=(fingerprint("b", None), fingerprint("c"))
    )
    for run in (first, second):
        store.add_run(run)
    running = store.begin(facts("still running"))
    assert copy_history(store.database, copied.database) == Copied(2, 3, 0, 1)
    assert [copied.run(1), copied.run(2)] == [replace(first, id=1), replace(second, id=2)]
    store.end(running)
    assert copy_history(store.database, copied.database) == Copied(1, 0, 2, 0)
    back = HistoryStore(tmp_path, "back.sqlite")
    assert copy_history(copied.database, back.database) == Copied(3, 3, 0, 0)
    assert copy_history(back.database, store.database) == Copied(0, 0, 3, 0)
    assert [back.run(one) for one in (1, 2, 3)] == [store.run(one) for one in (1, 2, 3)]
    for one in (copied, back):
        one.close()
