"""Tables of reports on terminals that are narrower than they are."""

from __future__ import annotations

import pytest

from advisor.cli.reporting import page

WORDS = (
    ["kernel", "where it stands", "ms"],
    [["smooth", "folder/with/a file.py:12 and words to fold", "1.25"], ["b", "short", "12.5"]],
    (2,),
)
DEVICES = (
    ["kernel", *(f"NVIDIA GPU {number}" for number in range(5))],
    [["smooth", *(f"{number}.5 ms" for number in range(5))]],
    range(1, 6),
)


def drawn(monkeypatch: pytest.MonkeyPatch, width: int, table, optional=()) -> str:
    monkeypatch.setattr(page, "page_width", lambda: width)
    return page.fitting_table(*table, optional)


def test_a_table_that_fits_stays_as_it_is(monkeypatch):
    assert drawn(monkeypatch, 110, WORDS).splitlines() == [
        "kernel  where it stands                               ms",
        "smooth  folder/with/a file.py:12 and words to fold  1.25",
        "b       short                                       12.5",
    ]


def test_the_widest_column_of_words_is_folded(monkeypatch):
    assert drawn(monkeypatch, 40, WORDS).splitlines() == [
        "kernel  where it stands             ms",
        "smooth  folder/with/a file.py:12  1.25",
        "        and words to fold",
        "b       short                     12.5",
    ]


def test_columns_of_numbers_come_in_parts(monkeypatch):
    # 6 + 2 * (2 + 12) = 34 columns for two devices, 48 for three.
    assert drawn(monkeypatch, 47, DEVICES).splitlines() == [
        "kernel  NVIDIA GPU 0  NVIDIA GPU 1",
        "smooth        0.5 ms        1.5 ms",
        "",
        "kernel  NVIDIA GPU 2  NVIDIA GPU 3",
        "smooth        2.5 ms        3.5 ms",
        "",
        "kernel  NVIDIA GPU 4",
        "smooth        4.5 ms",
    ]


def test_optional_columns_go_first(monkeypatch):
    found = drawn(monkeypatch, 20, WORDS, optional=(1,))
    assert found.splitlines() == ["kernel    ms", "smooth  1.25", "b       12.5"]


@pytest.mark.parametrize("width", range(40, 120))
@pytest.mark.parametrize("table", [WORDS, DEVICES])
def test_no_line_is_wider_than_the_page_and_nothing_is_lost(monkeypatch, width, table):
    found = drawn(monkeypatch, width, table)
    assert max(map(len, found.splitlines())) <= width
    cells = [word for row in (table[0], *table[1]) for cell in row for word in cell.split()]
    assert {word for word in cells if word not in found.split()} == set()
