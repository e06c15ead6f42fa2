"""Every way to make a kernel and to launch it, each as a small program that says itself what must be seen.

`# kernel` stands where a `def` is a kernel, `# device` where it is compiled for kernels to call, and
`# launch: kernel[grid, block](arguments)` where a kernel is launched; `?` is what the source does not tell.
"""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

import pytest

from advisor.evidence.source.surveyor import Surveyor
from advisor.program.launches.launches import Launch

_SAID = re.compile(r"#\s*(kernel|device|launch):?\s*(.*)")
Seen = set[tuple[str, int, str, str]]


def said(name: str, text: str) -> Seen:
    """What the comments of a file say: file, line, what it is, and the launch as text."""
    found: Seen = set()
    for number, line in enumerate(text.splitlines(), 1):
        match = _SAID.search(line)
        if match:
            found |= {(name, number, match[1], one.strip()) for one in match[2].split(";")}
    return found


def seen(folder: Path, files: dict[str, str]) -> Seen:
    """What the program model sees in files, written as their comments say it."""
    surveyor = Surveyor(folder)
    found: Seen = set()
    for name in files:
        surveyor.host(folder / f"{name}.py")
        module = surveyor.workspace.module(folder / f"{name}.py")
        assert module is not None
        for declaration in surveyor.resolver.declarations(module):
            home = Path(declaration.module.path).stem
            found.add((home, declaration.node.lineno, "device" if declaration.device else "kernel", ""))
        for launch in surveyor.launches_in(module):
            found |= {(name, launch.node.lineno, "launch", one) for one in in_words(launch)}
    return found


def in_words(launch: Launch) -> list[str]:
    """A launch as it would be written with what is known of it, for each kernel that it may launch."""
    arguments = ", ".join(map(ast.unparse, launch.arguments))
    names = [one.name for one in launch.kernels] or ["?"]
    return [f"{name}[{sizes(launch.grid)}, {sizes(launch.block)}]({arguments})" for name in names]


def sizes(found: tuple[int | None, ...] | None) -> str:
    texts = ["?" if one is None else str(one) for one in found or (None,)]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def check(folder: Path, text: str) -> None:
    """Splits a text at `### name` into files, and compares what is seen with what it says."""
    parts = re.split(r"^### (\w+)\n", textwrap.dedent(text), flags=re.MULTILINE)
    named = dict(zip(parts[1::2], parts[2::2], strict=True)) if len(parts) > 1 else {"program": parts[0]}
    files = {name: f"from numba import cuda\n{body}" for name, body in named.items()}
    for name, body in files.items():
        (folder / f"{name}.py").write_text(body)
    expected = {one for name, body in files.items() for one in said(name, body)}
    assert seen(folder, files) == expected


MADE = {
    "a signature": """
        def f(a):  # kernel
            a[0] = 1
        k = cuda.jit("void(float32[:])")(f)
        k[2, 64](a)  # launch: f[2, 64](a)
    """,
    "a call": """
        def f(a):  # kernel
            a[0] = 1
        k = cuda.jit(f)
        k[2, 64](a)  # launch: f[2, 64](a)
    """,
    "a device function": """
        def f(x):  # device
            return x + 1
        def g(x):  # device
            return x + 1
        d = cuda.jit(f, device=True)
        e = cuda.jit("int32(int32)", device=True)(g)
        @cuda.jit
        def k(a):  # kernel
            a[0] = d(a[1]) + e(a[2])
        k[2, 64](a)  # launch: k[2, 64](a)
    """,
    "a device function in an attribute": """
        class C:
            def __init__(self):
                def f(x):  # device
                    return x + 1
                add = self.add = cuda.jit(f, device=True)
                @cuda.jit
                def k(a):  # kernel
                    a[0] = add(a[1])
                self.k = k
            def run(self, a):
                self.k[2, 64](a)  # launch: k[2, 64](a)
    """,
    "a static method": """
        class C:
            @staticmethod
            @cuda.jit
            def k(a):  # kernel
                a[0] = 1
            def run(self, a):
                self.k[2, 64](a)  # launch: k[2, 64](a)
                C.k[2, 32](a)  # launch: k[2, 32](a)
        C().k[2, 96](a)  # launch: k[2, 96](a)
    """,
    "a class attribute": """
        def f(a):  # kernel
            a[0] = 1
        class C:
            k = cuda.jit(f)
            def run(self, a):
                self.k[2, 64](a)  # launch: f[2, 64](a)
        C.k[2, 32](a)  # launch: f[2, 32](a)
    """,
    "an attribute": """
        def f(a):  # kernel
            a[0] = 1
        class C:
            def __init__(self, sig):
                self._k = cuda.jit(sig)(f)
            def run(self, a):
                self._k[2, 64](a)  # launch: f[2, 64](a)
    """,
    "an attribute of another object": """
        def f(a):  # kernel
            a[0] = 1
        class C:
            def __init__(self):
                self.k = cuda.jit(f)
        c = C()
        c.k[2, 64](a)  # launch: f[2, 64](a)
        def run(a):
            solver = C()
            solver.k[2, 32](a)  # launch: f[2, 32](a)
    """,
    "an inherited attribute": """
        def f(a):  # kernel
            a[0] = 1
        class Base:
            def __init__(self):
                self.k = cuda.jit(f)
        class C(Base):
            def run(self, a):
                self.k[2, 64](a)  # launch: f[2, 64](a)
    """,
    "an inherited attribute of another file": """
        ### bases
        def f(a):  # kernel
            a[0] = 1
        class Base:
            def __init__(self):
                self.k = cuda.jit(f)
        ### program
        from bases import Base
        class C(Base):
            def run(self, a):
                self.k[2, 64](a)  # launch: f[2, 64](a)
    """,
    "an attribute set by another method": """
        class C:
            def build(self, n):
                @cuda.jit
                def k(a):  # kernel
                    a[0] = n
                return k
            def __init__(self):
                self.k = self.build(3)
            def run(self, a):
                self.k[2, 64](a)  # launch: k[2, 64](a)
    """,
    "a property": """
        class C:
            @property
            def kernel(self):
                @cuda.jit
                def k(a):  # kernel
                    a[0] = 1
                return k
            def run(self, a):
                self.kernel[2, 64](a)  # launch: k[2, 64](a)
    """,
}

