"""What a kernel may do with an array that it gets: read, write or keep it. Unknown counts as yes."""

from __future__ import annotations

import ast
import itertools
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.model.text.source_text import SourceText
from advisor.program.effects.array_effects import ArrayEffects, Effects
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import parse_module

HEAD = """
import math
import numpy as np
from numba import cuda, float32
from numba.cuda import atomic
from other import unknown

TABLE = (1, 2)


@cuda.jit(device=True)
def total(row, n):
    s = 0.0
    for k in range(n):
        s += row[k]
    return s


@cuda.jit(device=True)
def fill(row, n):
    row[n] = 1


@cuda.jit(device=True)
def same(row):
    return row


@cuda.jit(device=True)
def idle(row):
    pass


@cuda.jit(device=True)
def down(row, n):
    if n:
        down(row, n - 1)


if TABLE:
    @cuda.jit(device=True)
    def either(row):
        return row[0]
else:
    @cuda.jit(device=True)
    def either(row):
        row[0] = 1


@unknown
def wrapped(row):
    return row[0]


replaced = unknown(total)


"""
READS = {
    "load": "x = a[0]",
    "operand": "b[i] = a[i, 2] * float32(a[i, 3])",
    "element through names": "x = a[i]\ny = x\nb[i] = math.sqrt(y) + min(x, 2)",
    "index": "b[int(a[i])] = a.shape[0] + len(a)",
    "test": "while a[0]:\n    pass",
    "builtin": "x = min(a[0], 2)",
    "iteration": "for v in a:\n    b[i] = v",
    "comprehension": "b[i] = sum([v for v in a])",
    "slice": "c = a[1:]\nb[i] = c[0]",
    "device function": "b[i] = total(a, 3)",
    "a row to a device function": "b[i] = total(a[i], 3)",
    "by keyword": "b[i] = total(n=3, row=a)",
    "element to a function that leaves it": "idle(a[i])",
    "element by name to a function that leaves it": "x = a[i]\nidle(x)",
    "value of an atomic": "cuda.atomic.add(b, i, a[i])",
    "given back": "c = same(a)\nb[i] = c[0]",
    "number that changes": "x = a[i]\nx += 1\nb[i] = x",
    "reduction": "b[i] = a.sum()",
    "match": "match a[i]:\n    case 1:\n        b[i] = 2",
    "copied": "b[:] = a",
    "size of a row": "b[i] = a[i].size",
    "NumPy": "b[i] = np.sin(a[i]) + np.float32(a[i])",
}
WRITES = {
    "store": "a[0] = 1",
    "slice": "a[:] = 0",
    "slice by name": "c = a[0:2]\nc[0] = 1",
    "field": "a[i]['x'] = 2",
    "attribute": "a[i].x = 2",
    "name": "c = a\nc[0] = 1",
    "row": "r = a[1]\nr[0] = 1",
    "row of a row": "r = a[1]\nother = r\nfill(other, 2)",
    "conditional expression": "c = a if i else b\nc[0] = 1",
    "or": "c = a or b\nc[0] = 1",
    "walrus": "(c := a)[0] = 1",
    "walrus in a test": "if (c := a).size:\n    c[0] = 1",
    "tuple": "t = (a, 1)\nt[0][0] = 2",
    "tuples joined": "t = (a,) + (b,)\nt[0][0] = 2",
    "swapped": "c, d = b, a\nd[0] = 1",
    "unpacked": "t = (a, b)\nc, d = t\nc[0] = 1",
    "starred": "c, *d = a, b\nd[0][0] = 1\nc[0] = 2",
    "transposed": "a.T[0] = 1",
    "flat": "a.flat[0] = 1",
    "view": "a.reshape(4)[0] = 1",
    "iteration": "for row in a:\n    row[0] = 1",
    "enumerated": "for n, row in enumerate(a):\n    row[0] = n",
    "match": "match i:\n    case 1:\n        a[0] = 1",
    "captured": "match a:\n    case c:\n        c[0] = 1",
    "try": "try:\n    a[0] = 1\nexcept Exception:\n    pass",
    "with": "with i:\n    a[0] = 1",
    "second name of a store": "x = a[0] = 1",
    "device function": "fill(a, 3)",
    "device function by keyword": "fill(n=i, row=a)",
    "device function, a row": "fill(a[i], 3)",
    "one of two definitions": "either(a)",
    "given back": "same(a)[0] = 1",
    "inner function": "def inner(k):\n    a[k] = 1\ninner(0)",
    "lambda": "f = lambda: a\nf()[0] = 1",
    "comprehension": "[fill(row, 0) for row in a]",
    "method": "a.fill(2)",
    "rebound later": "a[0] = 1\na = b",
    "deleted element": "del a[0]",
    "element for an annotation": "a[0]: float = 1",
    "loop target": "for a[0] in range(3):\n    pass",
    "bit operation in place": "a |= 4",
    "division in place": "row = a[i]\nrow /= 2",
}
BOTH = {
    "update": "a[0] += 1",
    "update of a row": "r = a[i]\nr[0] *= 2",
    "atomic": "cuda.atomic.add(a, 0, 1)",
    "atomic by another import": "atomic.max(a, 0, 1)",
    "compare and swap": "cuda.atomic.cas(a, 0, 1, 2)",
    "two uses": "b[i] = a[i]\na[i + 1] = 3",
    "copied within": "a[0] = a[1]",
}
KEPT = {
    "unknown function": "unknown(a)",
    "unknown function, a row": "unknown(a[i])",
    "unknown method": "a.unheard_of()",
    "method of a module": "other.fill(a)",
    "method as a value": "f = a.sort\nf()",
    "unknown member": "cuda.unheard_of(a)",
    "starred": "total(*a)",
    "in a starred tuple": "total(*(a, 1))",
    "too many": "total(1, 2, a)",
    "global": "global g\ng = a",
    "nonlocal in an inner function": "def inner():\n    nonlocal c\n    c = a\nc = b",
    "parameter that is called": "b(a)",
    "local function": "f = total\nf(a, 1)",
    "result for unknown function": "unknown(same(a))",
    "given to itself": "down(a, 3)",
    "unknown decorator": "x = wrapped(a)",
    "name of a wrapped function": "x = replaced(a, 1)",
    "NumPy with an array to fill": "np.add(b, b, a)",
    "keyword out": "np.sin(b, out=a)",
    "yielded": "yield a",
    "shadowed builtin": "len = b\nlen(a)",
    "context manager": "with a:\n    pass",
}
NOTHING = {
    "shape": "n = a.shape[0]",
    "size": "b[i] = a.size + a.ndim + a.strides[0]",
    "length": "n = len(a)",
    "type": "c = cuda.local.array(3, a.dtype)",
    "number": "b[i] = i + 1",
    "name that is not used": "c = a",
    "rebound": "a = 3",
    "another array": "b[i] = 1",
}


