"""What an array takes of a kernel's traffic, and what only some of the lanes do at a time."""

from __future__ import annotations

import json

import pytest
from surveying import records, survey_text, value

from advisor.evidence.source.analysis import analyse

LAUNCH = "\n\ndef main(a, b, n, out):\n    k[8, 256](a, b, n, out)\n"


def accesses(folder, body: str):
    text = "@cuda.jit\ndef k(a, b, n, out):\n    i = cuda.grid(1)\n"
    text += "\n".join("    " + line for line in body.splitlines())
    return records(folder, "access", text + LAUNCH)


def share(folder, body: str, array: str) -> float:
    found = next(one for one in accesses(folder, body) if one.label == array)
    return value(found, "traffic_share")


def test_a_store_behind_a_loop_of_unknown_length(tmp_path):
    body = "s = 0\nfor j in range(n):\n    s += a[j, i]\nout[i, n] = s"
    # 32 iterations are assumed: 128 sectors of `a` and 32 of `out`, which needs four at least.
    assert share(tmp_path, body, "out") == pytest.approx(32 / 160)
    assert share(tmp_path, body, "a") == pytest.approx(128 / 132)


def test_a_loop_of_known_length_counts_as_it_is(tmp_path):
    body = "s = 0\nfor j in range(4):\n    s += a[j, i]\nout[i, n] = s"
    assert share(tmp_path, body, "out") == pytest.approx(32 / 48)


def test_accesses_of_one_array_along_one_axis_count_together(tmp_path):
    body = "out[i, n] = a[i]\nout[i, 1] = a[i]"
    found = accesses(tmp_path, body)
    # Two stores of 32 sectors each, where 4 each would do; `a[i]` counts once.
    assert {value(one, "traffic_share") for one in found if one.label == "out"} == {64 / 68}
    assert {value(one, "traffic_share") for one in found if one.label == "a"} == {4 / 12}


def test_bad_accesses_do_not_make_each_other_small(tmp_path):
    body = "\n".join(f"out[i, {10 * column}] = a[i]" for column in range(3)) + "\nb[i, n] = a[i]"
    # `b` takes 32 sectors; the stores to `out` take 96 and need 12, `a` is loaded once with four.
    assert share(tmp_path, body, "b") == pytest.approx(32 / (32 + 12 + 4))


TRANSPOSED = """
@cuda.jit
def k(a, b, c, out):
    y, x = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = a[y, x] + b[y, x] + c[0, x]

def main(a, b, c, out):
    k[(64, 64), (16, 16)](a, b, c, out)
"""


def test_what_an_exchange_of_the_thread_indices_repairs_counts_together(tmp_path):
    found = records(tmp_path, "access", TRANSPOSED)
    shares = {one.label: value(one, "traffic_share") for one in found}
    # In blocks of 16 x 16 a warp touches 16 rows: 16 sectors for each of `out`, `a` and `b`, one for `c`.
    assert shares["a"] == shares["b"] == shares["out"] == pytest.approx(48 / 49)


def test_what_one_thread_does_is_a_sector(tmp_path):
    assert share(tmp_path, "if cuda.threadIdx.x == 0:\n    b[i] = 1\nout[i] = 1", "b") == pytest.approx(1 / 5)


def test_gathered_elements_count_a_sector_for_each_lane(tmp_path):
    # b[i] is four sectors, a[b[i]] 32, out[i] four.
    assert share(tmp_path, "out[i] = a[b[i]]", "a") == pytest.approx(32 / 40)


SPARSE = {
    "a store where a search ends": "for j in range(n):\n    if a[j] > 0:\n        out[i, 0] = j",
    "a load for an equal element": "for j in range(n):\n    if b[j] == a[i]:\n        out[j] += a[i, 1]",
    "where a search ends": "for j in range(n):\n    if a[j] or b[j]:\n        out[i, j] = 1\n        break",
    "an update of one element": "for j in range(n):\n    if a[j] > 0:\n        out[i, 2] += 1",
    "a load where elements do not differ": (
        "for j in range(n):\n    if b[j] != a[i]:\n        b[j] = 1\n    else:\n        out[j] += a[i, 1]"
    ),
}
DENSE = {
    "no condition": "for j in range(n):\n    out[i, 0] = j",
    "a condition outside of the loop": "if a[i] > 0:\n    for j in range(n):\n        out[i, 0] = j",
    "an element of the loop": "for j in range(n):\n    if a[j] > 0:\n        out[i, j] = 1",
    "bounds": "for j in range(n):\n    if j < 3:\n        out[i, 0] = j",
    "beside it": "for j in range(n):\n    if a[j]:\n        break\n    else:\n        out[i, j] = 1",
    "where elements differ": "for j in range(n):\n    if b[j] != a[i]:\n        b[j] = out[i, j]",
    "where elements are not equal": (
        "for j in range(n):\n    if b[j] == a[i]:\n        b[j] = 1\n    else:\n        b[j] = out[i, j]"
    ),
    "a constant": "for j in range(n):\n    if a[j] == 0:\n        b[j] = out[i, j]",
    "behind a test that leaves": "for j in range(n):\n    if a[j] > 0:\n        break\n    out[i, 0] = j",
}