FACTORIES = {
    "a decorated function": """
        def make(n):
            @cuda.jit
            def k(a):  # kernel
                a[0] = n
            return k
        make(3)[2, 64](a)  # launch: k[2, 64](a)
        m = make(4)
        m[2, 32](a)  # launch: k[2, 32](a)
    """,
    "a call of jit": """
        def make(n):
            def k(a):  # kernel
                a[0] = n
            return cuda.jit("void(int32[:])")(k)
        m = make(4)
        m[2, 32](a)  # launch: k[2, 32](a)
    """,
    "another file": """
        ### made
        def make(n):
            @cuda.jit
            def k(a):  # kernel
                a[0] = n
            return k
        def make_by_call(n):
            def g(a):  # kernel
                a[0] = n
            return cuda.jit(fastmath=True)(g)
        ### program
        import made
        from made import make, make_by_call as other
        m = make(4)
        m[2, 32](a)  # launch: k[2, 32](a)
        other(5)[2, 64](a)  # launch: g[2, 64](a)
        made.make(6)[2, 96](a)  # launch: k[2, 96](a)
    """,
    "another file that another one re-exports": """
        ### made
        def make(n):
            @cuda.jit
            def k(a):  # kernel
                a[0] = n
            return k
        ### again
        from made import make
        ### program
        from again import *
        m = make(4)
        def run(a):
            m[2, 32](a)  # launch: k[2, 32](a)
    """,
    "called in __init__": """
        ### made
        def make(n):
            @cuda.jit
            def k(a):  # kernel
                a[0] = n
            return k
        ### program
        from made import make
        class C:
            def __init__(self, n):
                self.n, self.k = n, make(n)
            def run(self, a):
                self.k[2, 64](a)  # launch: k[2, 64](a)
    """,
    "cached": """
        import functools
        from functools import lru_cache
        @functools.cache
        def make(n):
            @cuda.jit
            def k(a):  # kernel
                a[0] = n
            return k
        @lru_cache(maxsize=None)
        def other(n):
            def g(a):  # kernel
                a[0] = n
            return cuda.jit(g)
        def run(a):
            make(3)[2, 64](a)  # launch: k[2, 64](a)
            other(3)[2, 32](a)  # launch: g[2, 32](a)
    """,
    "cached by a dictionary": """
        _CACHE = {}
        def make(n):
            if n in _CACHE:
                return _CACHE[n]
            @cuda.jit
            def k(a):  # kernel
                a[0] = n
            _CACHE[n] = k
            return k
        def run(a):
            make(3)[2, 64](a)  # launch: k[2, 64](a)
    """,
    "cached by a name of its own": """
        def f(n):
            @cuda.jit
            def k(a):  # kernel
                a[0] = n
            return k
        import functools
        make = functools.lru_cache(f)
        make(3)[2, 64](a)  # launch: k[2, 64](a)
    """,
    "several parts": """
        def make(n):
            @cuda.jit
            def p(a):  # kernel
                a[0] = n
            @cuda.jit
            def q(a):  # kernel
                a[1] = n
            return {"p": p, "q": q}
        ks = make(3)
        ks["q"][2, 64](a)  # launch: q[2, 64](a)
        make(4)["p"][2, 32](a)  # launch: p[2, 32](a)
    """,
    "a class": """
        class Kernels:
            def __init__(self, n):
                @cuda.jit
                def k(a):  # kernel
                    a[0] = n
                self.k = k
        ks = Kernels(3)
        ks.k[2, 64](a)  # launch: k[2, 64](a)
        Kernels(4).k[2, 32](a)  # launch: k[2, 32](a)
    """,
    "the body given to it": """
        ### tools
        def make(body, **options):
            return cuda.jit(**options)(body)
        ### program
        from tools import make
        def f(a):  # kernel
            a[0] = 1
        k = make(f, fastmath=True)
        k[2, 64](a)  # launch: f[2, 64](a)
    """,
    "one of two": """
        def make(fast):
            @cuda.jit
            def p(a):  # kernel
                a[0] = 1
            @cuda.jit
            def q(a):  # kernel
                a[0] = 2
            return p if fast else q
        make(True)[2, 64](a)  # launch: p[2, 64](a); q[2, 64](a)
    """,
}

