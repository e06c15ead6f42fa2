"""Which branches and loops hang on what arrays hold: lines marked `# data`, and no others."""

from __future__ import annotations

import textwrap

import pytest
from relation_texts import relations

KERNELS = {
    "a guard by sizes and threads": """
        def k(a, index, n):
            i = cuda.grid(1)
            if i < n and n % 2 == 0:
                a[i] = index[i]
        """,
    "a test of an element": """
        def k(a, index, n):
            i = cuda.grid(1)
            if a[i] > 0:  # data
                a[i] = 0
            if a.shape[0] > i:
                a[i] = 1
        """,
    "through locals": """
        def k(a, index, n):
            i = cuda.grid(1)
            x = a[i]
            y = x * 2 + n
            if y > 0:  # data
                a[i] = 0
            y = n
            if y > 0:
                a[i] = 1
        """,
    "a trip count": """
        def k(a, index, n):
            i = cuda.grid(1)
            for j in range(index[i], index[i + 1]):  # data
                a[j] = 0
            for j in range(n):
                if j > 3:
                    a[j] = 0
        """,
    "what is assigned under a branch on data": """
        def k(a, index, n):
            i = cuda.grid(1)
            x = 0
            if a[i] > 0:  # data
                x = 1
                if x == n:
                    a[i] = 2
            if x == 1:  # data
                a[i] = 1
        """,
    "a loop that is left by data": """
        def k(a, index, n):
            for j in range(n):  # data
                if a[j] > 0:  # data
                    break
                if j == 2:
                    a[j] = 0
            if j > 1:  # data
                a[0] = 1
        """,
    "a loop carries data back": """
        def k(a, index, n):
            x = 0
            y = 0
            for j in range(n):
                if y > 1:  # data
                    a[j] = 0
                y = x
                x = index[j]
        """,
    "a while loop": """
        def k(a, index, n):
            i = cuda.grid(1)
            while index[i] != i:  # data
                i = index[i]
            while n > 1:
                n = n // 2
        """,
    "shared and local memory": """
        def k(a, index, n):
            tile = cuda.shared.array(32, np.float32)
            t = cuda.threadIdx.x
            tile[t] = a[t]
            if t < 16:
                tile[t] += tile[t + 16]
            if tile[0] > 1:  # data
                a[0] = 0
        """,
    "an atomic's result": """
        def k(a, index, n):
            old = cuda.atomic.add(index, 0, 1)
            if old < n:  # data
                a[old] = 1
        """,
    "a device function is given data": """
        def put(a, i, x, n):
            if x > 0:  # data
                a[i] = 0
            if n > 0:
                a[i] = 1
        def k(a, index, n):
            i = cuda.grid(1)
            put(a, i, a[i], n)
        """,
    "a device function returns data": """
        def get(a, i):
            return a[i] + 1
        def size(a):
            return a.shape[0]
        def k(a, index, n):
            i = cuda.grid(1)
            if get(a, i) > 0:  # data
                a[i] = 0
            if size(a) > i:
                a[i] = 0
        """,
    "branches in expressions": """
        def k(a, index, n):
            i = cuda.grid(1)
            x = 1 if index[i] > 0 else 2  # data
            y = 1 if n > 0 else 2
            a[i] = x + y
            b = a[i] > 0 and n > 1  # data
            a[i] = math.sin(a[i])  # data
            a[i] = math.sin(n)
        """,
    "an assertion": """
        def k(a, index, n):
            assert n > 0
            assert a[0] > 0  # data
        """,
    "scalars of an array's size": """
        def k(a, index, n):
            rows = a.shape[0] // n
            for j in range(rows):
                a[j] = index[j]
        """,
}


@pytest.mark.parametrize("source", KERNELS.values(), ids=KERNELS.keys())
def test_branches_that_hang_on_data(source: str) -> None:
    text = textwrap.dedent(source).strip()
    marked = {("m.py", number) for number, line in enumerate(text.splitlines(), 1) if line.endswith("# data")}
    assert relations("f i n", text).data_branches == marked


def test_a_table_of_the_source_is_no_data() -> None:
    source = """
        def k(a):
            table = cuda.const.array_like(TABLE)
            if table[cuda.threadIdx.x] > 1:
                a[0] = 1
            if OTHER[0] > 1:
                a[0] = 2
        """
    assert not relations("f", source, TABLE="np.array([1, 2])", OTHER="(1, 2)").data_branches


def test_a_loop_over_an_array_hangs_on_its_elements_alone() -> None:
    source = """
        def k(a):
            for x in a:
                if a.size > 1:
                    if x > 1:
                        a[0] = 1
        """
    assert relations("f", source).data_branches == {("m.py", 4)}