@pytest.mark.parametrize("name", SPARSE)
def test_what_data_picks(tmp_path, name):
    label = "a" if "load" in name else "out"
    assert (
        value([one for one in accesses(tmp_path, SPARSE[name]) if one.label == label][-1], "sparse") is True
    )


@pytest.mark.parametrize("name", DENSE)
def test_what_it_does_not(tmp_path, name):
    found = [one for one in accesses(tmp_path, DENSE[name]) if one.label == "out"]
    assert value(found[-1], "sparse") is False


def test_shared_memory_is_no_traffic(tmp_path):
    body = "t = cuda.shared.array(256, np.float32)\nt[i] = a[i]"
    assert share(tmp_path, body, "t") is None


@pytest.mark.parametrize(
    ("test", "sparse"),
    [
        ("0 <= a[j] < n", False),
        ("0 < a[j] <= n - 1", False),
        ("n > a[j] >= 0", False),
        ("a[j] >= 0 and a[j] < n", False),
        ("0 <= a[j] < n and b[j] >= 0 and n > b[j]", False),
        # Half of a range, or one that begins elsewhere, may hold for few.
        ("a[j] > 0", True),
        ("a[j] < n", True),
        ("5 <= a[j] < n", True),
        ("a[j] >= 0 and b[j] < n", True),
        ("a[j] >= 0 and a[j] < n and b[j] == 1", True),
        ("a[j] >= 0 or a[j] < n", True),
        ("0 <= a[j] < n and b[j]", True),
    ],
)
def test_what_is_asked_for_its_bounds_is_mostly_inside(tmp_path, test, sparse):
    body = f"for j in range(n):\n    if {test}:\n        out[i, 2] += 1"
    (found,) = [one for one in accesses(tmp_path, body) if one.label == "out"]
    assert value(found, "sparse") is sparse


REPEATED = {
    "at the next line": ("x = a[i]\nout[i] = x + a[i]", [False, True]),
    "in one expression": ("out[i] = a[i] * a[i]", [False, True]),
    "in a branch below": ("x = a[i]\nif x > 0:\n    out[i] = a[i]", [False, True]),
    "in a loop that stores nothing": (
        "s = a[i]\nfor j in range(n):\n    s += a[i]\nout[i] = s",
        [False, True],
    ),
    "fields of a record, another stored": ("a[i]['x'] = a[i]['y']\nout[i] = a[i]['y']", [None, False, True]),
    "behind another branch": ("if n > 0:\n    out[i] = a[i]\nb[i] = a[i]", [False, False]),
    "behind a store": ("out[i] = a[i]\nb[i] = a[i]", [False, False]),
    "in a loop that stores": ("s = a[i]\nfor j in range(n):\n    out[j, i] = a[i]", [False, False]),
    "in each turn of a loop": ("s = 0\nfor j in range(n):\n    s += a[j, i]\nout[i] = s", [False]),
    "another element": ("out[i] = a[i] + a[i + 1]", [False, False]),
    "behind an atomic": ("s = a[i]\ncuda.atomic.add(out, 0, s)\nb[i] = s + a[i]", [False, False]),
    "before an atomic": ("s = a[i] + a[i]\ncuda.atomic.add(out, 0, s)", [False, True]),
    "what was stored": ("a[i] = n\nout[i] = a[i]", [None, True]),
}


@pytest.mark.parametrize("name", REPEATED)
def test_loads_of_what_a_register_holds(tmp_path, name):
    body, expected = REPEATED[name]
    found = [one for one in accesses(tmp_path, body) if one.label == "a"]
    at_places = {one.key: value(one, "repeated") for one in found if value(one, "kind") == "load"}
    assert list(at_places.values()) == [one for one in expected if one is not None]


def test_fields_of_a_record_that_a_kernel_names(tmp_path):
    body = "a[i]['x'] = a[i]['y'] + a[i]['z']\nout[i] = a[i]['y'] + b[i]"
    fields = {one.label: value(one, "named_fields") for one in accesses(tmp_path, body)}
    assert fields == {"a": 3, "b": 0, "out": 0}


def test_with_a_launch_the_block_is_known(tmp_path):
    (found,) = [one for one in accesses(tmp_path, "out[i] = a[i]") if one.label == "a"]
    assert value(found, "block_assumed") is False


