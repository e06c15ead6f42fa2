"""The history: what is written is read again, and runs are found by what they are called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from kept_runs import facts, fingerprint

from advisor.model.errors import UsageError
from advisor.model.history.fingerprint import KernelRun, Run
from advisor.model.history.store import HistoryStore


def _store(folder: Path) -> HistoryStore:
    return HistoryStore(folder)


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = Run(
        facts(toolchain={"python": "3.11"}, commit="a" * 40, dirty=True),
        {"total_latency_ms": 12.5, "timing_basis": "predicted", "is_it": True},
        (fingerprint(), fingerprint("mul", None, None, "measured")),
        ("NVML is not there",),
        {"samples": [[1, 2.5], [2, None]]},
    )
    number = _store(tmp_path).add_run(run)
    assert _store(tmp_path).run(number) == replace(run, id=number)


def test_a_fingerprint_is_readable_by_others_as_soon_as_it_is_added(tmp_path: Path) -> None:
    writer, reader = _store(tmp_path), _store(tmp_path)
    number = writer.begin(facts())
    writer.add(number, fingerprint())
    run = reader.run(number)
    assert (run.status, run.fingerprints) == ("running", (fingerprint(),))
    writer.end(number, {"total_latency_ms": 1.0}, ["a note"], {"k": [1]})
    run = reader.run(number)
    assert (run.status, run.notes, run.host) == ("done", ("a note",), {"k": [1]})
    assert run.metrics == {"total_latency_ms": 1.0}


def test_numbers_that_are_not_finite_are_not_kept(tmp_path: Path) -> None:
    one = replace(fingerprint(), metrics={"flops": float("nan"), "bytes": float("inf"), "dram_norm": 0.5})
    store = _store(tmp_path)
    number = store.add_run(Run(facts(), fingerprints=(one,), host={"x": float("nan")}))
    run = store.run(number)
    assert (run.fingerprints[0].metrics, run.host) == ({"dram_norm": 0.5}, {"x": None})


def test_nothing_is_made_by_reading(tmp_path: Path) -> None:
    store = _store(tmp_path)
    assert (store.runs(), store.times(), store.kernel_runs("k.py")) == ([], [], {})
    assert list(tmp_path.iterdir()) == []


def test_runs_come_latest_first_and_are_narrowed_down(tmp_path: Path) -> None:
    store = _store(tmp_path)
    for label, device, kind in (("a", "h200", "profile"), ("b", "l4", "import"), ("c", "h200", "import")):
        store.add_run(Run(facts(label, device, kind)))
    assert [run.facts.label for run in store.runs()] == ["c", "b", "a"]
    assert [run.facts.label for run in store.runs(device="h200")] == ["c", "a"]
    assert [run.facts.label for run in store.runs(kind="import", most=1)] == ["c"]


def test_a_run_is_found_by_number_age_label_and_commit(tmp_path: Path) -> None:
    store = _store(tmp_path)
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
def test_what_is_not_there_is_told_with_what_is(tmp_path: Path, text: str) -> None:
    store = _store(tmp_path)
    store.add_run(Run(facts("nightly", commit="abcdef12" + "0" * 32)))
    with pytest.raises(UsageError, match=r"No run is called .* The latest are 1 \(nightly\)"):
        store.find(text)


def test_an_empty_history_says_how_to_fill_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Nothing has been kept yet"):
        _store(tmp_path).find("latest")


def test_a_kernel_in_a_run_has_all_its_shapes_of_that_run_only(tmp_path: Path) -> None:
    store = _store(tmp_path)
    small = replace(fingerprint(), identity=replace(fingerprint().identity, grid=(1, 1, 1)))
    store.add_run(Run(facts("old"), fingerprints=(fingerprint(mean=9.0), fingerprint("mul"))))
    second = store.add_run(Run(facts("new"), fingerprints=(fingerprint(), small)))
    assert store.of_kernel("k.py", "add", second, "simulated") == (fingerprint(), small)
    assert store.of_kernel("k.py", "add", second, "measured") == ()
    assert store.of_kernel("other.py", "add", second, "simulated") == ()


def test_of_each_text_device_and_command_the_latest_measurement(tmp_path: Path) -> None:
    store = _store(tmp_path)
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


def test_times_come_oldest_first_without_those_that_have_none(tmp_path: Path) -> None:
    store = _store(tmp_path)
    store.add_run(Run(facts(), fingerprints=(fingerprint(mean=4.0), fingerprint("mul", mean=1.0))))
    store.add_run(Run(facts(), fingerprints=(fingerprint(mean=None), fingerprint("add", "other.py", 7.0))))
    store.add_run(Run(facts(), fingerprints=(fingerprint(mean=3.0),)))
    assert [(one.run, one.mean) for one in store.times("add", "k.py")] == [(1, 4.0), (3, 3.0)]
    assert [one.mean for one in store.times("add")] == [4.0, 7.0, 3.0]
    assert len(store.times()) == 4
