"""Every way to launch a kernel; `said_and_seen` explains what the comments say."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from said_and_seen import check

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
    "a function that returns a configured kernel": """
        def configured(n):
            return k[1, 32], n
        def other():
            return m[2, 64]
        f, n = configured(3)
        f(a)  # launch: k[1, 32](a)
        g = other()
        g(a)  # launch: m[2, 64](a)
    """,
    "either of two in a returned expression": """
        def run(a):
            return k[1, 1](a) if a else m[1, 2](a)  # launch: k[1, 1](a); m[1, 2](a)
    """,
    "a kernel that a parameter is unless a call gives another": """
        def run(a, kernel=k, more=(k, m)):
            kernel[2, 64](a)  # launch: k[2, 64](a)
            for one in more:
                one[2, 32](a)  # launch: k[2, 32](a); m[2, 32](a)
    """,
    "starred parts": """
        sizes = 2, 64
        k[(*sizes,)](a)  # launch: k[2, 64](a)
        k[(*sizes, 0, 128)](a)  # launch: k[2, 64](a)
        first, *rest = k, m
        rest[0][2, 32](a)  # launch: m[2, 32](a)
        *others, last = m, m, k
        last[2, 96](a)  # launch: k[2, 96](a)
        both = (*others, k)
        both[0][2, 128](a)  # launch: k[2, 128](a); m[2, 128](a)
    """,
    "asynchronous code": """
        async def run(a):
            async with stream() as s:
                k[2, 64, s](a)  # launch: k[2, 64](a)
            async for x in arrays():
                k[2, 32](x)  # launch: k[2, 32](x)
    """,
    "an arm of a match": """
        match x:
            case 1: f = k
            case _: f = m
        f[2, 64](a)  # launch: k[2, 64](a); m[2, 64](a)
    """,
}


@pytest.mark.parametrize("text", LAUNCHED.values(), ids=LAUNCHED)
def test_a_launch_is_seen_however_it_is_written(tmp_path: Path, text: str) -> None:
    text = textwrap.dedent(text)
    check(tmp_path, text if "###" in text else K + text)
