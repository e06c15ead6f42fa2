"""`cuda.jit` in attributes, parameters, maps and modules that calls import; `said_and_seen` explains."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from said_and_seen import check
from surveying import records, survey_text, value

MADE = {
    "a list that map makes": """
        def f(a):  # kernel
            a[0] = 1
        def g(a):  # kernel
            a[0] = 2
        ks = list(map(cuda.jit, [f, g]))
        ks[0][2, 64](a)  # launch: f[2, 64](a)
        for k in ks:
            k[2, 32](a)  # launch: f[2, 32](a); g[2, 32](a)
    """,
    "what map gives at once": """
        def f(a):  # kernel
            a[0] = 1
        def g(a):  # kernel
            a[0] = 2
        p, q = map(cuda.jit, (f, g))
        p[2, 64](a)  # launch: f[2, 64](a)
        q[2, 64](a)  # launch: g[2, 64](a)
    """,
    "map with options and with a function": """
        def make(f):
            return cuda.jit(f)
        def f(a):  # kernel
            a[0] = 1
        def g(a):  # kernel
            a[0] = 2
        fs = [f]
        p = tuple(map(cuda.jit(fastmath=True), fs))[0]
        p[2, 64](a)  # launch: f[2, 64](a)
        for q in map(make, [g]):
            q[2, 32](a)  # launch: g[2, 32](a)
    """,
    "cuda.jit in an attribute": """
        class Backend:
            def __init__(self):
                self.jit = cuda.jit
                def f(a):  # kernel
                    a[0] = 1
                self.k = self.jit(f)
                @self.jit
                def g(a):  # kernel
                    a[0] = 1
                self.g = g
            def run(self, a):
                self.k[2, 64](a)  # launch: f[2, 64](a)
                self.g[2, 64](a)  # launch: g[2, 64](a)
    """,
    "an attribute of an object": """
        class Backend:
            def __init__(self):
                self.jit = cuda.jit
        b = Backend()
        @b.jit
        def f(a):  # kernel
            a[0] = 1
        f[2, 64](a)  # launch: f[2, 64](a)
    """,
    "an attribute of a class": """
        class Backend:
            jit = cuda.jit
        @Backend.jit
        def f(a):  # kernel
            a[0] = 1
        f[2, 64](a)  # launch: f[2, 64](a)
    """,
    "an inherited attribute that holds cuda.jit": """
        class Base:
            jit = staticmethod(cuda.jit)
        class Backend(Base):
            pass
        class C:
            def __init__(self):
                self.backend = Backend()
            def make(self):
                @self.backend.jit
                def f(a):  # kernel
                    a[0] = 1
                return f
        C().make()[2, 64](a)  # launch: f[2, 64](a)
    """,
    "a parameter that holds cuda.jit": """
        def build(jit):
            @jit
            def f(a):  # kernel
                a[0] = 1
            return f
        k = build(cuda.jit)
        k[2, 64](a)  # launch: f[2, 64](a)
    """,
    "a parameter of __init__": """
        class Backend:
            def __init__(self, jit):
                self.jit = jit
            def make(self):
                @self.jit
                def f(a):  # kernel
                    a[0] = 1
                return f
        k = Backend(cuda.jit).make()
        k[2, 64](a)  # launch: f[2, 64](a)
    """,
    "a default": """
        def build(jit=cuda.jit):
            @jit
            def f(a):  # kernel
                a[0] = 1
            return f
        k = build()
        k[2, 64](a)  # launch: f[2, 64](a)
    """,
    "a parameter of two functions": """
        from numba import njit
        def apply(jit, f):
            return jit(f)
        def again(jit, f):
            return apply(jit, f)
        def f(a):  # kernel
            a[0] = 1
        def g(a):
            a[0] = 1
        k = again(cuda.jit, f)
        m = again(njit, g)
        k[2, 64](a)  # launch: f[2, 64](a)
    """,
    "a parameter that other calls give something else": """
        from numba import njit
        def apply(jit, f):
            return jit(f)
        def f(a):  # kernel
            a[0] = 1
        def g(a):
            a[0] = 1
        k = apply(cuda.jit, f)
        m = apply(njit, g)
        k[2, 64](a)  # launch: f[2, 64](a)
    """,
    "a module that a call imports": """
        import importlib
        nc = importlib.import_module("numba.cuda")
        @nc.jit
        def f(a):  # kernel
            a[0] = 1
        f[2, 64](a)  # launch: f[2, 64](a)
    """,
    "modules that calls import by names": """
        from importlib import import_module
        NAME = "numba.cuda"
        nc = import_module(NAME)
        gpu = nc.jit
        @gpu
        def f(a):  # kernel
            a[0] = 1
        f[2, 64](a)  # launch: f[2, 64](a)
        def run():
            n = import_module("numba")
            @n.cuda.jit
            def g(a):  # kernel
                a[0] = 1
            g[2, 32](a)  # launch: g[2, 32](a)
    """,
    "an attribute of a call that imports": """
        import importlib
        jit = importlib.import_module("numba.cuda").jit
        j2 = __import__("numba").cuda.jit
        @jit
        def f(a):  # kernel
            a[0] = 1
        @j2
        def g(a):  # kernel
            a[0] = 1
        f[2, 64](a)  # launch: f[2, 64](a)
        g[2, 64](a)  # launch: g[2, 64](a)
    """,
    "an attribute by its name": """
        jit = getattr(cuda, "jit")
        @jit
        def f(a):  # kernel
            a[0] = 1
        f[2, 64](a)  # launch: f[2, 64](a)
    """,
    "a module of the workspace that a call imports": """
        ### kernels
        @cuda.jit
        def k(a):  # kernel
            a[0] = 1
        ### program
        import importlib
        kernels = importlib.import_module("kernels")
        kernels.k[2, 64](a)  # launch: k[2, 64](a)
        importlib.import_module("kernels").k[2, 32](a)  # launch: k[2, 32](a)
    """,
    "options of a dictionary": """
        opts = {"device": True}
        @cuda.jit(**opts)
        def f(a):  # device
            a[0] = 1
        both = dict(device=True)
        both["device"] = False
        @cuda.jit(**both)
        def g(a):  # kernel
            a[0] = 1
    """,
    "kernels that a generator makes": """
        def kernels():
            @cuda.jit
            def f(a):  # kernel
                a[0] = 1
            yield f
        for k in kernels():
            k[2, 64](a)  # launch: f[2, 64](a)
    """,
}
# With how many places of `cuda.jit` users are told of.
NOT_MADE = {
    "map of unknown functions": (
        """
        k, = map(cuda.jit, others())
        k[2, 64](a)  # launch: ?[2, 64](a)
        """,
        1,
    ),
    "a map of the program's own": (
        """
        def map(f, xs):
            return xs
        def f(a):
            a[0] = 1
        k, = map(cuda.jit, [f])
        k[2, 64](a)  # launch: ?[2, 64](a)
        """,
        1,
    ),
    "map with another compiler": (
        """
        from numba import njit
        def f(a):
            a[0] = 1
        k = list(map(njit, [f]))[0]
        """,
        0,
    ),
    "another library's jit in an attribute": (
        """
        import jax
        class B:
            def __init__(self):
                self.jit = jax.jit
            def make(self):
                @self.jit
                def f(a):
                    a[0] = 1
                return f
        """,
        0,
    ),
    "objects of which one compiles for the CPU": (
        """
        from numba import njit
        class Backend:
            def __init__(self, jit):
                self.jit = jit
            def make(self):
                @self.jit
                def f(a):
                    a[0] = 1
                return f
        Backend(cuda.jit).make()
        Backend(njit).make()
        """,
        1,
    ),
    "a parameter that nobody gives": (
        """
        def build(jit):
            @jit
            def f(a):
                a[0] = 1
            return f
        """,
        0,
    ),
    "a module that is not known": (
        """
        import importlib, sys
        nc = importlib.import_module(sys.argv[1])
        @nc.jit
        def f(a):
            a[0] = 1
        """,
        1,
    ),
    "a name of two modules": (
        """
        import importlib
        nc = importlib.import_module("numba.cuda")
        nc = importlib.import_module("jax")
        @nc.jit
        def f(a):
            a[0] = 1
        """,
        1,
    ),
    "a module hidden by a parameter": (
        """
        import importlib
        nc = importlib.import_module("numba.cuda")
        def run(nc):
            @nc.jit
            def f(a):
                a[0] = 1
        """,
        1,
    ),
    "an import of the program's own": (
        """
        def import_module(name):
            return other
        nc = import_module("numba.cuda")
        @nc.jit
        def f(a):
            a[0] = 1
        """,
        0,
    ),
    "an attribute that is not known": (
        """
        jit = getattr(cuda, name)
        @jit
        def f(a):
            a[0] = 1
        """,
        0,
    ),
    "an attribute of another class": (
        """
        class B:
            def __init__(self):
                self.jit = cuda.jit
        class D:
            pass
        @D().jit
        def f(a):
            a[0] = 1
        """,
        1,
    ),
}


@pytest.mark.parametrize("text", MADE.values(), ids=MADE)
def test_a_kernel_is_seen_whatever_holds_the_compiler(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize(("text", "told"), NOT_MADE.values(), ids=NOT_MADE)
def test_what_may_compile_otherwise_makes_no_kernel(tmp_path: Path, text: str, told: int) -> None:
    check(tmp_path, text)
    found = survey_text(tmp_path, program=textwrap.dedent(text)).unrecognised
    assert sum(len(one.uses) for one in found) == told


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ('opts = {"fastmath": True}\n', True),
        ("opts = dict(fastmath=False)\n", False),
        ('opts = {"cache": True}\n', False),
        ("opts = options()\n", None),
        ('opts = {"fastmath": True}\nopts["fastmath"] = False\n', None),
        ('opts = {"fastmath": True}\nchange(opts)\n', None),
    ],
)
def test_options_of_a_dictionary_count_where_they_are_known(
    tmp_path: Path, options: str, expected: bool | None
) -> None:
    text = options + "@cuda.jit(**opts)\ndef k(a):\n    a[0] = 1\n"
    (kernel,) = records(tmp_path, "kernel", text)
    assert value(kernel, "fastmath_enabled") is expected
