"""How few sectors an access may take where nobody tells how long the rows of its array are.

Lanes in rows of c float32 touch ceil(32 * c * 4 / 32) = 4 c sectors, 32 from eight elements on.
"""

from __future__ import annotations

import pytest
from surveying import records, value

from advisor.evidence.metrics.tables import build_tables
from advisor.model.records import Record
from advisor.model.text.source_text import Span

ONE = "@cuda.jit\ndef k(a, out, n, m, q):\n    i = cuda.grid(1)\n    if i < n:\n"
TWO = "@cuda.jit\ndef k(a, out, n, m, q):\n    i, j = cuda.grid(2)\n    if i < n and j < m:\n"
LAUNCH = "def main(a, out, n, m, q):\n    k[(8, 8), (16, 16)](a, out, n, m, q)\n"


def spans(folder, text: str, label: str = "a") -> tuple[object, object]:
    found = next(one for one in records(folder, "access", text) if one.label == label)
    reading = found.readings["sectors_per_request"]
    return reading.value, reading.least


@pytest.mark.parametrize(
    ("body", "sectors", "least"),
    [
        # A loop over a row of q elements, which may be one.
        ("for c in range(q):\n    out[i] += a[i, c]", 32, 4),
        ("for c in range(a.shape[1]):\n    out[i] += a[i, c]", 32, 4),
        ("out[i] = a[i, q]", 32, 4),
        # The places that are named make a row of three, of eight: the length beside makes no difference then.
        ("for c in range(q):\n    out[i] += a[i, c] + a[i, 2]", 32, 12),
        ("for c in range(q):\n    out[i] += a[i, c] + a[i, 7]", 32, None),
        ("for c in range(q):\n    out[i] += a[i, c] + a[i, -2]", 32, 8),
        ("for c in range(2):\n    out[i] += a[i, c] + a[i, q]", 32, 8),
        # As many elements as there are threads: more than one block of 256.
        ("for c in range(n):\n    out[i] += a[i, c]", 32, None),
        # A plane of unknown size for each lane.
        ("for c in range(q):\n    out[i] += a[i, m, c]", 32, 4),
        ("for c in range(q):\n    out[i] += a[i, 3, c]", 32, 16),
        # Records of at least two fields.
        ('out[i] = a[i]["x"]', 32, 4),
        ('out[i] = a[i]["x"] + a[i]["y"]', 32, 8),
        # Side by side, and each lane at the same place.
        ("out[i] = a[q, i]", 4, None),
        ("out[i] = a[q, m]", 1, None),
    ],
)
def test_one_thread_for_each_row(tmp_path, body, sectors, least):
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    assert spans(tmp_path, ONE + lines) == (sectors, least)


@pytest.mark.parametrize(
    ("body", "sectors", "least"),
    [
        # Blocks of 16 x 16 have lanes in 16 rows; 16 threads along the other axis go over 64 bytes.
        ("a[i, j] = 1", 16, None),
        # The loop ends where the threads along x or y do.
        ("for c in range(m):\n    a[i, c] = 1", 16, None),
        ("for c in range(n):\n    a[i, c] = 1", 16, None),
        # 16 lanes in rows of one float32 are two sectors.
        ("for c in range(q):\n    a[i, c] = 1", 16, 2),
        # One thread of 16 only.
        ("if cuda.threadIdx.y < 1:\n    a[i, cuda.threadIdx.y] = 1", 16, 2),
    ],
)
def test_threads_of_a_block_make_a_row_as_long(tmp_path, body, sectors, least):
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    assert spans(tmp_path, TWO + lines + LAUNCH) == (sectors, least)


@pytest.mark.parametrize(
    ("shape", "sectors", "least"),
    [("(n, 3)", 12, None), ("(n, 100)", 32, None), ("(n, q)", 32, 4), ("(q, n)", 32, 4)],
)
def test_a_row_that_a_launch_makes(tmp_path, shape, sectors, least):
    text = ONE + "        for c in range(q):\n            out[i] += a[i, c]\n"
    text += f"def main(out, n, q):\n    a = np.zeros({shape}, np.float32)\n    k[8, 256](a, out, n, n, q)\n"
    assert spans(tmp_path, text) == (sectors, least)


def test_a_column_of_unknown_length(tmp_path):
    text = ONE + "        for c in range(q):\n            out[i] += a[c, i]\n"
    text += "def main(out, n, q):\n    a = np.zeros((q, n), np.float32, order='F')\n"
    text += "    k[8, 256](a, out, n, n, q)\n"
    (found,) = [one for one in records(tmp_path, "access", text) if one.label == "a"]
    reading = found.readings["sectors_per_request"]
    assert (reading.value, reading.least) == (32, 4)
    assert reading.least_because.startswith("The length of a column of `a` is not known")


def record(source: str, sectors: float, least: float | None = None) -> Record:
    made = Record("access", "key", "k.py", Span(1), "a")
    made.know(source, sectors_per_request=sectors)  # type: ignore[arg-type]
    made.may_be_less("The length of a row is not known.", sectors_per_request=least)
    return made


@pytest.mark.parametrize(
    ("later", "span"),
    [
        # Launches that are made up make up the length of the row as well.
        (record("synthesised", 32.0), (4.0, 32.0)),
        (record("synthesised", 4.0), None),
        (record("simulated", 32.0), None),
        (record("measured", 16.0), None),
    ],
)
def test_what_made_up_launches_leave_open(later, span):
    tables = build_tables([record("source", 32.0, 4.0), later], {"access": None})
    column = tables["access"].columns["sectors_per_request"]
    assert column.span(0) == span
    assert ("The length of a row is not known." in column.assumptions.get(0, ())) == (span is not None)


def test_a_smaller_value_only():
    made = record("source", 4.0, 4.0)
    assert value(made, "sectors_per_request") == 4.0
    assert made.readings["sectors_per_request"].least is None
