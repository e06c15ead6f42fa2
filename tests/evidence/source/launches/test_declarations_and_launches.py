"""Every form in which kernels are declared and launched, and what host code says about the launch."""

from __future__ import annotations

import pytest
from surveying import records, survey_text, value

FORMS = {
    "bare decorator": "@cuda.jit\ndef k(a):\n    a[0] = 1\n",
    "called decorator": "@cuda.jit(fastmath=True)\ndef k(a):\n    a[0] = 1\n",
    "string signature": "@cuda.jit('void(float32[:])')\ndef k(a):\n    a[0] = 1\n",
    "tuple signature": "from numba import float32\n@cuda.jit((float32[:],))\ndef k(a):\n    a[0] = 1\n",
    "alias of the module": "import numba as nb\n@nb.cuda.jit\ndef k(a):\n    a[0] = 1\n",
    "imported module": "import numba.cuda as driver\n@driver.jit\ndef k(a):\n    a[0] = 1\n",
    "named options": "fast = cuda.jit(fastmath=True)\n@fast\ndef k(a):\n    a[0] = 1\n",
    "imported jit": "from numba.cuda import jit\n@jit\ndef k(a):\n    a[0] = 1\n",
    "call": "def k(a):\n    a[0] = 1\nkernel = cuda.jit(k)\n",
    "curried call": "def k(a):\n    a[0] = 1\nkernel = cuda.jit(fastmath=True)(k)\n",
    "nested": "def make(n):\n    @cuda.jit\n    def k(a):\n        a[0] = n\n    return k\n",
    "nested call": "def make(n):\n    def k(a):\n        a[0] = n\n    return cuda.jit(k)\n",
    "static method": "class C:\n    @staticmethod\n    @cuda.jit\n    def k(a):\n        a[0] = 1\n",
    "wrapping function": "def compiled(f):\n    return cuda.jit(f)\n@compiled\ndef k(a):\n    a[0] = 1\n",
    "wrapping class": (
        "class Compiled:\n    def __init__(self, f):\n        self.f = cuda.jit(f)\n"
        "    def __getitem__(self, c):\n        return self.f[c]\n@Compiled\ndef k(a):\n    a[0] = 1\n"
    ),
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_forms_of_declaration(tmp_path, text):
    (found,) = records(tmp_path, "kernel", text)
    assert found.label == "k"


@pytest.mark.parametrize(
    "text",
    ["@cuda.jit(device=True)\ndef k(a):\n    return a[0]\n", "@cuda.jit\ndef k(a):\n    return a[0]\n",
     "def k(a):\n    a[0] = 1\n", "from numba import njit\n@njit\ndef k(a):\n    a[0] = 1\n"],
)  # fmt: skip
def test_what_is_no_kernel(tmp_path, text):
    assert records(tmp_path, "kernel", text) == []


def test_a_wrapper_of_another_module_is_followed(tmp_path):
    found = survey_text(
        tmp_path,
        tools="def compiled(f):\n    return cuda.jit(f)\n",
        program="from tools import compiled\n@compiled\ndef k(a):\n    a[cuda.grid(1)] = 1\n",
    )
    assert [record.label for record in found.records if record.entity == "kernel"] == ["k"]


CHOOSER = (
    "import numba as nb\nfrom numba import njit\ndef compiled(mode, types):\n"
    "    if mode == 'cpu':\n        return njit(types, parallel=True)\n"
    "    elif mode in ('gpu', 'cuda'):\n        return cuda.jit(types)\n    raise ValueError\n"
)
CHOSEN = "@compiled(MODE, None)\ndef k(a):\n    for i in {loop}:\n        a[i] = 1\n"


@pytest.mark.parametrize(
    ("condition", "loop", "kernel"),
    [
        ("MODE == 'cuda'", "range(a.size)", True),
        ("MODE in ['gpu', 'cpu']", "range(a.size)", True),
        ("MODE != 'cpu'", "range(a.size)", True),
        ("VERBOSE", "range(a.size)", True),
        ("SIZE == 4", "range(a.size)", True),
        ("MODE == 'cuda'", "nb.prange(a.size)", False),
        ("MODE == 'cpu'", "range(a.size)", False),
        ("MODE in ['cpu', 'plain']", "range(a.size)", False),
        ("MODE not in ('cuda', 'gpu')", "range(a.size)", False),
    ],
)
def test_a_function_for_the_cpu_below_a_decorator_that_chooses(tmp_path, condition, loop, kernel):
    text = CHOSEN.format(loop=loop).replace("\n", "\n    ")
    found = records(tmp_path, "kernel", f"{CHOOSER}MODE = input()\nif {condition}:\n    {text}\n")
    assert [one.label for one in found] == (["k"] if kernel else [])


def test_the_other_branch_of_a_mode_has_the_other_function(tmp_path):
    two = "".join(
        f"{head}\n    " + CHOSEN.format(loop="range(9)").replace("\n", "\n    ").replace("def k", name) + "\n"
        for head, name in (("if MODE == 'cpu':", "def serial"), ("else:", "def k"))
    )
    (found,) = records(tmp_path, "kernel", f"{CHOOSER}MODE = input()\n{two}")
    assert found.label == "k"


def test_a_decorator_that_always_compiles_for_the_gpu_is_believed(tmp_path):
    text = "def compiled(f):\n    return cuda.jit(f)\n"
    text += "if MODE == 'cpu':\n    @compiled\n    def k(a):\n        a[0] = 1\n"
    assert len(records(tmp_path, "kernel", text)) == 1


LAUNCHED = "@cuda.jit\ndef k(a):\n    a[cuda.grid(1)] = 1\n"


@pytest.mark.parametrize(
    ("host", "threads", "blocks"),
    [
        ("k[32, 256](a)", 256, 32),
        ("k[(4, 8), (16, 16)](a)", 256, 32),
        ("T = 128\n    k[a.size // T, T](a)", 128, None),
        ("k[grid_of(a), THREADS](a)", 64, None),
        ("side = int(512 ** 0.5)\n    k[1, (side, side)](a)", 484, 1),
        ("g, b = shape(a, 1, 16)\n    k[g, b](a)", 16, None),
        ("run = k[2, 96]\n    run(a)", 96, 2),
        ("k[2, 96, stream, 0](a)", 96, 2),
        ("k[n, n](a)", None, None),
    ],
)
def test_block_and_grid(tmp_path, host, threads, blocks):
    helpers = (
        "THREADS = 64\ndef grid_of(a):\n    return a.size\n"
        "def shape(n, x, y=8):\n    return (n // x, 4), (x, y)\n"
    )
    (found,) = records(tmp_path, "launch", f"{helpers}{LAUNCHED}def main(a, n, stream):\n    {host}\n")
    assert (value(found, "block_threads"), value(found, "blocks")) == (threads, blocks)
    assert found.owner is not None


@pytest.mark.parametrize(
    ("host", "count"),
    [("a = np.zeros(4)\n    k[1, 32](a)", 1), ("a = cuda.to_device(np.zeros(4))\n    k[1, 32](a)", 0),
     ("k[1, 32](a)", None), ("a = np.zeros(4)\n    a = cuda.to_device(a)\n    k[1, 32](a)", 0),
     ("a = np.zeros(4).astype(np.float32)\n    k[1, 32](a)", 1)],
)  # fmt: skip
def test_host_arrays(tmp_path, host, count):
    (found,) = records(tmp_path, "launch", f"{LAUNCHED}def main(a):\n    {host}\n")
    assert value(found, "host_arrays") == count


def test_host_loops_and_copies(tmp_path):
    text = LAUNCHED + (
        "def main(x, w):\n    for i in range(9):\n"
        "        d = cuda.to_device(x[i])\n        e = cuda.to_device(w)\n"
        "        k[1, 32](d)\n        d.copy_to_host()\n        cuda.synchronize()\n"
    )
    (launch,) = records(tmp_path, "launch", text)
    assert value(launch, "host_loop_depth") == 1
    copies = records(tmp_path, "transfer", text)
    assert [value(copy, "loop_invariant") for copy in copies] == [False, True, False]
    (wait,) = records(tmp_path, "synchronisation", text)
    assert value(wait, "host_loop_depth") == 1


@pytest.mark.parametrize(
    ("line", "launches"),
    [
        ("table[1, 32](a)", 1),
        ("f = lambda: table[1, 32](a)", 1),
        ("b = 2 * table[1, 32](a)", 0),
        ("return table[1, 32](a)", 0),
        ("print(table[1, 32](a))", 0),
    ],
)
def test_an_unknown_callee_whose_value_is_used_is_no_kernel(tmp_path, line, launches):
    text = f"{LAUNCHED}from elsewhere import table\ndef main(a):\n    {line}\n"
    assert len(records(tmp_path, "launch", text)) == launches


@pytest.mark.parametrize(
    ("body", "nothing"),
    [
        ("pass", True),
        ('"""Nothing."""', True),
        ("return", True),
        ("a[0] = 1", False),
        ("cuda.syncthreads()", False),
    ],
)
def test_a_kernel_that_does_nothing(tmp_path, body, nothing):
    (kernel,) = records(tmp_path, "kernel", f"@cuda.jit\ndef k(a):\n    {body}\n")
    assert value(kernel, "does_nothing") is nothing


def test_a_loop_that_measures_is_known(tmp_path):
    text = LAUNCHED + (
        "import time\ndef main(a):\n    for i in range(9):\n"
        "        t = time.perf_counter()\n        k[1, 32](a)\n"
    )
    (launch,) = records(tmp_path, "launch", text)
    assert value(launch, "in_test_or_benchmark") is True


def test_launches_of_other_files_shape_the_kernel(tmp_path):
    found = survey_text(
        tmp_path,
        kernels="@cuda.jit\ndef k(a, n):\n    i, j = cuda.grid(2)\n    if i < n:\n        a[i, j] = 1\n",
        host="from kernels import k\ndef main(a, n):\n    k[(9, 9), (1, 64)](a, n)\n",
    )
    (access,) = [record for record in found.records if record.entity == "access"]
    assert value(access, "lane_axis") == "fast"


def test_a_syntax_error_is_a_problem_and_the_rest_goes_on(tmp_path):
    found = survey_text(tmp_path, broken="@cuda.jit\ndef k(a:\n    cuda.grid(1)\n", whole=LAUNCHED)
    (problem,) = found.problems
    assert problem.path == "broken.py"
    assert problem.line == 5
    assert any(record.label == "k" for record in found.records)


def test_nothing_is_imported(tmp_path):
    mark = tmp_path / "executed"
    survey_text(tmp_path, program=f"open({str(mark)!r}, 'w').close()\n{LAUNCHED}")
    assert not mark.exists()