@pytest.mark.parametrize(
    ("place", "launch", "assumed"),
    [
        # Along one dimension neighbouring lanes are neighbours in any block.
        ("a[cuda.grid(1)]", "", False),
        ("a[cuda.grid(1)]", "k[8, n](a)", False),
        ("a[cuda.threadIdx.x]", "k[8, 5](a)", False),
        # Along two the lanes of a warp differ in x first, and the rows are those of x in any usual block.
        ("a[cuda.grid(2)]", "", False),
        # What a launch gives may have been chosen for the kernel.
        ("a[cuda.grid(2)]", "k[8, n](a)", True),
        ("a[cuda.grid(2)]", "k[8, (16, 16)](a)", False),
        ("a[cuda.grid(1), 3 * cuda.threadIdx.y]", "k[8, n](a)", False),
    ],
)
def test_where_another_block_would_make_the_access_coalesced(tmp_path, place, launch, assumed):
    text = f"@cuda.jit\ndef k(a):\n    {place} = 1\n\n\ndef main(a, n):\n    {launch or 'pass'}\n"
    (found,) = records(tmp_path, "access", text)
    assert value(found, "block_assumed") is assumed


@pytest.mark.parametrize(
    ("name", "place", "block", "assumed"),
    [
        # Two rows of a (16, 16) block are four sectors; a block along z meets one row.
        ("test_k", "a[cuda.grid(3)]", "(8, 8, 8)", True),
        ("use_k", "a[cuda.grid(3)]", "(8, 8, 8)", False),
        ("test_k", "a[cuda.grid(2)]", "(8, 8)", False),
        ("test_k", "a[cuda.grid(1), 3 * cuda.threadIdx.y]", "(2, 64)", False),
    ],
)
def test_a_test_does_not_tell_how_others_launch(tmp_path, name, place, block, assumed):
    kernel = f"@cuda.jit\ndef k(a):\n    {place} = 1\n"
    launch = f"from k import k\n\n\ndef main(a):\n    k[8, {block}](a)\n"
    found = survey_text(tmp_path, **{"k": kernel, name: launch}).records
    assert [value(one, "block_assumed") for one in found if one.entity == "access"] == [assumed]


@pytest.mark.parametrize(
    ("launch", "left"),
    [
        ("k[8, 256](a)", False),
        ("k.specialize(a)", True),
        ("print(k)", True),
        ("time_it(k, a)", False),
        ("time_it(a, kernel=make)", False),
        ("time_it(a, kernel=other)", True),
    ],
)
def test_kernels_that_a_notebook_never_launches(tmp_path, launch, left):
    lines = [
        "from numba import cuda\n",
        "from measuring import *\n",
        "def make():\n",
        "    @cuda.jit\n",
        "    def k(a):\n",
        "        a[cuda.grid(1)] = 1\n",
        "    return k\n",
        "k = make()\n",
        f"{launch}\n",
    ]
    cell = {"cell_type": "code", "source": lines, "metadata": {}, "outputs": [], "execution_count": None}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    file = tmp_path / "n.ipynb"
    file.write_text(json.dumps(notebook))
    (kernel,) = [one for one in analyse([file], tmp_path).records if one.entity == "kernel"]
    assert value(kernel, "left_in_notebook") is left


def test_a_module_may_be_launched_by_others(tmp_path):
    (kernel,) = records(tmp_path, "kernel", "@cuda.jit\ndef k(a):\n    a[cuda.grid(1)] = 1\n")
    assert value(kernel, "left_in_notebook") is False


@pytest.mark.parametrize(
    ("inside", "again"),
    [
        ("cuda.atomic.add(out, 0, x[j])", True),
        ("if x[j] == y:\n            cuda.atomic.add(out, 0, x[j])", True),
        ("if x[j] == y:\n            cuda.atomic.add(out, 0, x[j])\n            break", False),
        (
            "if x[j] == y:\n            out[1] = j\n            break\n        cuda.atomic.add(out, 0, x[j])",
            True,
        ),
    ],
)
def test_an_atomic_where_a_search_ends_is_done_once(tmp_path, inside, again):
    text = "@cuda.jit\ndef k(x, y, out):\n    i = cuda.grid(1)\n    for j in range(x.size):\n"
    (atomic,) = records(tmp_path, "atomic", f"{text}        {inside}\n")
    assert value(atomic, "loop_invariant") is again


def test_the_sectors_of_a_kernel_are_those_of_its_elements_in_its_loops(tmp_path):
    text = "@cuda.jit\ndef k(x, y, out):\n    i = cuda.grid(1)\n    for j in range(8):\n"
    text += "        out[i] = x[j, i] + x[j, i] + y[i]\n"
    text += "def main():\n    a = cuda.device_array(64, dtype=np.float32)\n"
    text += "    k[2, 32](cuda.device_array((8, 64), dtype=np.float32), a, a)\n"
    (kernel,) = records(tmp_path, "kernel", text)
    # Three elements of four sectors each, in eight iterations.
    assert value(kernel, "estimated_sectors") == 3 * 4 * 8