DECORATORS = {
    "a function": """
        def gpu(f):
            return cuda.jit(fastmath=True)(f)
        @gpu
        def k(a):  # kernel
            a[0] = 1
        k[2, 64](a)  # launch: k[2, 64](a)
    """,
    "options": """
        gpu = cuda.jit(device=False)
        @gpu
        def k(a):  # kernel
            a[0] = 1
        k[2, 64](a)  # launch: k[2, 64](a)
    """,
    "a partial call": """
        from functools import partial
        gpu = partial(cuda.jit, fastmath=True)
        @gpu
        def k(a):  # kernel
            a[0] = 1
        k[2, 64](a)  # launch: k[2, 64](a)
    """,
    "imported": """
        ### tools
        from functools import partial
        def gpu(f):
            return cuda.jit(fastmath=True)(f)
        fast = cuda.jit(device=False)
        part = partial(cuda.jit, fastmath=True)
        ### program
        import tools
        from tools import gpu, fast as quick
        from tools import part
        @gpu
        def k(a):  # kernel
            a[0] = 1
        @quick
        def m(a):  # kernel
            a[0] = 1
        @part("void(int32[:])")
        def n(a):  # kernel
            a[0] = 1
        @tools.gpu
        def o(a):  # kernel
            a[0] = 1
        k[2, 64](a)  # launch: k[2, 64](a)
        m[2, 64](a)  # launch: m[2, 64](a)
        n[2, 64](a)  # launch: n[2, 64](a)
        o[2, 64](a)  # launch: o[2, 64](a)
    """,
    "a static method of a class": """
        class Tools:
            @staticmethod
            def gpu(f):
                return cuda.jit(f)
        @Tools.gpu
        def k(a):  # kernel
            a[0] = 1
        k[2, 64](a)  # launch: k[2, 64](a)
    """,
    "jit by its name": """
        from numba.cuda import jit
        from numba.cuda import jit as gpu
        import numba.cuda as nc
        import numba
        @jit
        def k(a):  # kernel
            a[0] = 1
        @gpu("void(int32[:])")
        def m(a):  # kernel
            a[0] = 1
        @nc.jit
        def n(a):  # kernel
            a[0] = 1
        @numba.cuda.jit()
        def o(a):  # kernel
            a[0] = 1
        k[2, 64](a)  # launch: k[2, 64](a)
        m[2, 64](a)  # launch: m[2, 64](a)
        n[2, 64](a)  # launch: n[2, 64](a)
        o[2, 64](a)  # launch: o[2, 64](a)
    """,
    "imported where it may fail": """
        try:
            from numba.cuda import jit as gpu
        except ImportError:
            def gpu(f):
                return f
        @gpu
        def k(a):  # kernel
            a[0] = 1
        k[2, 64](a)  # launch: k[2, 64](a)
    """,
    "star imports": """
        ### kernels
        @cuda.jit
        def k(a):  # kernel
            a[0] = 1
        ### program
        from kernels import *
        @cuda.jit
        def m(a):  # kernel
            a[0] = 1
        k[2, 64](a)  # launch: k[2, 64](a)
        m[2, 64](a)  # launch: m[2, 64](a)
    """,
}

