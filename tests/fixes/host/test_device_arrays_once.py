"""NumPy arrays of launches: copied to the device once, and back only where a kernel writes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "device-arrays-once"
HEAD = """
import numpy as np
from numba import cuda


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a[i] + b[i]


@cuda.jit
def halve(a):
    i = cuda.grid(1)
    if i < a.shape[0]:
        a[i] *= 0.5


"""
ONCE = """
def run(x, steps):
    n = x.shape[0]
    a = np.array(x)
    b = np.ones(n, np.float32)
    out = np.zeros(n, dtype=np.float32)
    add[(n + 63) // 64, 64](a, b, out)
    return out + a[0]
"""
ONCE_AFTER = """
def run(x, steps):
    n = x.shape[0]
    a = np.array(x)
    b = np.ones(n, np.float32)
    out = np.zeros(n, dtype=np.float32)
    d_a = cuda.to_device(a)
    d_b = cuda.to_device(b)
    d_out = cuda.to_device(out)
    add[(n + 63) // 64, 64](d_a, d_b, d_out)
    d_out.copy_to_host(out)
    return out + a[0]
"""
LOOP = """
def run(x, steps):
    n = x.shape[0]
    blocks = (n + 63) // 64
    a = np.array(x)
    out = np.zeros(n, dtype=np.float32)
    sums = []
    for step in range(steps):
        b = np.full(n, step, np.float32)
        add[blocks, 64](a, b, out)  # a step
        halve[blocks, 64](a)
        if step > 3:
            break
        # the end
    sums.append(out.sum())
    return out, a, b, sums
"""
LOOP_AFTER = """
def run(x, steps):
    n = x.shape[0]
    blocks = (n + 63) // 64
    a = np.array(x)
    out = np.zeros(n, dtype=np.float32)
    sums = []
    d_a = cuda.to_device(a)
    d_out = cuda.to_device(out)
    for step in range(steps):
        b = np.full(n, step, np.float32)
        d_b = cuda.to_device(b)
        add[blocks, 64](d_a, d_b, d_out)  # a step
        halve[blocks, 64](d_a)
        if step > 3:
            break
        # the end
    d_a.copy_to_host(a)
    d_out.copy_to_host(out)
    sums.append(out.sum())
    return out, a, b, sums
"""
LOOKED_AT = """
def run(x, steps):
    n = x.shape[0]
    a = np.array(x)
    out = np.zeros(n, dtype=np.float32)
    last = 0.0
    for step in range(steps):
        add[(n + 63) // 64, 64](a, x, out)
        last += out[0]
    return last, out
"""
LOOKED_AT_AFTER = """
def run(x, steps):
    n = x.shape[0]
    a = np.array(x)
    out = np.zeros(n, dtype=np.float32)
    last = 0.0
    d_a = cuda.to_device(a)
    for step in range(steps):
        d_out = cuda.to_device(out)
        add[(n + 63) // 64, 64](d_a, x, d_out)
        d_out.copy_to_host(out)
        last += out[0]
    return last, out
"""
CHANGED_BEFORE = """
def run(x, steps):
    out = np.zeros(64, np.float32)
    out[0] += 2
    for step in range(steps):
        halve[8, 64](out)
    x[0] += out[0]
    return out
"""
CHANGED_BEFORE_AFTER = """
def run(x, steps):
    out = np.zeros(64, np.float32)
    out[0] += 2
    d_out = cuda.to_device(out)
    for step in range(steps):
        halve[8, 64](d_out)
    d_out.copy_to_host(out)
    x[0] += out[0]
    return out
"""
TWICE = """
def run(x, d_a):
    a = np.array(x)
    blocks = (a.size + 63) // 64
    add[blocks, 64](a, a, x)
    halve[blocks, 64](a)
    print(blocks)
    halve[blocks, 64](a)
    return a, x
"""
TWICE_AFTER = """
def run(x, d_a):
    a = np.array(x)
    blocks = (a.size + 63) // 64
    d_a_2 = cuda.to_device(a)
    add[blocks, 64](d_a_2, d_a_2, x)
    d_a_2 = cuda.to_device(a)
    halve[blocks, 64](d_a_2)
    print(blocks)
    halve[blocks, 64](d_a_2)
    d_a_2.copy_to_host(a)
    return a, x
"""
MADE_THERE = """
def run(x, steps):
    out = np.zeros(x.shape, np.float32)
    if steps:
        add[8, 64](np.float32(np.array(x)), x, out)
    return out
"""
MADE_THERE_AFTER = """
def run(x, steps):
    out = np.zeros(x.shape, np.float32)
    if steps:
        d_a = cuda.to_device(np.float32(np.array(x)))
        d_out = cuda.to_device(out)
        add[8, 64](d_a, x, d_out)
        d_out.copy_to_host(out)
    return out
"""
BRANCHES = """
def run(x, steps):
    a = np.array(x)
    halve[8, 64](a)
    if steps > 2:
        halve[8, 64](a)
        halve[8, 64](a)
    else:
        halve[8, 64](a)
    return a
"""
BRANCHES_AFTER = """
def run(x, steps):
    a = np.array(x)
    halve[8, 64](a)
    if steps > 2:
        d_a = cuda.to_device(a)
        halve[8, 64](d_a)
        halve[8, 64](d_a)
        d_a.copy_to_host(a)
    else:
        halve[8, 64](a)
    return a
"""
LOOKED_AT_LATER = """
def run(x, steps):
    out = np.zeros(64, np.float32)
    {kept}
    for step in range(steps):
        halve[8, 64](out)
        print({seen})
    return out
"""
COPIED = {
    "in branches": (BRANCHES, BRANCHES_AFTER),
    "once": (ONCE, ONCE_AFTER),
    "behind a change on the host": (CHANGED_BEFORE, CHANGED_BEFORE_AFTER),
    "around a loop": (LOOP, LOOP_AFTER),
    "in a loop that looks at the result": (LOOKED_AT, LOOKED_AT_AFTER),
    "around two launches": (TWICE, TWICE_AFTER),
    "made for the launch": (MADE_THERE, MADE_THERE_AFTER),
}
LEFT = {
    "on the device": ONCE.replace("np.array(x)", "cuda.to_device(x)")
    .replace("np.ones(n, np.float32)", "cuda.to_device(x)")
    .replace("np.zeros(n, dtype=np.float32)", "cuda.device_array(n, np.float32)"),
    "on a stream": ONCE.replace("// 64, 64]", "// 64, 64, steps]"),
    "parts of one array": """
def run(x, steps):
    out = np.zeros(64, np.float32)
    part = out[32:]
    add[1, 64](x, out, part)
    return out
""",
    "options as a dictionary": ONCE.replace("(a, b, out)", "(*steps)"),
    "of unknown origin": """
def run(x, steps):
    add[1, 64](x, steps, x)
    halve[1, 64](steps.x)
    return out
""",
    "within an expression": ONCE.replace("    add[(n", "    steps = add[(n"),
    "all of them written": """
def run(x, steps):
    out = np.zeros(64, np.float32)
    halve[1, 64](out)
    return out
""",
    "a kernel that hides what it does": """
@cuda.jit
def hidden(a, rows):
    row = a
    row[0] = 1


def run(x, steps):
    out = np.zeros(64, np.float32)
    hidden[1, 64](out, steps)
    return out
""",
    "one line": ONCE.replace("    add[(n", "    if n: add[(n"),
    "looked at on the line of the last launch": """
def run(x, steps):
    out = np.zeros(64, np.float32)
    halve[1, 64](out)
    halve[1, 64](out); print(out[0])
    return out
""",
    "looked at by its rows": LOOKED_AT_LATER.format(
        kept="kept = [row for row in out.reshape(8, 8)]", seen="kept[0][0]"
    ),
    "looked at in the loop": """
@cuda.jit
def choose(a, b, first):
    i = cuda.grid(1)
    target = a if first else b
    if i < target.size:
        target[i] = i


def run(x, steps):
    a = np.zeros(2000, np.float32)
    b = np.zeros(2000, np.float32)
    for step in range(4):
        choose[(a.size + 255) // 256, 256](a, b, step < 2)
        print(a[1], b[1])
""",
    "looked at through a list": LOOKED_AT_LATER.format(kept="kept = [out]", seen="kept[0][0]"),
    "looked at through a list that it was put into": LOOKED_AT_LATER.format(
        kept="kept = []\n    kept.append(out)", seen="kept[0][0]"
    ),
    "looked at through two lists": LOOKED_AT_LATER.format(
        kept="more = [out]\n    kept = more + [x]", seen="kept[0][0]"
    ),
    "looked at through an object": LOOKED_AT_LATER.format(kept="x.kept = out", seen="x.kept[0]"),
    "looked at through the list of an object": LOOKED_AT_LATER.format(
        kept="x.kept += [out]", seen="x.kept[0][0]"
    ),
    "of another shape meanwhile": """
def run(x, steps):
    out = np.zeros(64, np.float32)
    halve[8, 64](out)
    out.shape = (8, 8)
    halve[8, 64](out)
    return out
""",
    "looked at through a view": LOOKED_AT_LATER.format(kept="kept = out[1:]", seen="kept[0]"),
    "looked at by an inner function": LOOKED_AT_LATER.format(
        kept="def kept():\n        return out[0]", seen="kept()"
    ),
    "of a global name": LOOKED_AT_LATER.format(kept="pass", seen="out[0]").replace(
        "    out =", "    global out\n    out ="
    ),
    "a kernel that prints": ONCE.replace("def run", "@cuda.jit\ndef say(a):\n    print(a[0])\n\n\ndef run"),
    "memory that both sides see": ONCE.replace("np.zeros(n, dtype=np.float32)", "cuda.mapped_array(n)"),
    "copies on a stream": ONCE.replace("    return", "    d.copy_to_host(x, stream=steps)\n    return"),
    "an error that is caught": """
def run(x, steps):
    out = np.zeros(64, np.float32)
    try:
        for size in (64, 2048):
            halve[1, size](out)
    except Exception:
        pass
    return out
""",
    "what hides the result": """
def run(x, y):
    fill_first[1, 64](x, y)


@cuda.jit
def fill_first(a, b):
    i = cuda.grid(1)
    if i < a.shape[0]:
        a[i] = b[i]


def main():
    x = np.zeros(64, np.float32)
    y = x[:]
    fill_first[(x.size + 63) // 64, 64](x, y)
    return x
""",
    "what hides the result of a name that went elsewhere": """
def run(x, y):
    a = np.zeros(64, np.float32)
    other = a.reshape(-1)
    y(other)
    add[(a.size + 63) // 64, 64](x, a, other)
    first_added[(a.size + 63) // 64, 64](other, a)
    return a


@cuda.jit
def first_added(a, b):
    i = cuda.grid(1)
    if i < a.shape[0]:
        a[i] += b[i]
""",
    "one field of an object twice": """
class Holder:
    def __init__(self):
        self.x = np.ones(64, np.float32)

    def run(self):
        copy[(self.x.size + 63) // 64, 64](self.x, self.x)


@cuda.jit
def copy(a, b):
    i = cuda.grid(1)
    if i < a.shape[0]:
        b[i] = a[i] + 1
""",
    "a number of NumPy": """
@cuda.jit
def scale(a, factor):
    i = cuda.grid(1)
    if i < a.shape[0]:
        a[i] *= factor


def run(d_x, steps):
    scale[8, 64](d_x, np.random.rand())
""",
}


@pytest.mark.parametrize("name", COPIED)
def test_copied(tmp_path: Path, name: str) -> None:
    before, after = COPIED[name]
    assert fixed(tmp_path, FIX, HEAD + before) == (HEAD + after).lstrip("\n")


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    text = HEAD + LEFT[name]
    assert fixed(tmp_path, FIX, text) == text.lstrip("\n")


def test_a_run_tells_that_an_argument_is_an_array(tmp_path: Path) -> None:
    before = (
        HEAD
        + """
def run(inputs):
    out = np.zeros(4096, np.float32)
    add[(4096 + 63) // 64, 64](inputs["a"], inputs["b"], out)
    return out


def workload():
    run({"a": np.ones(4096), "b": np.ones(4096)})
"""
    )
    after = before.replace(
        '    add[(4096 + 63) // 64, 64](inputs["a"], inputs["b"], out)\n',
        '    d_a = cuda.to_device(inputs["a"])\n    d_b = cuda.to_device(inputs["b"])\n'
        "    d_out = cuda.to_device(out)\n    add[(4096 + 63) // 64, 64](d_a, d_b, d_out)\n"
        "    d_out.copy_to_host(out)\n",
    )
    assert fixed(tmp_path, FIX, before, "simulated") == after.lstrip("\n")
    assert fixed(tmp_path, FIX, before) == before.lstrip("\n"), "the source alone does not tell"


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 5), st.integers(1, 400), st.sampled_from(sorted(COPIED)), st.integers(0, 99))
def test_equal_results(simulated: SimulatedRuns, steps: int, size: int, name: str, seed: int) -> None:
    x = np.random.default_rng(seed).random(size, np.float32)
    steps += name == "around a loop"
    before, after = (simulated.call(HEAD + text, "run", x, steps) for text in COPIED[name])
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)
