"""Programs that nobody writes by hand: each is checked, or an error at its place, in bounded time.

Every program here holds `KERNEL`, whose finding at line 9 is reported wherever that part of it can be read.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from program_in_process import run_advisor

from advisor.model.text.syntax_recovery import fault_of
from advisor.model.text.syntax_trees import MOST_LEVELS

KERNEL = """from numba import cuda
import numpy as np


@cuda.jit
def kernel(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] ** 0.5


a = np.zeros(64)
N = 64
"""
FINDING = ":9:16: "
LAUNCH = "kernel[1, N](a)\n"


def checked(folder: Path, **programs: str | bytes) -> subprocess.CompletedProcess[str]:
    """What a check of some modules prints; it is no fault of the program."""
    for name, text in programs.items():
        file = folder / f"{name}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    given = ("--no-run", "--no-cache", "--evidence", "source", "--format", "concise")
    outcome = run_advisor(folder, "check", *given, ".")
    assert outcome.returncode in (0, 1, 2) and outcome.stderr == "", outcome.stderr[-2000:]
    return outcome


# --- depth

DEEP = {
    "brackets": ("(", ")"), "lists": ("[", "]"), "calls": ("abs(", ")"), "subscripts": ("", "[0]"),
    "attributes": ("", ".T"), "methods": ("", ".copy()"), "signs": ("-", ""), "sums": ("", " + 1"),
    "powers": ("1 ** ", ""), "conditions": ("0 if 1 else ", ""), "comparisons": ("", " < 1"),
    "lambdas": ("lambda: ", ""), "awaits": ("await ", ""), "walruses": ("(w := ", ")"),
}  # fmt: skip
PLACES = {
    "value": KERNEL + "b = {a}\nkernel[1, 64](b)\n",
    "argument": KERNEL + "kernel[1, 64]({a})\n",
    "grid": KERNEL + "kernel[{N}, 64](a)\n",
    "default": KERNEL + "def run(a, n={N}):\n    kernel[n, 64](a)\n\n\nrun(a)\n",
    "option": KERNEL.replace("cuda.jit", "cuda.jit(fastmath={N})"),
    "element": KERNEL.replace("a[i] ** 0.5", "{i}"),
    "condition": KERNEL.replace("i < a.size", "{i}"),
    "kernel": KERNEL + "{kernel}[1, 64](a)\n",
}


@pytest.mark.parametrize(
    "depth, places", [(3000, ("argument", "element")), (MOST_LEVELS - 20, tuple(PLACES))]
)
def test_deep_expressions(tmp_path: Path, depth: int, places: tuple[str, ...]) -> None:
    programs = {}
    for what, (before, behind) in DEEP.items():
        for place in places:
            text = PLACES[place]
            for name in ("a", "N", "i", "kernel"):
                text = text.replace(f"{{{name}}}", before * depth + name + behind * depth)
            programs[f"{place}_{what}"] = text
    outcome = checked(tmp_path, **programs)
    for name in programs:
        if name.startswith(("value", "argument", "grid", "default", "kernel")):
            assert f"{name}.py{FINDING}" in outcome.stdout


BLOCKS = ("if N:", "while N:", "for x in a:", "with a:", "try:", "def f():", "class C:")


def test_deep_statements(tmp_path: Path) -> None:
    programs = {}
    for number, head in enumerate(BLOCKS):
        lines = [f"{' ' * depth}{head}\n" for depth in range(300)]
        programs[f"p{number}"] = f"{KERNEL}{''.join(lines)}{' ' * 300}pass\n"
    clauses = "".join(f"elif N == {number}:\n    b = a\n" for number in range(3000))
    programs["clauses"] = f"{KERNEL}if N == -1:\n    b = a\n{clauses}{LAUNCH}"
    outcome = checked(tmp_path, **programs)
    assert all(f"{name}.py{FINDING}" in outcome.stdout for name in programs)


def test_the_first_level_that_is_too_deep() -> None:
    # A module, its expression, signs and a number.
    assert fault_of("-" * (MOST_LEVELS - 3) + "1\n") is None
    fault = fault_of("1\nx = (\n" + "-" * (MOST_LEVELS - 2) + "1)\n")
    assert fault is not None and (fault.line, fault.message) == (2, "nested more than 400 levels deep")


# --- length

SECONDS = 20.0
OF_KERNEL = "    a[0] += 1\n"
OF_HOST = "    b = a[1:]\n    kernel[1, 64](b)\n    b += 1\n    b = 2 * b\n"
LONG = {
    "launches": KERNEL + "def run(a):\n" + OF_HOST * 2500,
    "kernels": KERNEL + "".join(
        f"@cuda.jit\ndef k{n}(a):\n{16 * OF_KERNEL}k{n}[1, 64](a)\n" for n in range(500)
    ),
    "statements of a kernel": KERNEL.replace(" ** 0.5\n", " ** 0.5\n" + "        a[i] = a[i] * 2\n" * 10_000),
    "names": KERNEL + "n0 = 1\n" + "".join(f"n{n + 1} = n{n} + n{n}\n" for n in range(10_000))
    + "kernel[n10000, 64](a)\n",
    "changes": KERNEL + "n = 1\n" + "n += 1\n" * 10_000 + "kernel[n, 64](a)\n",
}  # fmt: skip


@pytest.mark.parametrize("text", LONG.values(), ids=list(LONG))
def test_ten_thousand_lines(tmp_path: Path, text: str) -> None:
    begun = time.process_time()
    outcome = checked(tmp_path, program=text)
    assert time.process_time() - begun < SECONDS
    assert f"program.py{FINDING}" in outcome.stdout


# --- imports in circles

CIRCLES = {
    "two modules": {
        "a": f"from b import kernel, M\nN = M\n{LAUNCH}",
        "b": f"from a import N\n{KERNEL}M = N\n{LAUNCH}",
    },
    "a module that imports itself": {
        "b": f"import b\nfrom b import kernel as k, N as M\nfrom b import *\n{KERNEL}"
        "b.b.kernel[1, b.N](b.a)\nk[1, M](b.b.b.a)\n",
    },
    "stars": {
        "a": "from b import *\nfrom numba import cuda\nkernel[N, M](x)\nz[1, M](z)\n@gpu\ndef f(a): pass\n",
        "b": f"from a import *\nfrom c import *\nfrom b import *\n{KERNEL}M = M\n",
        "c": "from b import *\nfrom a import *\nfrom c import *\n",
    },
    "a package": {
        "p/__init__": "from .a import *\nfrom . import a\nfrom .b import kernel\nimport p\nfrom p import x\n",
        "p/a": "from . import *\nfrom .. import y\nfrom .a import kernel, N\nfrom p import kernel as k\n"
        "k[1, N](x)\n",
        "b": f"from p.a import *\nimport p, b\n{KERNEL}b.kernel[1, N](b.a)\n",
    },
    "a name that nothing defines": {
        "a": "from c import k\nfrom numba import cuda\nk[1, k](k)\n@k\ndef f(a): pass\n",
        "b": f"from a import k\n{KERNEL}{LAUNCH}cuda.jit(k)[1, 2](a)\n",
        "c": "from b import k\n",
    },
    "classes": {
        "b": f"{KERNEL}class A(B):\n    def __init__(self): self.x = self.x\n"
        "    def run(self): self.kernel[self.x, self.x](self.x)\n"
        "class B(A):\n    def go(self): self.run(); self.k[1, 2](self.y)\nA().k[1, A().x](A().x)\n",
    },
}  # fmt: skip


@pytest.mark.parametrize("programs", CIRCLES.values(), ids=list(CIRCLES))
def test_circles(tmp_path: Path, programs: dict[str, str]) -> None:
    outcome = checked(tmp_path, **programs)
    line = 9 + programs["b"].partition(KERNEL)[0].count("\n")
    assert f"b.py:{line}:16: " in outcome.stdout


# --- names

BOUND = """
def f(x, *args, **more):
    def g():
        nonlocal x
        x = 2
        global N, kernel
        N = 3
        kernel = x
        kernel[N, x](a)
        def h():
            nonlocal x
            global y
            del x
            y = [x for x in x if (N := x)]
    for x in x:
        kernel[x, N](x)
    with x as x, x as (x, [x, *x]):
        kernel[x, N](x)
    try:
        import x
        import x.y as x
        from x import x
        kernel[x, x](x)
    except x as x:
        kernel[x, x](x)
    match x:
        case [x, x, *_] if (x := x): kernel[x, x](x)
        case {"x": 1, **x}: kernel[x, x](x)
        case [1, *x] | [*x, 2]: kernel[x, x](x)
        case x.y(x=x) as y: kernel[x, x](x)
    class x(x):
        x = x
        x += x
        def x(self, x=x): self.x = x; self.kernel[x, x](x)
        kernel[x, x](x)
        del x
    x: int = x
    x, *x = x[x] = x.x = x
    del (x, [x, x.x, x[x]])
    lambda x=x: kernel[x, x](x)
    {x: [x for x in x for x in x if x] for x, x in x}
    async def x():
        async with x as x: kernel[x, x](x)
        async for x in x: kernel[x, x](x)
        return [x async for x in await x]
    kernel[x, x](x)
    return x
    x = x
    kernel[x, x](x)
