"""Lanes in rows of their own, at places that the source does not tell, computed by hand: a sector a lane."""

from __future__ import annotations

import pytest
from surveying import records, value


def load(folder, body: str, block: str, parameters: str = "a, b, n, out"):
    text = f"@cuda.jit\ndef k({parameters}):\n"
    text += "\n".join("    " + line for line in body.splitlines())
    text += f"\n\ndef main({parameters}):\n    k[8, {block}]({parameters})\n"
    return next(record for record in records(folder, "access", text) if record.label == "a")


ROW = "i = cuda.grid(1)\nif i < n:\n    j = b[i]\n    out[i] = a[{index}]"


@pytest.mark.parametrize(
    ("index", "block", "sectors"),
    [
        ("i, j", "128", 32),
        ("i, j % n", "128", 32),
        ("i, 2, j", "128", 32),
        ("2 * i, j", "128", 32),
        ("j, i", "128", None),
        ("0, j", "128", None),
        ("j", "128", None),
    ],
)
def test_a_place_that_the_data_gives(tmp_path, index, block, sectors):
    found = load(tmp_path, ROW.format(index=index), block)
    assert value(found, "sectors_per_request") == sectors
    assert value(found, "index_kind") == "indirect"


def test_two_rows_of_a_square_block_are_two_sectors_at_least_for_each_half(tmp_path):
    body = "x, y = cuda.grid(2)\nout[y, x] = a[y, b[x]]"
    found = load(tmp_path, body, "(16, 16)")
    assert value(found, "sectors_per_request") is None
    body = "x, y = cuda.grid(2)\nout[x, y] = a[x, b[y]]"
    found = load(tmp_path, body, "(16, 16)")
    assert value(found, "sectors_per_request") == 16
    assert (value(found, "lane_axis"), value(found, "fast_axis_thread")) == ("slow", False)
    body = "x, y = cuda.grid(2)\nout[x, y] = a[x, (y + b[x]) % n]"
    found = load(tmp_path, body, "(16, 16)")
    assert (value(found, "lane_axis"), value(found, "fast_axis_thread")) == ("slow", True)


def test_short_rows_of_a_constant_length_may_share_a_sector(tmp_path):
    body = "t = cuda.local.array(4, np.float32)\ni = cuda.grid(1)\nout[i] = a[i, b[i]]"
    assert value(load(tmp_path, body, "64"), "sectors_per_request") == 32
    text = "i = cuda.threadIdx.x\na = cuda.shared.array((64, 2), np.float32)\nout[i] = a[i, b[i]]"
    assert value(load(tmp_path, text, "64", "b, n, out"), "sectors_per_request") is None


@pytest.mark.parametrize(
    ("view", "element", "axis", "sectors"),
    [
        ("a[:, i]", "v[j]", "fast", 4),
        ("a[i, :]", "v[j]", "slow", 32),
        ("a[i]", "v[j]", "slow", 32),
        ("a[:, :, i]", "v[j, 3]", "fast", 4),
        ("a[:, i, :]", "v[3, j]", "slow", 32),
        ("a[8:]", "v[i]", "fast", 4),
        ("a[n:, i]", "v[j]", "fast", 4),
        ("a[:, 8:]", "v[j, i]", "fast", 4),
        ("a[:, 8:]", "v[j][i]", "fast", 4),
        ("a[:, 8:]", "v[i, j]", "slow", 32),
    ],
)
def test_slices_are_filled_in_the_order_of_the_axes(tmp_path, view, element, axis, sectors):
    body = f"i = cuda.grid(1)\nv = {view}\nfor j in range(n):\n    out[i] += {element}"
    found = [
        record
        for record in records(tmp_path, "access", _kernel(body))
        if record.label == "a" and record.span.line == 9
    ]
    assert [value(one, "lane_axis") for one in found] == [axis]
    assert [value(one, "sectors_per_request") for one in found] == [sectors]


def _kernel(body: str) -> str:
    inside = "\n".join("    " + line for line in body.splitlines())
    return f"@cuda.jit\ndef k(a, n, out):\n{inside}\n\ndef main(a, n, out):\n    k[8, 128](a, n, out)\n"


def test_the_function_is_told_whose_rows_it_gets(tmp_path):
    text = (
        "@cuda.jit(device=True)\ndef f(v):\n    return v[3]\n\n"
        "@cuda.jit\ndef k(a, b, out):\n    i = cuda.grid(1)\n    out[i] = f(a[i]) + f(b[:, i]) + f(b[0])\n"
    )
    found = records(tmp_path, "row", text)
    assert [record.label for record in found] == ["a", "b"]
    assert [value(record, "sectors_per_request") for record in found] == [16, 4]
    assert [value(record, "function") for record in found] == ["f", "f"]


def test_a_block_that_the_object_keeps(tmp_path):
    text = """
def shape(n, x=1, y=128):
    return (n // x, n // y), (x, y)

@cuda.jit
def k(a):
    i, j = cuda.grid(2)
    a[i, j] = 1

class Grid:
    def __init__(self, n):
        self.blocks, self.threads = shape(n, 1, 32)

    def fill(self, a):
        k[self.blocks, self.threads](a)
"""
    found = next(one for one in records(tmp_path, "access", text) if one.label == "a")
    assert (value(found, "lane_axis"), value(found, "sectors_per_request")) == ("fast", 4)
    other = text.replace("def fill", "def widen(self):\n        self.threads = (32, 1)\n\n    def fill")
    found = next(one for one in records(tmp_path, "access", other) if one.label == "a")
    assert value(found, "lane_axis") == "slow"
