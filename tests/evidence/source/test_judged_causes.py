"""What a reader with fresh eyes found wrong in findings on public code: each cause, and its neighbour that
must go on firing. Sectors by hand: 32 bytes each, 32 lanes, four bytes for each element.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import access, records, survey_text, value

from advisor.evidence.compiled.float64.arithmetic_lines import arithmetic_lines


def grid_of(dimensions: int, index: str, value_of: str = "1.0") -> str:
    names = ", ".join("ijk"[:dimensions])
    kernel = f"@cuda.jit\ndef k(out, n, t):\n    {names} = cuda.grid({dimensions})\n"
    return f"{kernel}    if i < n:\n        out[{index}] = {value_of}\n"


@pytest.mark.parametrize(
    ("index", "now", "exchanged"),
    [
        # Blocks of (16, 16): 16 rows, two elements of each in one warp; exchanged, 2 rows of 64 bytes.
        ("i, j", 16, 4),
        # Records of eight: exchanged, each lane still has a sector of its own.
        ("i, j, 7", 32, 32),
        # Records of three: two rows of 16 x 12 bytes, six sectors each. Of the pairs of a row (at bytes 8 and
        # 20, 32 and 44, 56 and 68, 80 and 92) one of four lies in two sectors: 32 for that warp, else 16.
        ("i, j, 2", 20, 12),
        # One field is seen, and a record has more: two rows of 16 x 16 bytes, eight sectors each.
        ("i, j, 0", 16, 16),
    ],
)
def test_what_exchanging_the_indices_would_bring(
    tmp_path: Path, index: str, now: int, exchanged: int
) -> None:
    found = access(tmp_path, grid_of(2, index), "out")
    assert value(found, "sectors_per_request") == now
    assert value(found, "exchanged_sectors_per_request") == exchanged


@pytest.mark.parametrize("index", ["j, i", "i, i"])
def test_nothing_to_exchange_where_lanes_run_along_the_fast_axis(tmp_path: Path, index: str) -> None:
    found = access(tmp_path, grid_of(2, index), "out")
    assert value(found, "exchanged_sectors_per_request") is None


def test_three_thread_indices_may_have_their_lanes_along_the_last(tmp_path: Path) -> None:
    assert value(access(tmp_path, grid_of(3, "i, j, k"), "out"), "sectors_per_request") == 4
    assert value(access(tmp_path, grid_of(3, "i, j"), "out"), "sectors_per_request") == 1
    # Along both guesses each lane has a row of its own.
    assert value(access(tmp_path, grid_of(3, "i, k, t[j]"), "out"), "sectors_per_request") == 16


def test_two_thread_indices_are_still_taken_for_a_square(tmp_path: Path) -> None:
    assert value(access(tmp_path, grid_of(2, "i, j"), "out"), "sectors_per_request") == 16


@pytest.mark.parametrize(("length", "sectors", "fields"), [(3, 12, 3), (8, 32, 8), (64, 32, 64)])
def test_a_loop_of_constant_length_tells_the_rows_length(
    tmp_path: Path, length: int, sectors: int, fields: int
) -> None:
    text = "@cuda.jit\ndef k(out):\n    i = cuda.grid(1)\n"
    text += f"    for j in range({length}):\n        out[i, j] = 1\n"
    found = access(tmp_path, text, "out")
    assert value(found, "sectors_per_request") == sectors
    assert value(found, "record_fields") == fields
    assert value(found, "lane_stride") == length


def test_a_loop_of_unknown_length_leaves_the_row_unknown(tmp_path: Path) -> None:
    text = "@cuda.jit\ndef k(out, n):\n    i = cuda.grid(1)\n    for j in range(n):\n        out[i, j] = 1\n"
    found = access(tmp_path, text, "out")
    assert value(found, "lane_stride") is None
    assert value(found, "record_fields") == 1


@pytest.mark.parametrize(("dtype", "ways"), [("np.float32", 2), ("unknown()", None)])
def test_banks_are_unknown_with_the_size_of_an_element(tmp_path: Path, dtype: str, ways: int | None) -> None:
    text = "@cuda.jit\ndef k(out):\n    i = cuda.threadIdx.x\n"
    text += f"    s = cuda.shared.array(64, {dtype})\n    s[2 * i] = 1\n"
    assert value(access(tmp_path, text, "s"), "bank_conflict_ways") == ways


@pytest.mark.parametrize(
    ("power", "exponent"),
    [("10 ** t", None), ("10.0 ** t", "runtime"), ("out[i] ** t", "runtime"), ("out[i] ** 0.5", "half")],
)
def test_whole_numbers_may_meet_in_a_power(tmp_path: Path, power: str, exponent: str | None) -> None:
    text = f"@cuda.jit\ndef k(out, t):\n    i = cuda.grid(1)\n    out[i] = {power} + out[i]\n"
    found = [record for record in records(tmp_path, "operation", text) if record.label == "power"]
    assert [value(record, "exponent") for record in found] == [exponent]


@pytest.mark.parametrize(
    ("index", "asks"),
    [("cuda.threadIdx.x", False), ("cuda.grid(1)", True), ("cuda.blockIdx.x", True), ("0", False)],
)
def test_a_kernel_may_never_ask_for_its_block(tmp_path: Path, index: str, asks: bool) -> None:
    kernel = records(tmp_path, "kernel", f"@cuda.jit\ndef k(out):\n    out[{index}] = 1\n")[0]
    assert value(kernel, "block_index_read") is asks


SHARED_LOOPS = {
    # Each with: it steps by the grid, walks elements, is shareable, how many iterations it has.
    "for j in range(i, a.size, cuda.gridsize(1)):\n a[j] = 1": (True, True, True, None),
    "for j in range(i, a.size, cuda.blockDim.x * cuda.gridDim.x):\n a[j] = 1": (True, True, True, None),
    "for j in range(cuda.blockIdx.x, n, cuda.gridDim.x):\n a[j] = 1": (True, True, True, None),
    "while i < n:\n a[i] = 1\n i += cuda.gridsize(1)": (True, False, True, None),
    "while i < n:\n a[i] = 1\n i += cuda.blockDim.x": (False, False, False, None),
    "for j in range(i, a.size, 1024):\n a[j] = 1": (False, True, True, None),
    "for j in range(a.shape[1]):\n a[i, j] = 1": (False, True, True, None),
    "for j in range(300):\n a[i, j] = 1": (False, True, True, 300),
    "for j in range(OWNER.size):\n a[i, j] = 1": (False, False, False, None),
    "for j in range(n):\n a[i] += j": (False, False, False, None),
    "for j in range(n):\n a[i] = b[i, j]": (False, True, False, None),
    "for j in range(n):\n a[i, j] = b[i, j - 1]": (False, True, True, None),
    "for j in range(n):\n a[i, j] = a[i, j - 1]": (False, True, False, None),
    "for j in range(n):\n a[i, j] = 2 * a[i, j]": (False, True, True, None),
    "for j in range(n):\n a[i, j] += 1\n b[i, 0] = j": (False, True, False, None),
    "for j in range(n):\n cuda.atomic.add(a, 0, b[i, j])": (False, True, True, None),
    "x = 0\nfor j in range(n):\n x += 1\n a[i, j] = x": (False, True, False, None),
    "x = 0\nfor j in range(n):\n y = 1\n y += j\n a[i, j] = y": (False, True, True, None),
    "x = 0\nfor j in range(n):\n if b[i, j] > x:\n  x = j\n a[i, j] = x": (False, True, False, None),
    "for j in range(n):\n if j > n:\n  x = 1\n else:\n  x = 2\n a[i, j] = x": (False, True, True, None),
    "for j in range(n):\n if b[i, j] > 2:\n  break\n a[i, j] = 1": (False, True, False, None),
    "for j in range(n):\n if b[i, j] > 2:\n  continue\n a[i, j] = 1": (False, True, True, None),
    "for j in range(n):\n if b[i, j] > 2:\n  return\n a[i, j] = 1": (False, True, False, None),
    "for j in range(n):\n for m in range(4):\n  if m > n:\n   break\n a[i, j] = 1": (False, True, True, None),
    "for j in range(n):\n a[i, j] = 1\n cuda.syncthreads()": (False, True, False, None),
}


@pytest.mark.parametrize("text", SHARED_LOOPS)
def test_what_threads_could_share_of_a_loop(tmp_path: Path, text: str) -> None:
    body = textwrap.indent(text, "    ")
    kernel = f"OWNER = owner()\n@cuda.jit\ndef k(a, b, n):\n    i = cuda.grid(1)\n{body}\n"
    loop = records(tmp_path, "loop", kernel)[0]
    names = ("steps_by_grid", "walks_elements", "shareable", "iterations")
    assert tuple(value(loop, name) for name in names) == SHARED_LOOPS[text]


@pytest.mark.parametrize(
    ("made", "axis"),
    [
        ("np.zeros((4, 25))", 25),
        ("np.zeros((100, 3))", 100),
        ("np.arange(10)", 10),
        ("np.zeros((4, n))", None),
    ],
)
def test_the_longest_axis_of_a_launch(tmp_path: Path, made: str, axis: int | None) -> None:
    text = "@cuda.jit\ndef k(a, b):\n    b[cuda.grid(1)] = a[0]\n"
    text += f"\n\ndef main(n):\n    a = {made}\n    b = np.zeros(8)\n    k[64, 64](a, b)\n"
    assert value(records(tmp_path, "launch", text)[0], "longest_axis") == axis


@pytest.mark.parametrize(
    ("made", "elements"),
    [
        ("np.random.normal(size=50)", 50),
        ("np.zeros((4, 25), dtype=np.float32)", 100),
        ("np.arange(10)", 10),
        ("np.zeros(n)", None),
        ("load()", None),
        ("np.random.normal(size=50).astype(np.float32)", 50),
        ("np.arange(10) * 2", 10),
        ("np.arange(96).astype(np.float32).reshape((32, 3))", 96),
        ("np.arange(96).reshape(-1, 3)", 96),
        ("np.arange(96).reshape(n, 3)", 96),  # n can be nothing but 32
        ("np.ones_like(made((4, 16)))", 64),
        ("made(n)", None),
        ("np.zeros(50) + np.zeros(n)", None),
        ("np.array([[1.0, 2.0, 3.0], [4.0, -5.0, 6.0]])", 8),
        ("np.array([[1.0, 2.0, 3.0, 4.0, 5.0]] * 2)", None),
        ("np.array([[[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [1, 2, 3]]])", 12),
        ("np.array([[1, 2], [3]])", None),
        ("np.array([2 + 2j, -4 - 4j, 8, 1, 2, 3, 4, 5, 6])", 9),
        ("np.diag(np.array([2 + 2j, -4 - 4j, 8, 1]), k=-1)", 25),
        ("np.diag(np.arange(4), 1) + np.diag(np.arange(5))", 25),
        ("np.diag(np.zeros(n))", None),
        ("np.diag(np.zeros(4), n)", None),
        ("np.eye(4)", 16),
        ("np.arange(1, 10)", 9),
        ("np.arange(1, 20, 2)", 10),
        ("np.arange(1, n)", None),
        ("np.arange(0, 1, 0.05)", None),
    ],
)
def test_the_largest_array_of_a_launch(tmp_path: Path, made: str, elements: int | None) -> None:
    text = "@cuda.jit\ndef k(a, b, low):\n    b[cuda.grid(1)] = a[0]\n"
    text += "def made(shape):\n    return np.random.randn(np.prod(shape)).reshape(shape).copy()\n"
    text += f"\n\ndef main(n):\n    a = {made}\n    b = np.zeros(8)\n    k[64, 64](a, b, np.float32(1))\n"
    launch = records(tmp_path, "launch", text)[0]
    assert value(launch, "largest_array") == elements


@pytest.mark.parametrize(
    ("made", "elements"),
    [
        ("np.array([0])", 8),
        ("np.array([1.5] * 9)", None),
        ("np.array([1, 2, 3, 4, 5, 6, 7, 8, 9], dtype=np.float32)", 9),
        ("np.array([[1, 2], [3, 4]])", 8),
        ("np.array(list_of(n))", None),
        ("np.zeros(65)", 65),
        ("np.zeros(n)", None),
        ("cuda.device_array(4096)", 8),  # no NumPy array
        ("load()", 8),  # not known to be one
    ],
)
def test_the_largest_numpy_array_of_a_launch(tmp_path: Path, made: str, elements: int | None) -> None:
    text = "@cuda.jit\ndef k(a, b):\n    b[cuda.grid(1)] = a[0]\n"
    text += f"\n\ndef main(n):\n    a = {made}\n    b = np.zeros(8)\n    k[64, 64](a, b)\n"
    launch = records(tmp_path, "launch", text)[0]
    assert value(launch, "largest_host_array") == elements


KEPT = """
@cuda.jit
def k(a):
    a[0] = 1


