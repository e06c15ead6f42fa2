"""Kernels that functions, loops, classes and decorators make; `said_and_seen` explains the comments."""

from __future__ import annotations

from pathlib import Path

import pytest
from said_and_seen import check

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
    "made in a loop": """
        def f(a):  # kernel
            a[0] = 1
        def g(a):  # kernel
            a[0] = 2
        kernels = []
        for one in (f, g):
            kernels.append(cuda.jit(one))
        for kernel in kernels:
            kernel[2, 64](a)  # launch: f[2, 64](a); g[2, 64](a)
        kernels[0][2, 32](a)  # launch: f[2, 32](a); g[2, 32](a)
    """,
    "made in a comprehension": """
        def f(a):  # kernel
            a[0] = 1
        def g(a):  # kernel
            a[0] = 2
        both = {one.__name__: cuda.jit(one) for one in (f, g)}
        both["f"][2, 64](a)  # launch: f[2, 64](a); g[2, 64](a)
        first, second = [cuda.jit(fastmath=True)(one) for one in [f, g]]
        second[2, 32](a)  # launch: f[2, 32](a); g[2, 32](a)
    """,
    "made of the items of a list": """
        def f(a):  # kernel
            a[0] = 1
        def g(a):  # kernel
            a[0] = 2
        def h(a):
            a[0] = 3
        bodies = [f, g, h]
        k = cuda.jit(bodies[1])
        k[2, 64](a)  # launch: g[2, 64](a)
        table = {"f": f}
        for name, body in table.items():
            kernel = cuda.jit(body)
            kernel[2, 32](a)  # launch: f[2, 32](a)
        for n, (size, body) in enumerate([(64, f)]):
            cuda.jit(body)[2, 96](a)  # launch: f[2, 96](a)
    """,
    "made in a loop of functions of another file": """
        ### bodies
        def f(a):  # kernel
            a[0] = 1
        def g(a):  # kernel
            a[0] = 1
        ### program
        from bodies import f, g
        kernels = [cuda.jit(one) for one in (f, g)]
        kernels[0][2, 64](a)  # launch: f[2, 64](a); g[2, 64](a)
    """,
    "made in a loop of what is unknown": """
        def f(a):
            a[0] = 1
        for one in bodies(f):
            k = cuda.jit(one)
            k[2, 64](a)  # launch: ?[2, 64](a)
        for f in others:
            k = cuda.jit(f)
        for one in (f, f):
            def compiled(one):
                return cuda.jit(one)
    """,
    "a package that hands on what its modules make": """
        ### package/__init__
        from . import making
        from .making import make as build, gpu
        from .kernels import *
        from . import making as tools
        also = making.make
        ### package/making
        def make(n):
            @cuda.jit
            def k(a):  # kernel
                a[0] = n
            return k
        def gpu(f):
            return cuda.jit(f)
        ### package/kernels
        @cuda.jit
        def m(a):  # kernel
            a[0] = 1
        ### program
        import package
        from package import also, build, gpu, m, tools
        build(3)[2, 64](a)  # launch: k[2, 64](a)
        package.build(4)[2, 32](a)  # launch: k[2, 32](a)
        also(5)[2, 96](a)  # launch: k[2, 96](a)
        tools.make(6)[2, 128](a)  # launch: k[2, 128](a)
        m[2, 160](a)  # launch: m[2, 160](a)
        @gpu
        def f(a):  # kernel
            a[0] = 1
        @tools.gpu
        def g(a):  # kernel
            a[0] = 1
        f[2, 192](a)  # launch: f[2, 192](a)
        g[2, 224](a)  # launch: g[2, 224](a)
    """,
    "a partial call of it": """
        from functools import partial
        def make(n, m):
            @cuda.jit
            def k(a):  # kernel
                a[0] = n
            return k
        partial(make, 3)(4)[2, 64](a)  # launch: k[2, 64](a)
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


@pytest.mark.parametrize("text", FACTORIES.values(), ids=FACTORIES)
def test_a_kernel_that_a_factory_makes_is_seen(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize("text", DECORATORS.values(), ids=DECORATORS)
def test_a_decorator_that_compiles_is_seen(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)
