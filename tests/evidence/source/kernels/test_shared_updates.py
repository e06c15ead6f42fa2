"""What speaks for threads that meet in an element that they load, change and store."""

from __future__ import annotations

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def k(x, first, second, out, n):
    i = cuda.grid(1)
    if i < n:
        a = first[i]
        b = second[i]
{body}
"""


def facts(folder, body: str, metric: str, *kinds: str):
    """The metric of each access of `out`, of those kinds."""
    text = KERNEL.format(body="\n".join(f"        {line}" for line in body.splitlines()))
    found = [one for one in records(folder, "access", text) if value(one, "array") == "out"]
    return [value(one, metric) for one in found if value(one, "kind") in kinds]


@pytest.mark.parametrize(
    ("body", "counted"),
    [
        ("out[a] += 1", True),
        ("out[a] -= 2.5", True),
        ("out[a] = out[a] + 1", True),
        ("out[a] = 1 + out[a]", True),
        ("out[a] += x[i]", False),
        ("out[a] *= 2", False),
        ("out[a] = out[a] * 2", False),
    ],
)
def test_an_update_by_a_constant_counts(tmp_path, body, counted):
    assert facts(tmp_path, body, "counts", "update") == [counted]


@pytest.mark.parametrize(
    ("body", "several"),
    [
        ("out[a] += x[i]\nout[b] -= x[i]", [True, True]),
        ("out[a] += x[i]\nout[a] -= 1", [False, False]),
        # Three components of one element.
        ("out[3 * a] += x[i]\nout[3 * a + 1] += x[i]\nout[3 * a + 2] += x[i]", [False, False, False]),
        ("out[a] += x[i]\nout[i] -= x[i]", [False, False]),
        ("out[a] += x[i]\nx[b] -= x[i]", [False]),
    ],
)
def test_both_ends_of_an_edge(tmp_path, body, several):
    assert facts(tmp_path, body, "several_places", "update") == several


@pytest.mark.parametrize(
    ("body", "changes"),
    [
        ("slot = out[0]\nout[0] = slot + 1\nx[slot] = i", [True]),
        ("slot = out[a]\nout[a] = slot + n", [True]),
        ("slot = out[0]\nout[1] = slot + 1", [False]),
        ("slot = x[0]\nout[0] = slot + 1", [False]),
        # All threads have read it before one stores.
        ("slot = out[0]\ncuda.syncthreads()\nout[0] = slot + 1", [False]),
    ],
)
def test_a_store_of_what_was_loaded_and_changed(tmp_path, body, changes):
    assert facts(tmp_path, body, "changes_loaded", "store") == changes