def effects(body: str, head: str = HEAD, parameters: str = "a, b, i") -> Effects:
    lines = textwrap.indent(body, "    ")
    text = f"{head}@cuda.jit\ndef k({parameters}):\n{lines}\n"
    module = parse_module(SourceText("k.py", text))
    kernel = module.functions_by_name["k"][0]
    return ArrayEffects(Workspace(Path())).of(module, kernel, "a")


def letters(body: str) -> str:
    found = effects(body)
    return "k" if found.keeps else ("r" if found.reads else "") + ("w" if found.writes else "")


@pytest.mark.parametrize("name", READS)
def test_read_only(name: str) -> None:
    assert letters(READS[name]) == "r"


@pytest.mark.parametrize("name", WRITES)
def test_written(name: str) -> None:
    assert effects(WRITES[name]).writes


@pytest.mark.parametrize("name", ["store", "slice", "row", "name", "device function", "transposed", "tuple"])
def test_stored_to_and_not_read(name: str) -> None:
    assert letters(WRITES[name]) == "w"


@pytest.mark.parametrize("name", BOTH)
def test_read_and_written(name: str) -> None:
    assert letters(BOTH[name]) == "rw"


@pytest.mark.parametrize("name", KEPT)
def test_unknown_is_everything(name: str) -> None:
    found = effects(KEPT[name])
    assert found.keeps and found.reads and found.writes


@pytest.mark.parametrize("name", NOTHING)
def test_no_element_is_looked_at(name: str) -> None:
    assert letters(NOTHING[name]) == ""


def test_a_device_function_of_another_file(tmp_path: Path) -> None:
    text = "from numba import cuda\nfrom there import fill, gone\n@cuda.jit\ndef k(a, b, c):\n"
    text += "    fill(a, b)\n    gone(c)\n"
    (tmp_path / "there.py").write_text("def fill(row, x):\n    row[0] = x[0]\n")
    module = parse_module(SourceText("k.py", text), str(tmp_path / "k.py"))
    found = ArrayEffects(Workspace(tmp_path)).every(module, module.functions[0])
    assert found == {
        "a": Effects(False, True, False),
        "b": Effects(True, False, False),
        "c": Effects(True, True, True),
    }


