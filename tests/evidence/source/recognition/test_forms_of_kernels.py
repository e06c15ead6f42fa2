"""Every way to make a kernel; `said_and_seen` explains what the comments say."""

from __future__ import annotations

from pathlib import Path

import pytest
from said_and_seen import check

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
    "a kernel with a function in it that returns a value": """
        @cuda.jit
        def k(a):  # kernel
            def add(x):
                return x + 1
            a[0] = add(a[1])
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


@pytest.mark.parametrize("text", MADE.values(), ids=MADE)
def test_a_kernel_is_seen_however_it_is_made(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)
