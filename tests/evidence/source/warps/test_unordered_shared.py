"""Elements of shared memory that threads hand on with a barrier between, and without one."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from surveying import records, value

BLOCK = {
    "two steps of a sum": """
        if t < 128:
            s[t] += s[t + 128]
        if t < 64:
            s[t] += s[t + 64]
    """,
    "each element and its neighbour": """
        s[t] = x[t]
        o[t] = s[255 - t]
    """,
    "the neighbour, and then each element": """
        mean = s[t + 1]
        s[t] = mean
    """,
    "below a test of the whole block": """
        if cuda.grid(1) >= n:
            return
        s[t] = x[t]
        if n > 3:
            o[t] = s[255 - t]
    """,
    "a value of the first thread": """
        if t == 0:
            s[0] = x[0]
        o[t] = s[0]
    """,
    "the two branches of a test": """
        if t < 128:
            o[t] = s[t + 128]
        else:
            s[t] = 0
    """,
    "steps of a loop": """
        h = 128
        while h > 0:
            if t < h:
                s[t] += s[t + h]
            h //= 2
    """,
}
WARP = {
    "the last steps of a sum": """
        if t < 32:
            s[t] += s[t + 16]
            s[t] += s[t + 8]
    """,
    "lanes and their neighbours": """
        if t < 32:
            s[t] = x[t]
            o[t] = s[31 - t]
    """,
}
ORDERED = {
    "a barrier between": """
        s[t] = x[t]
        cuda.syncthreads()
        o[t] = s[255 - t]
    """,
    "a barrier in each step": """
        h = 128
        while h > 0:
            if t < h:
                s[t] += s[t + h]
            cuda.syncthreads()
            h //= 2
    """,
    "a barrier of the warp": """
        if t < 32:
            s[t] = x[t]
            cuda.syncwarp()
            o[t] = s[31 - t]
    """,
    "elements of its own": """
        s[t] = x[t]
        s[t] += 1
        o[t] = s[t]
    """,
    "parts that do not overlap": """
        s[t] = x[t]
        if t < 2:
            s[t + 256] = x[t + 256]
    """,
    "a halo of two ends": """
        s[t + 1] = x[t]
        if t == 0:
            s[0] = x[0]
        if t == 255:
            s[257] = x[255]
    """,
    "lower elements into upper ones, one step": """
        if t < 128:
            s[t] += s[t + 128]
    """,
    "one thread alone": """
        if t == 0:
            s[1] = x[0]
            s[2] = s[1] + x[1]
    """,
    "the same by all threads": """
        s[0] = n
        o[t] = s[0]
    """,
    "an index that is not known": """
        s[x[t]] = t
        o[t] = s[t]
    """,
    "threads that data chooses": """
        if x[t] > 0:
            s[t] = 1
        else:
            o[t] = s[t + 1]
    """,
    "one branch or the other for the whole block": """
        if n > 3:
            s[t] = x[t]
        else:
            o[t] = s[255 - t]
    """,
    "two tests of the whole block": """
        if n == 0:
            s[t] = x[t]
        if n == 1:
            o[t] = s[255 - t]
    """,
    "one thread of the grid": """
        if cuda.grid(1) == 0:
            s[1] = x[0]
            o[0] = s[1]
    """,
    "residues of the thread": """
        for k in range(n):
            s[t] += s[t + k * 256]
    """,
}


def _among(folder: Path, body: str, block: int = 256) -> set[object]:
    kernel = "@cuda.jit\ndef k(x, o, n):\n    t = cuda.threadIdx.x\n    s = cuda.shared.array(512, 'int32')\n"
    launch = f"\n\ndef run(x, o, n):\n    d = cuda.to_device(x)\n    k[4, {block}](d, o, n)\n"
    text = kernel + textwrap.indent(textwrap.dedent(body), "    ") + launch
    found = [one for one in records(folder, "access", text) if value(one, "unordered")]
    return {value(one, "unordered_among") for one in found}


@pytest.mark.parametrize("body", BLOCK.values(), ids=BLOCK)
def test_threads_of_the_block(tmp_path: Path, body: str) -> None:
    assert _among(tmp_path, body) == {"block"}


@pytest.mark.parametrize("body", WARP.values(), ids=WARP)
def test_lanes_of_a_warp(tmp_path: Path, body: str) -> None:
    assert _among(tmp_path, body) == {"warp"}


@pytest.mark.parametrize("body", ORDERED.values(), ids=ORDERED)
def test_nothing_is_handed_on_or_a_barrier_orders_it(tmp_path: Path, body: str) -> None:
    assert _among(tmp_path, body) == set()


def test_a_block_of_one_warp_needs_a_barrier_too(tmp_path: Path) -> None:
    assert _among(tmp_path, "s[t] = x[t]\no[t] = s[31 - t]", block=32) == {"warp"}


PART = st.tuples(st.integers(0, 96), st.integers(1, 96), st.integers(0, 70))


@given(PART, PART)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_threads_meet_where_they_do(
    tmp_path: Path, store: tuple[int, int, int], load: tuple[int, int, int]
) -> None:
    texts = [f"if t >= {low} and t < {low + count}:\n    " for low, count, _ in (store, load)]
    body = f"{texts[0]}s[t + {store[2]}] = x[t]\n{texts[1]}o[t] = s[t + {load[2]}]"
    threads = range(256)
    stored = {t + store[2]: t for t in threads if store[0] <= t < sum(store[:2])}
    pairs = [
        (t, stored[t + load[2]])
        for t in threads
        if load[0] <= t < sum(load[:2]) and stored.get(t + load[2], t) != t
    ]
    wanted = {"block"} if any(a // 32 != b // 32 for a, b in pairs) else {"warp"} if pairs else set()
    assert _among(tmp_path, body) == wanted
