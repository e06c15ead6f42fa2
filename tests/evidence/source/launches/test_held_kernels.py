"""Launches of kernels that records, dictionaries and generators hold; `said_and_seen` explains the texts."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from said_and_seen import check
from surveying import survey_text

KERNELS = "@cuda.jit\ndef f(a):  # kernel\n    a[0] = 1\n@cuda.jit\ndef g(a):  # kernel\n    a[0] = 2\n"
HELD = {
    "fields of a named tuple": """
        from collections import namedtuple
        K = namedtuple("K", "add mul")
        ks = K(f, g)
        ks.add[2, 64](a)  # launch: f[2, 64](a)
        ks.mul[2, 64](a)  # launch: g[2, 64](a)
        ks[1][2, 32](a)  # launch: g[2, 32](a)
        for k in ks:
            k[2, 96](a)  # launch: f[2, 96](a); g[2, 96](a)
        L = namedtuple("L", ["add", "mul"])
        L(mul=f, add=g).add[2, 128](a)  # launch: g[2, 128](a)
        one = ks._replace(add=g)
        one.add[2, 160](a)  # launch: g[2, 160](a)
    """,
    "fields of a class of typing.NamedTuple": """
        from typing import NamedTuple
        class K(NamedTuple):
            add: object
            mul: object = g
        ks = K(f)
        ks.add[2, 64](a)  # launch: f[2, 64](a)
        ks.mul[2, 64](a)  # launch: g[2, 64](a)
    """,
    "fields of a dataclass": """
        from dataclasses import dataclass, field
        @dataclass
        class K:
            add: object
            mul: object = g
            def run(self, a):
                self.add[2, 96](a)  # launch: f[2, 96](a)
        ks = K(f)
        ks.add[2, 64](a)  # launch: f[2, 64](a)
        ks.mul[2, 64](a)  # launch: g[2, 64](a)
        @dataclass(frozen=True)
        class M(K):
            more: object = None
        M(g, f, more=g).more[2, 32](a)  # launch: g[2, 32](a)
    """,
    "fields of a dataclass with field()": """
        from dataclasses import dataclass, field
        @dataclass(kw_only=True)
        class K:
            table: dict = field(default_factory=lambda: {"f": f})
            add: object = field(default=g)
        K().table["f"][2, 64](a)  # launch: f[2, 64](a)
        K(table={"g": g}).table["g"][2, 64](a)  # launch: g[2, 64](a)
        K().add[2, 64](a)  # launch: g[2, 64](a)
    """,
    "fields of a namespace": """
        from types import SimpleNamespace
        ks = SimpleNamespace(add=f)
        ks.add[2, 64](a)  # launch: f[2, 64](a)
    """,
    "a class derived from a named tuple": """
        import collections
        class K(collections.namedtuple("K", ("add", "mul"), defaults=[g])):
            def run(self, a):
                self.mul[2, 64](a)  # launch: g[2, 64](a)
        add, mul = K(f)
        add[2, 32](a)  # launch: f[2, 32](a)
        mul[2, 32](a)  # launch: g[2, 32](a)
    """,
    "a dictionary filled by update": """
        ks = {}
        ks.update({"f": f})
        ks.update(g=g)
        ks["f"][2, 64](a)  # launch: f[2, 64](a)
        ks["g"][2, 64](a)  # launch: g[2, 64](a)
        class C:
            def __init__(self):
                self.ks = {}
                self.ks.update(f=f, **{"g": g})
            def run(self, a):
                self.ks["g"][2, 96](a)  # launch: g[2, 96](a)
    """,
    "a dictionary filled by setdefault": """
        ks = {}
        ks.setdefault("f", f)
        ks["f"][2, 64](a)  # launch: f[2, 64](a)
        ks.setdefault("g", g)[2, 64](a)  # launch: g[2, 64](a)
    """,
    "dictionaries of dictionaries": """
        ks = dict(f=f)
        ks["f"][2, 64](a)  # launch: f[2, 64](a)
        ms = {**ks}
        ms["f"][2, 32](a)  # launch: f[2, 32](a)
        ns = ks | {"g": f}
        ns["g"][2, 96](a)  # launch: f[2, 96](a)
        ks = {**{"f": f}, "f": g}
        ks["f"][2, 64](a)  # launch: g[2, 64](a)
        ms = dict({"f": f}, f=g)
        ms["f"][2, 32](a)  # launch: g[2, 32](a)
        ns = {"f": f} | {"f": g}
        ns["f"][2, 96](a)  # launch: g[2, 96](a)
        xs = [f]
        xs.extend([g])
        xs[0][2, 128](a)  # launch: f[2, 128](a)
        ys = [f] + [g]
        ys[0][2, 160](a)  # launch: f[2, 160](a); g[2, 160](a)
    """,
    "what a dictionary gives where it has no such key": """
        ks = {"f": f}
        ks.get("x", g)[2, 64](a)  # launch: g[2, 64](a)
        ks.get("f", g)[2, 64](a)  # launch: f[2, 64](a)
        ks.get(n, g)[2, 64](a)  # launch: f[2, 64](a); g[2, 64](a)
    """,
    "a generator": """
        def kernels():
            yield f
            yield g
        for k in kernels():
            k[2, 64](a)  # launch: f[2, 64](a); g[2, 64](a)
        next(kernels())[2, 32](a)  # launch: f[2, 32](a); g[2, 32](a)
        list(kernels())[1][2, 96](a)  # launch: f[2, 96](a); g[2, 96](a)
        def more():
            yield "n", 3
            yield from kernels()
        x, p, q = more()
        q[2, 128](a)  # launch: f[2, 128](a); g[2, 128](a)
        def made():
            @cuda.jit
            def k(a):  # kernel
                a[0] = 1
            yield k, 64
        for k, threads in made():
            k[2, 64](a)  # launch: k[2, 64](a)
    """,
    "options in a dictionary": """
        cfg = dict(griddim=2, blockdim=64)
        f.configure(**cfg)(a)  # launch: f[2, 64](a)
        f.configure(**{"griddim": 2, "blockdim": 32})(a)  # launch: f[2, 32](a)
        f.configure(2, **{"blockdim": 96})(a)  # launch: f[2, 96](a)
    """,
}
# What else may be launched there is not known, or one of two.
EITHER = {
    "a field of a dataclass that is bound again": """
        from dataclasses import dataclass
        @dataclass
        class K:
            add: object
        ks = K(f)
        ks.add = g
        ks.add[2, 64](a)  # launch: f[2, 64](a); g[2, 64](a)
    """,
    "an attribute that is set from outside": """
        from types import SimpleNamespace
        ks = SimpleNamespace(add=f)
        setattr(ks, "add", g)
        ks.add[2, 64](a)  # launch: f[2, 64](a); g[2, 64](a)
        class C:
            def __init__(self):
                self.k = f
        c = C()
        c.k = g
        c.k[2, 32](a)  # launch: f[2, 32](a); g[2, 32](a)
    """,
    "a dictionary that unknown ones change": """
        ks = {"f": f}
        ks.update(others())
        ks["f"][2, 64](a)  # launch: f[2, 64](a)
    """,
    "a field that a function sets": """
        from dataclasses import dataclass
        @dataclass
        class K:
            add: object
        def change(ks, kernel):
            ks.add = kernel
        K(f).add[2, 64](a)  # launch: f[2, 64](a)
    """,
    "an unknown key": """
        ks = {"f": f}
        ks[name] = g
        ks["f"][2, 64](a)  # launch: f[2, 64](a); g[2, 64](a)
    """,
    "a call with unknown arguments": """
        from collections import namedtuple
        K = namedtuple("K", "add mul", defaults=[f])
        K(*others).mul[2, 64](a)  # launch: f[2, 64](a)
        K(**others).mul[2, 64](a)  # launch: f[2, 64](a)
    """,
}
UNKNOWN = {
    "a named tuple whose fields are not known": """
        from collections import namedtuple
        K = namedtuple("K", names())
        ks = K(f)
        ks.add[2, 64](a)  # launch: ?[2, 64](a)
    """,
    "another library's named tuple": """
        from other import namedtuple
        K = namedtuple("K", "add")
        ks = K(f)
        ks.add[2, 64](a)  # launch: ?[2, 64](a)
    """,
    "another library's dataclass": """
        from other import dataclass
        @dataclass
        class K:
            add: object
        ks = K(f)
        ks.add[2, 64](a)  # launch: ?[2, 64](a)
    """,
    "a dataclass with its own __init__": """
        from dataclasses import dataclass
        @dataclass
        class K:
            add: object
            def __init__(self, x):
                self.add = other()
        ks = K(f)
        ks.add[2, 64](a)  # launch: ?[2, 64](a)
    """,
    "a dataclass without one": """
        from dataclasses import dataclass
        @dataclass(init=False)
        class K:
            add: object
        ks = K(f)
        ks.add[2, 64](a)  # launch: ?[2, 64](a)
    """,
    "a field that is no kernel": """
        from collections import namedtuple
        K = namedtuple("K", "add mul")
        ks = K(f, other)
        ks.mul[2, 64](a)  # launch: ?[2, 64](a)
        ks._replace(add=other).add[2, 32](a)  # launch: ?[2, 32](a)
    """,
    "a variable of a dataclass": """
        from dataclasses import dataclass
        from typing import ClassVar
        @dataclass
        class K:
            kind: ClassVar[object]
            mul: object
        K(f).kind[2, 64](a)  # launch: ?[2, 64](a)
    """,
    "a generator of something unknown": """
        def kernels():
            yield other()
            return f
        for k in kernels():
            k[2, 64](a)  # launch: ?[2, 64](a)
    """,
    "a function of the program's own that is called next": """
        def next(x):
            return other()
        k = next(iter([f]))
        k[2, 64](a)  # launch: ?[2, 64](a)
    """,
    "a key that only holds something else": """
        ms = {"f": 1}
        ms.update(g=f)
        k = ms["f"]
        k[2, 64](a)  # launch: ?[2, 64](a)
    """,
    "options that are not known": """
        cfg = dict(griddim=2, blockdim=64)
        cfg.update(other())
        f.configure(**cfg)(a)  # launch: f[?, ?](a)
        f.configure(**other())(a)  # launch: f[?, ?](a)
        cfh = dict(griddim=2, blockdim=64)
        cfh["blockdim"] = 32
        f.configure(**cfh)(a)  # launch: f[?, ?](a)
    """,
}


@pytest.mark.parametrize("text", HELD.values(), ids=HELD)
def test_a_kernel_is_found_where_it_is_held(tmp_path: Path, text: str) -> None:
    check(tmp_path, KERNELS + textwrap.dedent(text))


@pytest.mark.parametrize("text", EITHER.values(), ids=EITHER)
def test_what_may_be_another_kernel_is_none_for_certain(tmp_path: Path, text: str) -> None:
    text = KERNELS + textwrap.dedent(text)
    check(tmp_path, text)
    found = survey_text(tmp_path, program=text).records
    launches = [one for one in found if one.entity == "launch"]
    assert launches
    assert all(one.owner is None for one in launches)


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_not_told_is_not_guessed(tmp_path: Path, text: str) -> None:
    check(tmp_path, KERNELS + textwrap.dedent(text))
