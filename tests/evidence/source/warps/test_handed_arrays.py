"""Arrays that threads hand on by a lock or flag, with a fence between and without."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

HANDED = {
    "a lock around a sum": """
        while cuda.atomic.cas(lock, 0, 0, 1) != 0:
            pass
        a[0] += b[i]
        cuda.atomic.exch(lock, 0, 0)
    """,
    "a lock for each bin": """
        while cuda.atomic.cas(lock, k[i], 0, 1) != 0:
            pass
        a[k[i]] = max(a[k[i]], b[i])
        cuda.atomic.exch(lock, k[i], 0)
    """,
    "a flag of the thread before": """
        while cuda.atomic.add(lock, i, 0) == 0:
            pass
        a[i] = a[i - 1] + b[i]
        cuda.atomic.add(lock, i + 1, 1)
    """,
    "asked inside a loop": """
        j = 0
        while j < n:
            if cuda.atomic.add(lock, i, 0) > 0:
                a[i, j] = a[i - 1, j] + b[i]
                cuda.atomic.add(lock, i + 1, 1)
                j += 1
    """,
    "a number of one type": """
        while cuda.atomic.max(lock, 0, np.int32(0)) == 0:
            pass
        b[i] = a[i + 1]
        a[i] = b[i]
    """,
    "one thread of a block, which waits for another block": """
        t = cuda.threadIdx.x
        s = cuda.shared.array(128, np.float32)
        s[t] = b[i]
        cuda.syncthreads()
        if t == 0:
            while cuda.atomic.cas(lock, 0, 0, 1) != 0:
                pass
            a[0] += s[0]
            cuda.atomic.exch(lock, 0, 0)
    """,
}

ORDERED = {
    "with fences": """
        while cuda.atomic.cas(lock, 0, 0, 1) != 0:
            pass
        cuda.threadfence()
        a[0] += b[i]
        cuda.threadfence()
        cuda.atomic.exch(lock, 0, 0)
    """,
    "with a fence of the block": """
        while cuda.atomic.add(lock, i, 0) == 0:
            pass
        cuda.threadfence_block()
        a[i] = a[i - 1] + b[i]
        cuda.threadfence_block()
        cuda.atomic.add(lock, i + 1, 1)
    """,
    "with barriers": """
        while cuda.atomic.add(lock, i, 0) == 0:
            pass
        cuda.syncthreads()
        a[i] = a[i - 1] + b[i]
        cuda.syncthreads()
        cuda.atomic.add(lock, i + 1, 1)
    """,
    "each thread's own element": """
        while cuda.atomic.add(lock, 0, 0) == 0:
            pass
        a[i] += b[i]
    """,
    "what nobody stores to": """
        while cuda.atomic.add(lock, 0, 0) == 0:
            pass
        c[i] = a[i + 1] + b[i]
    """,
    "what is read before": """
        x = a[i + 1]
        while cuda.atomic.add(lock, 0, 0) == 0:
            pass
        a[i] = x
    """,
    "a sum by trying again": """
        old = a[k[i]]
        while True:
            seen = cuda.atomic.cas(a, k[i], old, old + b[i])
            if seen == old:
                break
            old = seen
        c[i] = c[i + 1]
    """,
    "a counter": """
        j = cuda.atomic.add(lock, 0, 1)
        a[j] = a[j + 1]
    """,
    "a function that is not known": """
        while cuda.atomic.cas(lock, 0, 0, 1) != 0:
            pass
        elsewhere(a)
        a[0] += b[i]
        cuda.atomic.exch(lock, 0, 0)
    """,
}


def _handed(folder: Path, body: str) -> list[object]:
    lines = "".join(f"{line[4:]}\n" for line in body.splitlines())
    text = f"@cuda.jit\ndef kernel(a, b, c, k, lock, n):\n    i = cuda.grid(1)\n{lines}"
    return [value(one, "handed_array") for one in records(folder, "atomic", text) if value(one, "hands_on")]


@pytest.mark.parametrize("body", HANDED.values(), ids=HANDED)
def test_an_array_handed_on_without_a_fence(body: str, tmp_path: Path) -> None:
    assert _handed(tmp_path, body) == ["a"]


@pytest.mark.parametrize("body", ORDERED.values(), ids=ORDERED)
def test_arrays_that_are_ordered_or_not_handed_on(body: str, tmp_path: Path) -> None:
    assert _handed(tmp_path, body) == []
