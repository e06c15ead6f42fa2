"""Changes of shared elements: tests before a store, and how many threads there are for the elements."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import access, records, value

TESTED = """
if v < best[0]:
    best[0] = v
""", """
m = best[0]
if m < v:
    best[0] = v
""", """
if v > 0 and v > best[b[i]]:
    best[b[i]] = v
"""  # fmt: skip
NOT = """
if v < best[1]:
    best[0] = v
""", """
if best[0] < 1:
    best[0] = 1
""", """
if best[0] != v:
    best[0] = v
""", """
if v < b[i]:
    best[0] = v
""", """
while cuda.atomic.cas(lock, 0, 0, 1) != 0:
    pass
if v < best[0]:
    best[0] = v
cuda.atomic.exch(lock, 0, 0)
"""  # fmt: skip


def _tested(folder: Path, body: str) -> object:
    head = "@cuda.jit\ndef kernel(a, b, best, lock):\n    i = cuda.grid(1)\n    v = a[i]\n"
    found = records(folder, "access", head + textwrap.indent(body, " " * 4))
    stores = [one for one in found if value(one, "kind") == "store" and value(one, "array") == "best"]
    return value(stores[0], "tested_then_stored")


@pytest.mark.parametrize("body", TESTED)
def test_store_behind_a_test_of_the_element(tmp_path: Path, body: str) -> None:
    assert _tested(tmp_path, body) is True


@pytest.mark.parametrize("body", NOT)
def test_other_stores(tmp_path: Path, body: str) -> None:
    assert _tested(tmp_path, body) is False


@pytest.mark.parametrize(
    ("bins", "grid", "more"),
    [
        ("np.zeros(256, np.int32)", "(x.size + 127) // 128", True),
        ("np.zeros(256, np.int32)", "4", True),
        ("np.zeros(256, np.int32)", "2", False),
        ("np.zeros(x.size, np.int32)", "(x.size + 127) // 128", None),
        ("np.zeros(256, np.int32)", "blocks", None),
    ],
)
def test_threads_and_elements(tmp_path: Path, bins: str, grid: str, more: bool | None) -> None:
    found = access(
        tmp_path,
        f"""
        @cuda.jit
        def count(x, bins):
            i = cuda.grid(1)
            if i < x.size:
                bins[x[i]] += 1

        def main(x, blocks):
            bins = cuda.to_device({bins})
            count[{grid}, 128](cuda.to_device(x), bins)
        """,
        "bins",
    )
    assert value(found, "more_threads_than_elements") is more


def test_a_row_for_each_block(tmp_path: Path) -> None:
    found = access(
        tmp_path,
        """
        @cuda.jit
        def count(x, bins):
            i = cuda.grid(1)
            if i < x.size:
                bins[cuda.blockIdx.x, x[i]] += 1

        def main(x):
            bins = cuda.to_device(np.zeros((16, 256), np.int32))
            count[16, 128](cuda.to_device(x), bins)
        """,
        "bins",
    )
    assert value(found, "more_threads_than_elements") is False