for kernel in kernel, f, x: kernel[x, x](x)
kernel[kernel, kernel](kernel)
"""
IN_KERNEL = """
@cuda.jit
def k(a, x, *args):
    global N
    for x in range(x): a[x] = x
    with x as x: a[x] += 1
    try: x = 1
    except E as x: a[x] = x
    match x:
        case 1: a[x] = x
        case [x, *y]: a[x] = y
        case {"b": x}: pass
        case x: a[x] = 2
    while (x := x + 1): a[x] = x
    import x
    from y import x
    def x(x): return x
    class x: x = x
    del x
    a[x] = [x for x in a]
    x, x = a[x], a[x]
    (a, a[a]), *a = a
    a[x, ..., None, :, ::x] = x
    a[a[a[x]]] = a
    cuda.shared.array()
    cuda.local.array(*a, **x)
    cuda.atomic.add(a)
    cuda.grid()
    cuda.syncthreads(x)
    a[cuda.threadIdx] = a[cuda.threadIdx.x.y]
    k[1, 2](a)
    raise
    yield a[x]
    return
    a[x] = N = x
"""
LAUNCHES = """
kernel[1, 2]()
kernel[1]()
kernel[()]()
kernel[1, 2, 3, 4, 5, 6](*a, **a)
kernel[kernel](kernel)
kernel[None, None](None)
kernel[-1, 0](a)
kernel[1.5, "x"](a)
kernel[1:2, ::3](a)
kernel[1e999, (1e999, 1e999 - 1e999)](a)
kernel[1 << 10000, 10 ** 10 ** 10](a)
kernel["a" * 10**10, len("a" * 10**10)](a)
kernel[(1, 2, 3, 4, 5), ()](a)
kernel[1 / 0, 1 % 0](a)
kernel[True, 3j](a)
kernel[int("x"), int("%1000000000d" % 1)](a)
kernel[sum(range(10**12)), list(range(10**10))[3]](np.zeros((10**9, 10**9)))
kernel.configure()(a)
kernel.configure(*a, **a)(a)
kernel.forall()(a)
kernel.forall(1, 2, 3, 4, 5)(a)
kernel.specialize()[1, 1](np.zeros(-5)[::0].reshape(-1, -1).T[None, ..., ...])
cuda.jit()
cuda.jit(1)
cuda.jit(cuda.jit(cuda.jit))
cuda.jit(lambda x: x)[1, 2](3)
cuda.jit("void(")(kernel)
cuda.jit("void(" + "float32[:]," * 1000 + ")")(kernel)
@cuda.jit()
@cuda.jit
@cuda.jit(cuda.jit)
class K: pass
@cuda.jit(*a, **a)
async def coroutine(a): await a
@cuda.jit
def named(*, a, b=1, **c): a[b] = c
named[1, 2](a=1, c=2)
"""


@pytest.mark.parametrize("text", [BOUND, IN_KERNEL, LAUNCHES], ids=["host", "kernel", "launches"])
def test_names_bound_in_all_ways_and_calls_that_fail(tmp_path: Path, text: str) -> None:
    assert f"program.py{FINDING}" in checked(tmp_path, program=KERNEL + text).stdout


DEAD = """
def f(a):
    return 1
    n = 3
    kernel[1, n](a)
    while True:
        break
        kernel[1, n](a)
    else:
        raise
    for n in ():
        continue
        n += 1
