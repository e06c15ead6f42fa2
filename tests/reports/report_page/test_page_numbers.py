"""The numbers of the page, computed by hand; what is not known stays blank or is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import histories
import pytest
from page_reading import Page

from advisor.model.history.fingerprint import Run
from advisor.model.history.store import HistoryStore

Make = Callable[[], Page]


def keep(store: HistoryStore, *those: object, **more: object) -> None:
    store.add_run(Run(histories.facts(1), {}, those, **more))  # type: ignore[arg-type]
    store.close()


def test_time_shares(whole: str) -> None:
    table = Page(whole).table("Kernels by their measured time")
    # 4 ms once, and 0.5 ms four times: 6 ms together.
    blur, scale = table.row("blur"), table.row("scale")
    assert (blur["time"], blur["share"], blur["each launch"], blur["CV"]) == (
        "4 ms",
        "66.7%",
        "4 ms",
        "2%",
    )
    assert (scale["time"], scale["share"], scale["launches"]) == ("2 ms", "33.3%", "4")
    assert blur["place"] == "work/blur.py:5"


def test_roofline(whole: str) -> None:
    table = Page(whole).table("Points of the chart")
    blur, hollow = (dict(zip(table.header, row, strict=True)) for row in table.rows if "blur" in row)
    # 4 FLOP/byte x 3.35 TB/s are 13.4 TFLOP/s, of which 2 are 14.9%.
    assert (blur["FLOP/byte"], blur["FLOP/s"], blur["of the roof"]) == ("4", "2 TFLOP/s", "14.9%")
    assert (blur["basis"], hollow["basis"]) == ("measured", "predicted")
    scale = table.row("scale")
    # 262,144 FLOP in 0.5 ms, and 2 MiB: 0.125 FLOP/byte.
    assert (scale["FLOP/byte"], scale["FLOP/s"]) == ("0.125", "524 MFLOP/s")


@pytest.mark.parametrize(
    ("metrics", "mean", "why"),
    [
        ({"dram_bytes": 1e6}, 1.0, "how many operations and bytes it takes is not known"),
        ({"flops": 1e6}, 1.0, "how many operations and bytes it takes is not known"),
        ({"flops": 0.0, "dram_bytes": 1e6}, 1.0, "it does no floating point operations"),
        ({"flops": 1e6, "dram_bytes": 1e6}, None, "its time is not known"),
    ],
)
def test_kernels_without_a_place_are_listed(
    store: HistoryStore, page: Make, metrics: dict[str, float], mean: float | None, why: str
) -> None:
    keep(store, histories.fingerprint("blur", mean, metrics=metrics))
    found = page()
    assert f" (measured): {why}" in found.words
    assert not [one for one in found.tables if one.name.startswith("Points")]
    assert "figure" not in found.sections["roofline-0"]


def test_shapes_without_a_place_for_one_reason_are_one_line(store: HistoryStore, page: Make) -> None:
    metrics = {"flops": 0.0, "dram_bytes": 1e6}
    one = histories.fingerprint("blur", 1.0, metrics=metrics)
    other = replace(one, identity=replace(one.identity, grid=(4, 4, 1)))
    keep(store, one, other)
    words = page().words
    assert "Not in the chart, since their place in it is not known (1):" in words
    assert words.count("(measured), 2 shapes: it does no floating point operations") == 1


def test_an_unknown_device_has_no_roofs(store: HistoryStore, page: Make) -> None:
    one = histories.fingerprint("blur", 2.0, metrics=histories.BLUR_METRICS)
    store.add_run(Run(histories.facts(1, "Some GPU X1", "Some GPU X1"), {}, (one,)))
    store.close()
    found = page()
    assert "The peaks of Some GPU X1 are not known" in found.words
    assert "of the roof" not in found.table("Points").header
    assert found.table("Points").row("blur")["FLOP/byte"] == "4"


def test_lines_with_their_numbers(whole: str) -> None:
    table = Page(whole).heat_maps[0]
    tenth, eleventh, first = table.row("10"), table.row("11"), table.row("4")
    assert tenth["source"] == "            total += image[x, (y + step) % image.shape[1]]"
    assert (tenth["time"], tenth["waits for"], tenth["sectors"]) == ("75%", "long_scoreboard 50%", "16,000")
    # A load of 200 x 4 and a store of 200 x 8 sectors; the update is these two and counts no more.
    assert (eleventh["requests"], eleventh["sectors"], eleventh["sectors per request"]) == (
        "400",
        "2,400",
        "6",
    )
    assert table.row("7")["divergent branches"] == "25%"
    assert first["source"] == "@cuda.jit" and first["time"] == first["requests"] == ""
    assert [row[0] for row in table.rows] == [str(line) for line in range(4, 12)]


def test_lines_that_moved_are_shown_where_they_are_now(
    project: Path, store: HistoryStore, page: Make
) -> None:
    histories.add_measured(store)
    store.close()
    file = project / histories.PATH
    file.write_text("# one more line\n" + histories.SOURCE, encoding="utf-8")
    row = page().heat_maps[0].row("11")
    assert (row["time"], row["source"].strip()) == ("75%", "total += image[x, (y + step) % image.shape[1]]")


def test_changed_source_is_not_shown_beside_old_numbers(
    project: Path, store: HistoryStore, page: Make
) -> None:
    histories.add_measured(store)
    store.close()
    file = project / histories.PATH
    file.write_text(histories.SOURCE.replace("total / 5.0", "total * 0.2"), encoding="utf-8")
    found = page()
    (table,) = found.heat_maps
    assert "Its code has changed since" in found.words
    assert {row[-1] for row in table.rows} == {""}
    assert [row[0] for row in table.rows] == ["7", "10", "11"]


def test_source_of_a_report_without_hash_is_not_shown(store: HistoryStore, page: Make) -> None:
    one = histories.fingerprint("blur", 2.0, lines=histories.BLUR_LINES)
    keep(store, replace(one, identity=replace(one.identity, source_hash=None)))
    found = page()
    assert "Whether the present source is what ran is not known" in found.words
    assert {row[-1] for row in found.heat_maps[0].rows} == {""}


def test_trend_and_alert(whole: str) -> None:
    found = Page(whole)
    blur = found.table("Mean time of a launch; “before”").row("blur")
    # The median of 2, 2.1, 1.9, 2, 2, 2.1, 2, 4 and 4 is 2; nights 8, 9 and 10 are alerts.
    assert (blur["runs"], blur["first"], blur["least"], blur["most"]) == ("10", "2 ms", "1.9 ms", "4 ms")
    assert (blur["before"], blur["latest"], blur["latest / before"]) == ("2 ms", "4 ms", "2")
    assert (blur["alerts"], blur["latest alert"]) == ("3", "run 10 (commit 10c0ffe)")
    assert "1 kernel took at least 1.5 times as long as before" in found.words


def test_no_alert_where_the_time_is_back(store: HistoryStore, page: Make) -> None:
    histories.add_measured(store, last_blur=2.0)
    store.close()
    found = page()
    assert "no kernel took 1.5 times as long as before" in found.words
    assert found.table("Mean time of a launch; “before”").row("blur")["alerts"] == "2"


def test_one_run_has_no_trend(store: HistoryStore, page: Make) -> None:
    keep(store, histories.fingerprint("blur", 2.0))
    found = page()
    assert "There is one run so far for NVIDIA H100 SXM, measured." in found.words
    assert "figure" not in found.sections["trend-none"]


def test_devices(whole: str) -> None:
    table = Page(whole).table("Mean time of a launch; an empty")
    blur = table.row("blur")
    assert blur["NVIDIA H100 SXM, measured"] == "4 ms"
    assert blur["NVIDIA A100 80GB, predicted"] == "600 us"
    # 1 GB at 85% of 2 TB/s: the device with the same caches, whose DRAM is slower.
    assert blur["NVIDIA H100 PCIe, predicted from counts"] == "588 us"
    assert not any("T4" in name or "B200" in name for name in table.header)


def test_other_code_is_not_compared(store: HistoryStore, page: Make) -> None:
    one = histories.fingerprint("blur", 2.0)
    other = replace(one, identity=replace(one.identity, source_hash="f" * 16))
    store.add_run(Run(histories.facts(1), {}, (one,)))
    store.add_run(Run(histories.facts(2, "a100-80gb", "NVIDIA A100-SXM4-80GB"), {}, (other,)))
    store.close()
    assert "No kernel of the history was run with the same code and shape for two devices" in page().words


def test_nvml(whole: str) -> None:
    found = Page(whole)
    power = found.table("Samples of NVML").row("power")
    # 200 W to 200 + 99 x 4.5 W, in even steps.
    assert (power["least"], power["mean"], power["most"], power["limit"]) == (
        "200 W",
        "423 W",
        "646 W",
        "700 W",
    )
    assert found.table("Why clocks").row("software power cap")["of the samples"] == "19%"
    assert "Run 10: 100 samples, NVIDIA H100 80GB HBM3, driver 570.86." in found.words


def test_without_nvml_the_reason_is_told(store: HistoryStore, page: Make) -> None:
    keep(store, histories.fingerprint("blur", 2.0), notes=("NVML cannot be asked: no driver.",))
    assert "NVML cannot be asked: no driver." in page().words


def test_samples_that_are_none_do_no_harm(store: HistoryStore, page: Make) -> None:
    samples = [{"time": "now"}, 5, {"time": 1.0, "power": None, "reasons": None}, {"time": 2.0, "power": "x"}]
    keep(store, histories.fingerprint("blur", 2.0), host={"nvml": {"facts": None, "samples": samples}})
    assert "Run 1: 2 samples." in page().words


def test_predicted_runs_say_so(store: HistoryStore, page: Make) -> None:
    histories.add_predicted(store)
    store.close()
    found = page()
    assert (
        "Nothing here was measured. All times are a model's predictions for NVIDIA H100 SXM." in found.words
    )
    assert "1 kernel is predicted to take 300 us in an iteration." in found.words
    assert not [one for one in found.tables if "measured time" in one.name]


def test_measured_runs_need_no_warning(store: HistoryStore, page: Make) -> None:
    keep(store, histories.fingerprint("blur", 2.0))
    assert "Predicted." not in page().words


def test_kernels_without_any_time(store: HistoryStore, page: Make) -> None:
    keep(store, histories.fingerprint("blur", None))
    found = page()
    assert "The time of 1 kernel is not known" in found.words
    assert found.sections["time-0"].count("figure") == 0
