"""A long history: the page stays small, and no peak is lost where points are left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import histories
from drawn_pages import html_of
from hypothesis import given
from hypothesis import strategies as st
from page_reading import Page

from advisor.model.history.fingerprint import Run
from advisor.model.history.queries import INSERT_RUN
from advisor.model.history.rows import FINGERPRINT_COLUMNS, run_row
from advisor.model.history.store import HistoryStore
from advisor.reports.html_report.series import drawn_positions, series_of

RUNS, KERNELS = 1_000, 50


def add_many(store: HistoryStore) -> None:
    """Keep 1,000 runs of 50 kernels, most of them copied with other times."""
    one = histories.fingerprint("blur", 2.0, metrics=histories.BLUR_METRICS, lines=histories.BLUR_LINES)
    those = tuple(
        replace(
            one,
            identity=replace(one.identity, name=f"kernel_{kernel:02d}", source_hash=None),
            timing=histories.timing(kernel + 1.0),
        )
        for kernel in range(KERNELS)
    )
    first = store.add_run(Run(histories.facts(1), {}, those))
    copied = FINGERPRINT_COLUMNS.replace("mean_ms", "mean_ms * (0.95 + ((id * ? * 7919) % 1000) * 0.0001)")
    with store.database.transaction() as at:
        for number in range(2, RUNS):
            run = at.insert(INSERT_RUN, (*run_row(histories.facts(number)), "nobody 1"))
            at.execute(
                f"INSERT INTO fingerprints (run, kernel, {FINGERPRINT_COLUMNS}) SELECT ?, kernel, {copied}"
                " FROM fingerprints WHERE run = ?",
                (run, run, first),
            )
        at.execute("UPDATE runs SET status = 'done'")
    store.add_run(Run(histories.facts(RUNS), {}, those))


def test_a_long_history_gives_a_small_page(tmp_path: Path) -> None:
    root = histories.write_project(tmp_path / "project")
    store = HistoryStore(root)
    add_many(store)
    store.close()
    html = html_of(root)
    assert len(html.encode("utf-8")) < 3_000_000
    found = Page(html)
    assert len(found.table("Kernels by").rows) == len(found.table("Points").rows) == KERNELS
    trend = found.table("Mean time of a launch; “before”")
    assert {row[trend.header.index("runs")] for row in trend.rows} == {"1,000"}
    assert "38 others" in html


@given(st.lists(st.floats(0.1, 1e3), min_size=1, max_size=400), st.integers(4, 60))
def test_no_peak_is_left_out(values: list[float], most: int) -> None:
    kept = drawn_positions(values, (), most)
    assert kept == sorted(set(kept)) and len(kept) <= max(most, 4)
    drawn = [values[at] for at in kept]
    assert (min(drawn), max(drawn)) == (min(values), max(values))
    assert (drawn[0], drawn[-1]) == (values[0], values[-1])


def test_alerts_are_drawn_however_many_runs() -> None:
    values = [1.0] * 999
    assert 500 in drawn_positions(values, (500,), 40)


def test_times_of_other_shapes_are_no_alert(store: HistoryStore) -> None:
    for number, (mean, grid) in enumerate([(1.0, 1), (1.0, 1), (9.0, 2), (1.0, 1), (20.0, 2)], 1):
        one = histories.fingerprint("blur", mean)
        shaped = replace(one, identity=replace(one.identity, grid=(grid, 1, 1)))
        store.add_run(Run(histories.facts(number), {}, (shaped,)))
    (series,) = series_of(store.times()).values()
    store.close()
    # A larger grid has a time of its own; 20 ms are more than 1.5 times the 9 ms that it took before.
    assert [one.before for one in series.times] == [None, 1.0, None, 1.0, 9.0]
    assert series.alerts == (4,)
