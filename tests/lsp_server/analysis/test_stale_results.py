"""Findings move along with the edits while the text does not parse."""

from __future__ import annotations

import pytest
from diagnostic_codes import codes
from kernel_pairs import TRANSPOSED

from lsp_server.analysis.stale_results import line_move


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("abc", "abc", [1, 2, 3]),
        ("abc", "xabc", [2, 3, 4]),
        ("abc", "axbc", [1, 3, 4]),
        ("abc", "ac", [1, None, 2]),
        ("abc", "axc", [1, None, 3]),
        ("abcde", "axxcye", [1, None, 4, None, 6]),
        ("aaa", "aaaa", [1, 2, 3]),
        ("", "a", []),
    ],
)
def test_lines_are_followed(old, new, expected):
    moved = line_move(tuple(old), tuple(new))
    assert [moved(line) for line in range(1, len(old) + 1)] == expected


def test_the_last_good_findings_stay_beside_the_problem_and_move(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    (before,) = client.published(uri, 1)
    client.change(uri, 2, "x = (\n" + TRANSPOSED)
    problem, finding = client.published(uri, 2)
    assert problem["code"] == "not-checked"
    assert finding["range"]["start"]["line"] == before["range"]["start"]["line"] + 1
    assert finding["message"] == before["message"]
    line = before["range"]["start"]["line"]
    lines = TRANSPOSED.split("\n")
    lines[line] += " + ("
    client.change(uri, 3, "\n".join(lines))
    assert codes(client.published(uri, 3)) == ["not-checked"]
    client.change(uri, 4, TRANSPOSED)
    assert client.published(uri, 4) == [before]
    assert client.stop() == 0


def test_without_a_good_text_before_there_is_the_problem_and_what_can_be_read(client):
    client.start()
    uri = client.open("k.py", "x = (\n" + TRANSPOSED)
    assert codes(client.published(uri, 1)) == ["not-checked", "transposed-index"]
    uri = client.open("l.py", TRANSPOSED.replace("cuda.grid(2)", "cuda.grid(2"))
    assert codes(client.published(uri, 1)) == ["not-checked"]
    assert client.stop() == 0
