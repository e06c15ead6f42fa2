"""Kernels that no compiler takes are findings; where a guess or a release may be at fault they are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from advisor_command import AdvisorHere

HEAD = (
    "import random\nimport time\n\nimport cupy as cp\nimport numpy as np\nfrom numba import cuda, float32\n\n"
    "DEBUG = False\nWEIGHTS = [1.0, 2.0]\n"
)
PLAIN = "def plain(x):\n    return x * x\n\n\n"
KERNEL = "@cuda.jit\ndef k(a, n):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i] = i\n"

# The statements of the kernel, and what is said of the line with `# here`.
CERTAIN = {
    "a plain function": ("    a[i] = plain(a[i])  # here", "`plain` is a plain Python function"),
    "in a device function": ("    a[i] = outer(a[i])", "`plain` is a plain Python function"),
    "the clock": ("    a[i] = time.time()  # here", "`time.time` is a function of Python's own library"),
    "try": (
        "    try:  # here\n        a[i] = 1 / n\n    except ZeroDivisionError:\n        a[i] = 0",
        "`try`",
    ),
    "with": ("    with open('f') as f:  # here\n        a[i] = 1", "`with`"),
    "import": ("    import math  # here\n    a[i] = math.sin(a[i])", "cannot import"),
    "class": ("    class C:  # here\n        pass\n    a[i] = 1", "a class"),
    "set": ("    a[i] = 1 if n in {1, 2} else 0  # here", "a set"),
    "list of a loop": ("    b = [j for j in range(3)]  # here\n    a[i] = b[0]", "a list"),
    "generator": ("    a[i] = sum(a[j] for j in range(3))  # here", "generators"),
    "dictionary": ("    b = {}  # here\n    b[i] = 1\n    a[i] = b[i]", "a dictionary"),
    "list": ("    b = [n, n]  # here\n    a[i] = b[1]", "a list"),
    "a new array": ("    b = np.array([a[i], n])  # here\n    a[i] = b[0]", "no memory to make a new array"),
    "a longer array": ("    b = np.append(a, n)  # here\n    a[i] = b[0]", "no memory to make a new array"),
    "a sorted copy": ("    b = np.sort(a)  # here\n    a[i] = b[0]", "no memory to make a new array"),
    "running sums": ("    b = np.cumsum(a)  # here\n    a[i] = b[0]", "no memory to make a new array"),
    "places": ("    b = np.nonzero(a)[0]  # here\n    a[i] = b[0]", "no memory to make a new array"),
    "linear algebra": (
        "    a[i] = np.linalg.norm(a)  # here",
        "`np.linalg.norm` needs a library of the host",
    ),
    "value": ("    a[i] = 1\n    return a[i] + 1  # here", "cannot return a value"),
    "file": ("    f = open('f')  # here\n    a[i] = 1", "Untyped global name 'open'"),
    "host function": ("    b = cuda.to_device(a)  # here\n    a[i] = 1", "Unknown attribute 'to_device'"),
    "random numbers of NumPy": ("    a[i] = np.random.rand()  # here", "Unknown attribute 'rand'"),
    "size of a shared array": ("    b = cuda.shared.array(n, float32)  # here\n    b[0] = 1", "shared.array"),
    "random numbers of Python": (
        "    a[i] = random.random()  # here",
        "`random.random` is a function of Python's own library",
    ),
    "another library": ("    a[i] = cp.sqrt(n)  # here", "`cp.sqrt` is a function of cupy"),
    "two arguments of an atomic": ("    cuda.atomic.add(a[i], n)  # here", "an array, an index and what is"),
    "an axis": ("    a[i] = cuda.threadIdx.X  # here", "Unknown attribute 'X' of type Dim3"),
    "a name of Numba": ("    cuda.sync_threads()  # here\n    a[i] = 1", "no attribute 'sync_threads'"),
    "a name of older NumPy": ("    a[i] = np.float(n)  # here", "module 'numpy' has no attribute 'float'"),
    "a list of the module": ("    a[i] = WEIGHTS[0]  # here", "reads a list of the module"),
    "much shared memory": (
        "    b = cuda.shared.array((128, 128), float32)  # here\n    b[0, i] = n\n    a[i] = b[i, 0]",
        "its shared arrays take 65,536 bytes, and those of fixed size may take 49,152",
    ),
    "one number for two names": ("    j, m = cuda.grid(1)  # here\n    a[j] = m", "failed to unpack int64"),
    "two numbers for one name": (
        "    j = cuda.grid(2)\n    if j < n:  # here\n        a[i] = 1",
        "lt(UniTuple(",
    ),
    "a text that is filled in": ("    print('%f' % a[i])  # here", "mod(Literal[str](%f), "),
    "two indices of what is launched with one": (
        "    a[i] = a[i, 0]  # here",
        "with the types that its launches give it, (float64[::1], int64)",
    ),
    "arguments of a device function": ("    a[i] = twice(a[i], 1, 2)  # here", "Cannot bind"),
}
TWICE = "@cuda.jit(device=True)\ndef twice(x, y):\n    return x * y\n\n\n"
OUTER = "@cuda.jit(device=True)\ndef outer(x):\n    return plain(x)  # here\n\n\n"
# What precedes the kernel, and its statements.
UNCERTAIN = {
    "it is compiled": ("", "    a[i] = math.sqrt(n)"),
    "a function that is compiled": ("plain = cuda.jit(device=True)(plain)\n", "    a[i] = plain(a[i])"),
    "a decorator of another": (
        "from other import compiled\n\n\n@compiled\ndef f(x):\n    return x\n\n\n", "    a[i] = f(a[i])"
    ),
    "two functions": (
        "try:\n    from fast import f\nexcept ImportError:\n    def f(x):\n        return x\n\n\n",
        "    a[i] = f(a[i])",
    ),
    "what Numba is taught": (
        "from numba.extending import overload\n\n\n@overload(plain)\ndef g(x):\n    return lambda x: x\n\n\n",
        "    a[i] = plain(a[i])",
    ),
    "the simulator": (
        "import os\n\nos.environ['NUMBA_ENABLE_CUDASIM'] = '1'\n", "    b = [1 for _ in a]\n    a[i] = b[0]"
    ),
    "a debugger in the simulator": ("", "    from pdb import set_trace; set_trace()\n    a[i] = 1"),
    "a branch that is left out": ("", "    if DEBUG:\n        a[i] = plain(a[i])\n    a[i] = 1"),
    "a name of another NumPy": ("", "    a[i] = np.float_(n)"),
    "a list of the kernel's caller": ("WEIGHTS = load()\n\n\n", "    a[i] = WEIGHTS[0]"),
    "shared memory of an assumed size": (
        "SIDE = load()\n\n\n",
        "    b = cuda.shared.array((SIDE, 128), float32)\n    b[0, i] = n\n    a[i] = b[i, 0]",
    ),
    "a function that makes the kernel": ("", "    a[i] = f(a[i])"),
    "no value": ("", "    a[i] = 1\n    return None"),
    "a list to walk": ("", "    for j in [1, 2]:\n        a[j] = 1"),
    "numbers of NumPy": ("", "    a[i] = np.float32(n) + np.int32(2)"),
    "memory of Numba on the device": (
        "from numba import config\n\nconfig.CUDA_ENABLE_NRT = True\n",
        "    b = np.zeros(3)\n    a[i] = b[0]",
    ),
    "a return in a device function": (TWICE, "    a[i] = twice(a[i], 2)"),
}  # fmt: skip


@pytest.fixture
def advise() -> AdvisorHere:
    """The command in this process, which keeps its compilers: a process for each test would start its own."""
    return AdvisorHere()


def program(before: str, statements: str) -> str:
    kernel = "@cuda.jit\ndef k(a, n):\n    i = cuda.grid(1)\n"
    launch = "\n\n\nk[1, 32](np.ones(32), 3)\n"
    return HEAD + "import math\n\n\n" + PLAIN + before + kernel + statements + launch


@pytest.mark.parametrize("name", CERTAIN)
def test_what_no_compiler_takes_is_a_finding(
    advise: AdvisorHere, compiler: None, workspace: Path, name: str
) -> None:
    statements, said = CERTAIN[name]
    before = OUTER if "outer" in statements else TWICE if "twice" in statements else ""
    text = program(before, statements)
    (workspace / "k.py").write_text(text)
    outcome = advise.check("k.py", cwd=workspace)
    (told,) = (one for one in outcome.findings if one["rule"] == "kernel-not-compilable")
    line = next(number for number, one in enumerate(text.splitlines(), 1) if "# here" in one)
    assert (told["line"], told["severity"], outcome.errors) == (line, "error", [])
    assert said in told["message"]


@pytest.mark.parametrize("name", UNCERTAIN)
def test_what_may_be_compiled_elsewhere_is_no_finding(
    advise: AdvisorHere, compiler: None, workspace: Path, name: str
) -> None:
    (workspace / "k.py").write_text(program(*UNCERTAIN[name]))
    outcome = advise.check("k.py", cwd=workspace)
    assert "kernel-not-compilable" not in outcome.rules


@pytest.mark.parametrize(
    ("statements", "is_certain"),
    [
        ("    a[i] = a[i][0] + n.real.imag.foo", False),
        ("    b, c = n  # here\n    a[i] = b", False),
        ("    m = n + 1\n    b, c = m  # here\n    a[i] = b", False),
        ("    b, c = cuda.grid(1)  # here\n    a[b] = n", True),
    ],
)
def test_what_hangs_on_types_that_are_guessed_is_none(
    advise: AdvisorHere, compiler: None, workspace: Path, statements: str, is_certain: bool
) -> None:
    text = program("", statements).replace("k[1, 32](np.ones(32), 3)", "")
    (workspace / "k.py").write_text(text)
    outcome = advise.check("k.py", cwd=workspace)
    told = [one["line"] for one in outcome.findings if one["rule"] == "kernel-not-compilable"]
    here = [number for number, one in enumerate(text.splitlines(), 1) if "# here" in one]
    assert told == (here if is_certain else [])


def test_a_kernel_of_a_test_may_be_refused_on_purpose(
    advise: AdvisorHere, compiler: None, workspace: Path
) -> None:
    kernel = KERNEL.replace("a[i] = i", "a[i] = plain(a[i])")
    (workspace / "test_k.py").write_text(HEAD + PLAIN + kernel + "\n\ndef test_k():\n    k[1, 32](x, 1)\n")
    outcome = advise.check("test_k.py", cwd=workspace)
    assert "kernel-not-compilable" not in outcome.rules
