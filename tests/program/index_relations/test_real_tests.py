"""Which branches hang on real numbers of each thread: lines marked `# real`, and no others."""

from __future__ import annotations

import textwrap

import pytest
from relation_texts import relations

KERNELS = {
    "a series of complex numbers": """
        def k(a, step, n):
            i = cuda.grid(1)
            z = 0
            c = i * step
            count = 0
            while count < n and z * z < 4:  # real
                z = z * z + c
                count += 1
            if count == n:  # real
                a[i] = 1
        """,
    "a distance": """
        def k(a, step, n):
            i, j = cuda.grid(2)
            if i < n:
                if math.sqrt(i * i + j * j) < step:  # real
                    a[i] = 1
        """,
    "a coordinate of a pixel": """
        def k(a, step, n):
            i = cuda.grid(1)
            x = i / n
            if x < 1:  # real
                a[i] = 1
            if 0.25 < x:  # real
                a[i] = 2
        """,
    "a lane beside a real constant": """
        def k(a, step, n):
            lane = cuda.threadIdx.x
            if lane > 2.5:  # real
                a[lane] = 1
        """,
    "an angle": """
        def k(a, step, n):
            i = cuda.grid(1)
            if i * math.pi < n:  # real
                a[i] = 1
        """,
    "a constant of the module": """
        def k(a, step, n):
            i = cuda.grid(1)
            if i * WIDTH < n:  # real
                a[i] = 1
            if i * COUNT < n:
                a[i] = 1
        """,
    "what a device function returns": """
        def inside(x, r):
            return x * r
        def k(a, step, n):
            i = cuda.grid(1)
            if inside(i, step) > 1:  # real
                a[i] = 1
        """,
    "a real number that all threads share": """
        def k(a, step, n):
            i = cuda.grid(1)
            if step > 0.5:
                if i < n:
                    a[i] = 1
            while step > 1.0:
                step = step / 2
        """,
    "guards and loops of whole numbers": """
        def k(a, step, n):
            i = cuda.grid(1)
            if i < n and i % 2 == 0:
                for j in range(n):
                    a[j] = step * i
        """,
    "a quotient that is made a whole number": """
        def k(a, step, n):
            i = cuda.grid(1)
            row = int(i / n)
            column = math.floor(i / n)
            if row < n and column < n:
                a[i] = 1
        """,
    "a block is the same for all threads of a warp": """
        def k(a, step, n):
            if cuda.blockIdx.x * step < 1.5:
                a[cuda.threadIdx.x] = 1
        """,
}


@pytest.mark.parametrize("source", KERNELS.values(), ids=KERNELS.keys())
def test_branches_that_hang_on_real_numbers(source: str) -> None:
    text = textwrap.dedent(source).strip()
    marked = {("m.py", number) for number, line in enumerate(text.splitlines(), 1) if line.endswith("# real")}
    found = relations("f x n", text, WIDTH="0.5", COUNT="3").data_branches
    assert found == marked


INDICES = {
    "a colour by a magnitude": """
        def k(a, table, n):
            i = cuda.grid(1)
            z = complex(i / n, 1.0)
            shade = int(abs(z) * 10 % len(table))
            a[i] = table[shade]  # real: table
        """,
    "a nearest neighbour at a scale": """
        def k(a, out, scale):
            i = cuda.grid(1)
            out[i] = a[int(i * 0.7)]  # real: a
        """,
    "through a function": """
        def at(i):
            return int(math.sqrt(i))

        def k(a, out, n):
            i = cuda.grid(1)
            out[i] = a[at(i)]  # real: a
        """,
    "rows are whole": """
        def k(a, out, n):
            i = cuda.grid(1)
            out[i] = a[int(i / n)] + a[i // n]
        """,
    "the same element for all threads": """
        def k(a, out, n):
            i = cuda.grid(1)
            out[i] = a[int(n * 0.5)]
        """,
    "real numbers in elements, not in indices": """
        def k(a, out, n):
            i = cuda.grid(1)
            out[i] = math.sqrt(a[i]) * 0.5
        """,
}


@pytest.mark.parametrize("source", INDICES.values(), ids=INDICES.keys())
def test_elements_that_real_numbers_pick(source: str) -> None:
    text = textwrap.dedent(source).strip()
    lines = enumerate(text.splitlines(), 1)
    marked = {("m.py", number, line.split("# real: ")[1]) for number, line in lines if "# real: " in line}
    assert relations("f f n", text).real_indices == marked