class Plane:
    def __init__(self):
        self.state = np.empty((2, 3))

    def start(self):
        k[1, 1](self.state)
{more}
"""


@pytest.mark.parametrize(
    ("more", "elements"),
    [
        ("", 6),
        ("    def wider(self):\n        self.state = np.empty((4, 3))\n", 12),
        ("    def like(self, state):\n        self.state = state\n", None),
        ("def change(plane, state):\n    plane.state = state\n", None),
        ("def change(plane, other):\n    plane.other = other\n", 6),
    ],
)
def test_the_array_that_an_object_keeps(tmp_path: Path, more: str, elements: int | None) -> None:
    launch = records(tmp_path, "launch", KEPT.replace("{more}", more))[0]
    assert value(launch, "largest_host_array") == elements


SCRIPT = "@cuda.jit\ndef k(a):\n    a[0] = 1\n\n\ndef run(a):\n    k[1, 1](cuda.to_device(a))\n\n\n"


@pytest.mark.parametrize(
    ("calls", "elements"),
    [
        ("a = np.zeros(4)\nrun(a)\n", 4),
        ("run(np.zeros(4))\nrun(np.zeros((3, 3)))\nrun(np.zeros(2))\n", 9),
        ("run(np.zeros(4))\nrun(load())\n", None),
        ("run(np.zeros(4))\ndef main(n):\n    run(np.zeros(n))\n", None),
        ("run(np.zeros(4))\ndef main():\n    run(np.zeros(7))\n", 7),
        ("if __name__ == '__main__':\n    run(np.zeros(4))\n", 4),
        ("def main():\n    run(np.zeros(4))\nif __name__ == '__main__':\n    main()\n", 4),
        # It may be called from elsewhere.
        ("def main():\n    run(np.zeros(4))\n", None),
        ("run(np.zeros(4))\nthread(run)\n", None),
        ("a = np.zeros(4)\ndef main():\n    run(a)\n", None),
    ],
)
def test_arrays_that_a_script_hands_to_its_function(tmp_path: Path, calls: str, elements: int | None) -> None:
    launch = records(tmp_path, "launch", SCRIPT + calls)[0]
    assert value(launch, "largest_array") == elements


def test_a_module_of_a_package_may_be_called_by_others(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").touch()
    calls = "if __name__ == '__main__':\n    run(np.zeros(4))\n"
    assert value(records(tmp_path, "launch", SCRIPT + calls)[0], "largest_array") is None


def test_a_list_that_grows_has_no_size(tmp_path: Path) -> None:
    text = "@cuda.jit\ndef k(a):\n    a[0] = 1\n\n\ndef main(n):\n    a = [0]\n    a.extend(n)\n"
    launch = records(tmp_path, "launch", text + "    k[1, 1](np.array(a))\n")[0]
    assert value(launch, "largest_host_array") is None


@pytest.mark.parametrize(
    ("shape", "sectors"),
    [
        # Pixels of four float32, 16 bytes: 2 rows of 16 pixels are 2 rows of 8 sectors.
        ("(*image.shape[:2], 4)", 16),
        ("(100, 200, 4)", 16),
        # The sizes of a row are not seen: a sector for each of the 32 pixels, or the four that threads have.
        ("(*sizes(image), 4)", 32),
        ("image.shape", 32),
    ],
)
def test_the_starred_sizes_of_a_shape(tmp_path: Path, shape: str, sectors: int) -> None:
    text = "@cuda.jit\ndef k(a):\n    x, y, c = cuda.grid(3)\n    a[x, y, c] = 1\n"
    text += f"\n\ndef main(image):\n    a = np.zeros({shape}, dtype=np.float32)\n    k[64, (2, 16, 4)](a)\n"
    store = next(one for one in records(tmp_path, "access", text) if one.label == "a")
    assert value(store, "sectors_per_request") == sectors
    reading = store.readings["sectors_per_request"]
    assumed = " ".join(reading.assumptions)
    assert ("row of `a` has 4 elements" in assumed) == (sectors == 16)
    assert reading.least == (None if sectors == 16 else 16)


@pytest.mark.parametrize(
    ("block", "threads"), [("(*pair, 2)", 64), ("(*many, 2)", None), ("[*pair, *pair]", None)]
)
def test_a_starred_part_of_a_block(tmp_path: Path, block: str, threads: int | None) -> None:
    text = "@cuda.jit\ndef k(a):\n    a[0] = 1\n\n\ndef main(a, many):\n    pair = (8, 4)\n"
    launch = records(tmp_path, "launch", text + f"    k[64, {block}](a)\n")[0]
    assert value(launch, "block_threads") == threads


def test_lines_that_compute() -> None:
    source = """def k(a, i, n):
    a[i, 7 * n] = 0.0
    a[i] = -1.0
    a[i] = a[i + 1] * 2
    a[i] += 1
    for j in range(n):
        a[j] = a[i]
    if a[i] > 0:
        a[i] = (
            n
            + 1.5
        )
    f(a)
    for j in range(int(a[i] * 0.5)):
        a[j] = 0
    for j in range(2 * n + 1):
        a[j] = a[i] * 2