K = "@cuda.jit\ndef k(a):  # kernel\n    a[0] = 1\n@cuda.jit\ndef m(a):  # kernel\n    a[0] = 2\n"
LAUNCHED = {
    "configure": """
        k.configure(2, 64)(a)  # launch: k[2, 64](a)
        k.configure(2, 64, stream, 128)(a)  # launch: k[2, 64](a)
        k.configure(griddim=2, blockdim=64)(a)  # launch: k[2, 64](a)
        c = k.configure(2, 32)
        c(a)  # launch: k[2, 32](a)
    """,
    "stream and shared memory": """
        k[2, 64, stream](a)  # launch: k[2, 64](a)
        k[2, (8, 8), stream, 1024](a)  # launch: k[2, (8, 8)](a)
    """,
    "a configured kernel in a name": """
        c = k[2, 64]
        c(a)  # launch: k[2, 64](a)
        for i in range(3):
            c(b)  # launch: k[2, 64](b)
        def run(x):
            c(x)  # launch: k[2, 64](x)
    """,
    "a configured kernel in a name of another": """
        c = k[2, 64]
        d = c
        d(a)  # launch: k[2, 64](a)
    """,
    "a configured kernel in an attribute": """
        class C:
            def __init__(self):
                self.run_k = k[2, 64]
            def run(self, a):
                self.run_k(a)  # launch: k[2, 64](a)
    """,
    "a configured kernel in an attribute by the size of an object": """
        class C:
            def __init__(self):
                self.threads = 64
                self.go = k[2, self.threads]
            def run(self, a):
                self.go(a)  # launch: k[2, 64](a)
    """,
    "a configured kernel of a function": """
        def configured(n):
            blocks = 4
            return k[blocks, 64]
        configured(3)(a)  # launch: k[4, 64](a)
    """,
    "a configuration in a name": """
        config = 2, 64
        k[config](a)  # launch: k[2, 64](a)
        class C:
            def __init__(self):
                self.config = (4, 32)
            def run(self, a):
                k[self.config](a)  # launch: k[4, 32](a)
    """,
    "a partial call": """
        from functools import partial
        run = partial(k[2, 64], a)
        run()  # launch: k[2, 64](a)
        go = partial(k[2, 32])
        go(b)  # launch: k[2, 32](b)
        partial(k[2, 96], c)()  # launch: k[2, 96](c)
    """,
    "a dictionary": """
        KERNELS = {"one": k, "two": m}
        KERNELS["two"][2, 64](a)  # launch: m[2, 64](a)
        def run(name):
            KERNELS[name][2, 32](a)  # launch: k[2, 32](a); m[2, 32](a)
            KERNELS.get(name)[2, 96](a)  # launch: k[2, 96](a); m[2, 96](a)
            kernel = KERNELS[name]
            kernel[2, 128](a)  # launch: k[2, 128](a); m[2, 128](a)
    """,
    "a dictionary of another file": """
        ### kernels
        @cuda.jit
        def k(a):  # kernel
            a[0] = 1
        KERNELS = {"one": k}
        ### program
        from kernels import KERNELS
        KERNELS["one"][2, 64](a)  # launch: k[2, 64](a)
    """,
    "a dictionary in an attribute": """
        class C:
            table = {"one": k}
            def __init__(self):
                self.kernels = {"one": k, "two": m}
            def run(self, a):
                self.kernels["two"][2, 64](a)  # launch: m[2, 64](a)
                self.table["one"][2, 32](a)  # launch: k[2, 32](a)
    """,
    "a loop": """
        for one in (k, m):
            one[2, 64](a)  # launch: k[2, 64](a); m[2, 64](a)
        for name, one in (("k", k), ("m", m)):
            one[2, 32](a)  # launch: k[2, 32](a); m[2, 32](a)
        for name, one in {"k": k, "m": m}.items():
            one[2, 96](a)  # launch: k[2, 96](a); m[2, 96](a)
        for one in [k, m]:
            one[2, 16](a)  # launch: k[2, 16](a); m[2, 16](a)
        for i, one in enumerate([k, m]):
            one[2, 128](a)  # launch: k[2, 128](a); m[2, 128](a)
        both = [k, m]
        for one in both:
            one[2, 160](a)  # launch: k[2, 160](a); m[2, 160](a)
        [one[2, 192](a) for one in both]  # launch: k[2, 192](a); m[2, 192](a)
    """,
    "a condition": """
        (k if x else m)[2, 64](a)  # launch: k[2, 64](a); m[2, 64](a)
        c = k if x else m
        c[2, 32](a)  # launch: k[2, 32](a); m[2, 32](a)
        if x:
            d = k
        else:
            d = m
        d[2, 96](a)  # launch: k[2, 96](a); m[2, 96](a)
        (chosen := k)[2, 128](a)  # launch: k[2, 128](a)
        chosen[2, 128](a)  # launch: k[2, 128](a)
        (x or k)[2, 160](a)  # launch: k[2, 160](a)
    """,
    "forall": """
        k.forall(n)(a)  # launch: k[?, ?](a)
        k.forall(n, 64)(a)  # launch: k[?, 64](a)
        k.forall(n, tpb=64)(a)  # launch: k[?, 64](a)
        k.forall(len(a), tpb=32, stream=s)(a)  # launch: k[?, 32](a)
    """,
    "specialize": """
        k.specialize(a)[2, 64](a)  # launch: k[2, 64](a)
        s = k.specialize(a)
        s[2, 32](a)  # launch: k[2, 32](a)
    """,
    "a global name that a function gives a kernel": """
        _kernel = None
        def body(a):  # kernel
            a[0] = 3
        def get():
            global _kernel
            if _kernel is None:
                _kernel = cuda.jit(body)
            return _kernel
        get()[2, 64](a)  # launch: body[2, 64](a)
        def run(a):
            _kernel[2, 32](a)  # launch: body[2, 32](a)
    """,
    "a returned expression": """
        def run(a):
            return k[1, 1](a)  # launch: k[1, 1](a)
        go = lambda a: k[1, 2](a)  # launch: k[1, 2](a)
    """,
    "getattr": """
        import kernels
        getattr(kernels, "k")[2, 64](a)  # launch: ?[2, 64](a)
    """,
    "getattr of a module that is seen": """
        ### kernels
        @cuda.jit
        def k(a):  # kernel
            a[0] = 1
        ### program
        import kernels
        getattr(kernels, "k")[2, 64](a)  # launch: k[2, 64](a)
    """,
    "a helper": """
        def launch(kernel, grid, block, *args):
            kernel[grid, block](*args)
        def run(a, b):
            launch(k, 2, 64, a)  # launch: k[2, 64](a)
            launch(m, 4, 32, b)  # launch: m[4, 32](b)
    """,
    "a helper of another file": """
        ### tools
        def launch(kernel, n, *args):
            threads = 128
            kernel[(n + threads - 1) // threads, threads](*args)  # launch: ?[?, 128](*args)
            cuda.synchronize()
        ### program
        from tools import launch
        @cuda.jit
        def k(a):  # kernel
            a[0] = 1
        launch(k, 1024, a)  # launch: k[8, 128](a)
    """,
    "a helper with named parameters": """
        def launch(kernel, x, threads=64):
            kernel[2, threads](x)
        launch(k, a)  # launch: k[2, 64](a)
        launch(m, threads=32, x=b)  # launch: m[2, 32](b)
    """,
    "a helper that also serves another": """
        def launch(kernel, grid, block, *args):
            kernel[grid, block](*args)
        def on_one_block(kernel, *args):
            launch(kernel, 1, 64, *args)
        on_one_block(k, a)  # launch: k[1, 64](a)
    """,
    "a helper that launches twice, and two kernels": """
        def timed(first, second, x):
            first[2, 64](x)  # launch: ?[2, 64](x)
            for _ in range(3):
                first[2, 64](x)  # launch: ?[2, 64](x)
            second[4, 32](x)  # launch: ?[4, 32](x)
        timed(k, m, a)  # launch: k[2, 64](a); m[4, 32](a)
    """,
    "a method as helper": """
        class C:
            def launch(self, kernel, *args):
                kernel[2, 64](*args)  # launch: ?[2, 64](*args)
            def run(self, a):
                self.launch(k, a)  # launch: k[2, 64](a)
    """,
    "an object made of a kernel": """
        class Timed:
            def __init__(self, kernel):
                self.kernel = kernel
            def run(self, a):
                self.kernel[2, 64](a)  # launch: k[2, 64](a)
        Timed(k).run(a)
    """,
}


@pytest.mark.parametrize("text", MADE.values(), ids=MADE)
def test_a_kernel_is_seen_however_it_is_made(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize("text", FACTORIES.values(), ids=FACTORIES)
def test_a_kernel_that_a_factory_makes_is_seen(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize("text", DECORATORS.values(), ids=DECORATORS)
def test_a_decorator_that_compiles_is_seen(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize("text", LAUNCHED.values(), ids=LAUNCHED)
def test_a_launch_is_seen_however_it_is_written(tmp_path: Path, text: str) -> None:
    text = textwrap.dedent(text)
    check(tmp_path, text if "###" in text else K + text)
