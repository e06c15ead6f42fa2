"""What IPython's `timeit` repeats is there to be measured."""

from __future__ import annotations

import pytest

from advisor.model.text.notebooks.joined_text import cells_of, is_repeated_by_command, joined_cell


@pytest.mark.parametrize(
    ("source", "line", "repeated"),
    [
        ("%timeit f(a)", 1, True),
        ("b = 1\n%timeit -n 3 f(a)\nf(a)", 2, True),
        ("b = 1\n%timeit f(a)\nf(a)", 3, False),
        ("%%timeit\nf(a)", 2, True),
        ("%%timeit -n 10\nf(a)\nf(a)", 3, True),
        ("%time f(a)", 1, False),
        ("%%time\nf(a)", 2, False),
        ("f(a)  # no %timeit", 1, False),
    ],
)
def test_lines_that_timeit_repeats(source: str, line: int, repeated: bool) -> None:
    text = joined_cell(1, "x = 0\nx = 1") + joined_cell(2, source)
    cell = cells_of(text).every[1]
    assert is_repeated_by_command(text, cell.first + line - 1) is repeated


def test_no_notebook_repeats_nothing() -> None:
    assert not is_repeated_by_command("from timeit import timeit\nf(a)\n", 2)