"""
    # Whole numbers are counted in lines 6 and 16, whatever the compiler has moved there.
    assert arithmetic_lines(source) == {4, 5, 8, 10, 11, 13, 14, 17}
    assert arithmetic_lines("def k(:") is None


@pytest.mark.parametrize(("made", "waits"), [("cuda.to_device(x)", False), ("load(x)", None)])
def test_arrays_of_the_host_are_copied_back_behind_the_kernel(
    tmp_path: Path, made: str, waits: bool | None
) -> None:
    text = "import time\n\n\n@cuda.jit\ndef k(a):\n    a[cuda.grid(1)] = 1\n\n\ndef main(x):\n"
    text += f"    a = {made}\n    begin = time.time()\n    k[64, 64](a)\n    print(time.time() - begin)\n"
    assert [value(one, "waits") for one in records(tmp_path, "measurement", text)] == [waits]


@pytest.mark.parametrize(
    ("index", "dynamic"),
    [
        ("2 * j", False),
        ("2 * ((j + 1) % 4)", False),
        ("(j + 1) % 4 + 1", False),
        ("j // 2", False),
        ("(j + 1) & 3", False),
        ("(j + n) % 4", True),
        ("j % n", True),
        ("int(a[j])", True),
        ("n", True),
    ],
)
def test_counters_of_loops_around_a_call_are_known(tmp_path: Path, index: str, dynamic: bool) -> None:
    text = f"@cuda.jit(device=True)\ndef f(x, a, j, n):\n    return x[{index}]\n"
    text += "@cuda.jit\ndef k(a, n):\n    x = cuda.local.array(8, np.float32)\n"
    text += "    for j in range(4):\n        a[j] = f(x, a, j, n)\n"
    found = next(one for one in records(tmp_path, "array", text) if one.label == "x")
    assert value(found, "dynamic_index") is dynamic


@pytest.mark.parametrize(
    ("inside", "same"),
    [
        ("out[j] = a[j]", True),
        ("out[j] = math.sqrt(a[j])", True),
        ("x, y = layout.place(j)\n        out[x] = a[j]", None),
        ("out[placed(j)] = a[j]", True),
        ("out[j + cuda.threadIdx.x] = a[j]", False),
    ],
)
def test_an_unknown_function_may_ask_for_the_thread(tmp_path: Path, inside: str, same: bool | None) -> None:
    text = "layout = made()\n@cuda.jit(device=True)\ndef placed(j):\n    return j + 1\n"
    text += f"@cuda.jit\ndef k(a, out):\n    for j in range(a.size):\n        {inside}\n"
    assert value(records(tmp_path, "loop", text)[0], "every_thread_same") is same


@pytest.mark.parametrize(
    ("header", "body", "threads"),
    [
        ("a, block=(16, 16)", "k[a.shape, block](a)", 256),
        ("a, threads=64", "k[9, threads](a)", 64),
        ("a, *, threads=64", "k[9, threads](a)", 64),
        ("a, threads=64", "threads = 2 * threads\n    k[9, threads](a)", 128),
        ("a, threads", "k[9, threads](a)", None),
        ("a, threads=None", "k[9, threads](a)", None),
        ("a, threads=4096", "k[9, threads](a)", None),
        ("a, threads=CHOSEN", "k[9, threads](a)", None),
    ],
)
def test_a_block_that_a_parameter_gives_by_default(
    tmp_path: Path, header: str, body: str, threads: int | None
) -> None:
    text = f"@cuda.jit\ndef k(a):\n    a[cuda.grid(1)] = 1\n\n\ndef run({header}):\n    {body}\n"
    found = survey_text(tmp_path, program=text).records
    (kernel,) = [one for one in found if one.entity == "kernel"]
    (launch,) = [one for one in found if one.entity == "launch"]
    # The caller may say otherwise, so that nothing is said of the launch.
    assert (value(kernel, "block_threads"), value(launch, "block_threads")) == (threads, None)


@pytest.mark.parametrize(
    ("loop", "timed"),
    [
        (
            "for i in range(9):\n        s = time.time()\n        k[9, 64](a)\n        took(time.time() - s)",
            True,
        ),
        ("for _ in range(9):\n        s = time()\n        k[9, 64](a)\n        took(time() - s)", True),
        ("for i in range(9):\n        s = time.time()\n        k[9, 64](a, i)\n        took(s)", False),
        ("for b in batches:\n        s = time.time()\n        k[9, 64](a)\n        took(s)", False),
        ("for i in range(9):\n        k[9, 64](a)", False),
        ("while a:\n        s = time.time()\n        k[9, 64](a)", False),
    ],
)
def test_a_loop_that_does_the_same_between_two_readings_of_the_clock(
    tmp_path: Path, loop: str, timed: bool
) -> None:
    text = (
        f"{'import time' if 'time.time' in loop else 'from time import time'}\n"
        f"@cuda.jit\ndef k(a):\n    a[cuda.grid(1)] = 1\n\n\ndef run(a, batches):\n    {loop}\n"
    )
    assert value(records(tmp_path, "launch", text)[0], "in_test_or_benchmark") is timed


@pytest.mark.parametrize(
    ("operation", "dtype", "aggregated"),
    [
        ("add(s, 0, 1)", "np.int32", True),
        ("sub(s, 0, 3)", "np.int64", True),
        ("add(s, 0, 1)", "np.float32", None),
        ("add(s, 0, a[0])", "np.int32", None),
        ("max(s, 0, 1)", "np.int32", None),
    ],
)
def test_a_constant_is_added_for_a_whole_warp(
    tmp_path: Path, operation: str, dtype: str, aggregated: bool | None
) -> None:
    text = f"@cuda.jit\ndef k(a):\n    s = cuda.shared.array(1, {dtype})\n    cuda.atomic.{operation}\n"
    assert value(records(tmp_path, "atomic", text)[0], "aggregated") is aggregated


def test_random_numbers_are_drawn_in_numbas_own_code() -> None:
    source = "def k(a, s, i):\n    x = xoroshiro128p_uniform_float32(s, i)\n"
    source += (
        "    y = random.xoroshiro128p_normal_float32(s, i)\n    z = 2 * xoroshiro128p_uniform_float32(s, i)\n"
    )
    source += "    w = xoroshiro128p_uniform_float64(s, i)\n"
    assert arithmetic_lines(source) == {4, 5}