if 0:
    kernel[1, 2](a)
if False:
    def kernel(x): pass
raise SystemExit
kernel[1, 64](a)
"""


def test_dead_code(tmp_path: Path) -> None:
    assert f"program.py{FINDING}" in checked(tmp_path, program=KERNEL + DEAD).stdout
    behind = KERNEL.replace("        a[i]", "        return\n        a[i]")
    assert "error" not in checked(tmp_path, program=behind).stdout


# --- other versions of Python, other bytes

VERSIONS = {
    "a template string": "x = t'a{N}b'\n",
    "types of exceptions without brackets": "try:\n    a\nexcept A, B:\n    kernel[1, 2](a)\n",
    "types of a group without brackets": "try:\n    a\nexcept* A, B:\n    kernel[1, 2](a)\n",
    "type parameters": "def f[T = int](x: T) -> T:\n    kernel[1, 2](x)\n",
    "a type alias": "type X[*T] = int\n",
    "annotations of later names": "def f(x: Later.y[z]) -> Later:\n    kernel[1, 2](x)\nclass Later: pass\n",
    "a return in finally": "def f():\n    try: pass\n    finally: return 1\n",
    "quotes of a string in it": "x = f'{N!r:{'a' + f'{N}'}}'\n",
    "a lazy import": "lazy import numpy\n",
    "Python 2": "print 'a'\nexec 'b'\nprint >>f, a\nraise E, 'x'\n`a`\n0777\nu'a' ur'b'\n",
}


@pytest.mark.parametrize("text", VERSIONS.values(), ids=list(VERSIONS))
def test_other_versions_of_python(tmp_path: Path, text: str) -> None:
    assert f"program.py{FINDING}" in checked(tmp_path, program=KERNEL + text + LAUNCH).stdout
    inside = "".join(f"        {line}\n" for line in text.splitlines())
    outcome = checked(tmp_path, program=KERNEL.replace("        a[i]", inside + "        a[i]") + LAUNCH)
    # Of a kernel that cannot be read whole nothing is said but where it cannot.
    assert not ("syntax error" in outcome.stdout and "slow-power" in outcome.stdout)


BYTES = KERNEL.encode()
READ = {
    "a form feed": BYTES.replace(b"\n\n\n", b"\n\f\n\f"),
    "a form feed before a line": BYTES.replace(b"    i =", b"\f    i ="),
    "tabs": BYTES.replace(b"    ", b"\t"),
    "lines that only text has": KERNEL.replace(" 0.5", " 0.5  # \u2028 \x85 \x1c \x0c \x0b").encode(),
    "a mark at the beginning": b"\xef\xbb\xbf" + BYTES,
    "carriage returns": BYTES.replace(b"\n", b"\r"),
    "lines that end differently": BYTES.replace(b"\n", b"\r\n", 3).replace(b"64\n", b"64\r"),
    "another encoding": BYTES + "# coding: gb18030\nx = '中'\n".encode(),
    "another form of a letter": (KERNEL + "ｋernel[1, 𝐍](𝕒)\n").encode(),
    "half a character": BYTES + b"x = '\\ud800'\n",
    "a number without end": BYTES + b"kernel[1e999999, 0x" + b"f" * 50_000 + b"](a)\n",
}
UNREAD = {
    "a null byte": BYTES.replace(b"N = 64", b"N = \0 64"),
    "a text of other units": KERNEL.encode("utf-16-le"),
    "a codec of bytes": b"# coding: hex\n" + BYTES,
    "a codec that refuses all": b"# coding: undefined\n" + BYTES,
    "a codec that refuses this": b"# coding: punycode\n" + BYTES,
    "two marks at the beginning": b"\xef\xbb\xbf\xef\xbb\xbf" + BYTES,
    "tabs and spaces": BYTES.replace(b"        ", b"\t"),
    "half a character as bytes": b"x = '\xed\xa0\x80'\n" + BYTES,
}


@pytest.mark.parametrize("data", READ.values(), ids=list(READ))
def test_other_bytes_that_python_reads(tmp_path: Path, data: bytes) -> None:
    outcome = checked(tmp_path, program=data)
    assert "slow-power" in outcome.stdout and "not-checked" not in outcome.stdout


@pytest.mark.parametrize("data", UNREAD.values(), ids=list(UNREAD))
def test_other_bytes_that_python_refuses(tmp_path: Path, data: bytes) -> None:
    outcome = checked(tmp_path, program=data)
    assert outcome.returncode == 2 and "program.py:" in outcome.stdout