def test_a_device_function_around_the_kernel() -> None:
    text = "from numba import cuda\ndef make(n):\n    def dev(r):\n        r[0] = n\n    @cuda.jit\n"
    text += "    def k(a):\n        dev(a)\n    return k\n"
    module = parse_module(SourceText("k.py", text))
    kernel = module.functions_by_name["k"][0]
    assert ArrayEffects(Workspace(Path())).of(module, kernel, "a") == Effects(False, True, False)


def test_functions_that_call_each_other_count_as_unknown() -> None:
    text = "def f(a):\n    g(a)\ndef g(a):\n    f(a)\ndef k(a, b):\n    f(a)\n    b[0] = 1\n"
    module = parse_module(SourceText("k.py", text))
    found = ArrayEffects(Workspace(Path())).every(module, module.functions_by_name["k"][0])
    assert found["a"].keeps and found["b"] == Effects(False, True, False)


def test_a_long_chain_of_operators_is_no_matter() -> None:
    assert letters("b[i] = " + " * ".join(["a[i]"] * 390)) == "r"


def test_time_grows_with_the_length_only() -> None:
    """Each further name is one more step: 16 times the lines take far less than 16 * 16 times as long."""

    def seconds(count: int) -> float:
        lines = [f"c{n} = c{n - 1} if i else b\nc{n}[{n}] = c{n - 1}[0]" for n in range(1, count)]
        text = HEAD + "def k(a, b, i):\n" + textwrap.indent("c0 = a\n" + "\n".join(lines), "    ")
        module = parse_module(SourceText("k.py", text))
        kernel = module.functions_by_name["k"][0]
        begin = time.process_time()
        assert ArrayEffects(Workspace(Path())).of(module, kernel, "a").writes
        return time.process_time() - begin

    ratio = min(seconds(3200) / seconds(200) for _ in range(3))
    assert ratio < 80


# Programs of assignments and one store or load at the end: what Python does tells what is expected.
NAMES = ("a", "b", "c", "d")
SOURCES = st.sampled_from(NAMES)
STEPS = st.one_of(
    st.builds("{} = {}".format, SOURCES, SOURCES),
    st.builds("{} = {} if flag else {}".format, SOURCES, SOURCES, SOURCES),
    st.builds("{}, {} = {}, {}".format, SOURCES, SOURCES, SOURCES, SOURCES),
    st.builds("{} = ({}, {})[{}]".format, SOURCES, SOURCES, SOURCES, st.integers(0, 1)),
    st.builds("({} := {})".format, SOURCES, SOURCES),
    st.builds("{} = {}[:]".format, SOURCES, SOURCES),
    st.builds("for {} in [{}, {}]:\n    pass".format, SOURCES, SOURCES, SOURCES),
    st.builds("{}[0] = 7".format, SOURCES),
    st.builds("{}[1] += 1".format, SOURCES),
    st.builds("x = {}[0] + 1".format, SOURCES),
    st.builds("fill({}, 1)".format, SOURCES),
    st.builds("{} = same({})".format, SOURCES, SOURCES),
)


class Watched:
    """A list that notes whether its elements are read or written; slices share the notes."""

    def __init__(self) -> None:
        self.read = self.written = False

    def __getitem__(self, index: object) -> object:
        if isinstance(index, slice):
            return self
        self.read = True
        return 1

    def __setitem__(self, index: object, value: object) -> None:
        self.written = True


@settings(max_examples=200, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=8))
def test_what_happens_was_foreseen(steps: list[str]) -> None:
    body = "\n".join(steps)
    plain = "def fill(row, n):\n    row[n] = 1\ndef same(row):\n    return row\n"
    text = plain + "def k(a, b, c, d, flag):\n" + textwrap.indent(body, "    ") + "\n"
    module = parse_module(SourceText("k.py", text))
    found = ArrayEffects(Workspace(Path())).every(module, module.functions_by_name["k"][0])
    space: dict[str, object] = {}
    exec(compile(ast.parse(text), "k.py", "exec"), space)
    for flag in (True, False):
        given = {name: Watched() for name in NAMES}
        space["k"](**given, flag=flag)  # type: ignore[operator]
        for name, array in given.items():
            assert found[name].writes or not array.written, (name, body)
            assert found[name].reads or not array.read, (name, body)


def test_the_tables_do_not_overlap() -> None:
    tables = [set(table.values()) for table in (READS, WRITES, BOTH, KEPT, NOTHING)]
    assert all(not one & other for one, other in itertools.combinations(tables, 2))
