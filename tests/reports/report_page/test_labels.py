"""Names beside points keep off each other and off lines."""

from __future__ import annotations

from advisor.reports.html_report.charts.labels import placed


def test_no_name_crosses_a_line() -> None:
    points, frame = [(100.0, 100.0, 4.0)], (0.0, 0.0, 300.0, 200.0)
    free = placed(points, ["name"], frame)[0]
    assert free is not None and free.horizontal == "left"
    # A line that rises to the right of the point, where the name would be.
    crossed = placed(points, ["name"], frame, [(110.0, 60.0, 130.0, 140.0)])[0]
    assert crossed is not None and crossed.horizontal == "right"
    # One below all places leaves the name where it is.
    assert placed(points, ["name"], frame, [(0.0, 10.0, 300.0, 10.0)])[0] == free
