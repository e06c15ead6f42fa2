"""Programs whose launches stay in their host loop, and the simple one that they differ from in one thing."""

from __future__ import annotations

import textwrap

KERNEL = """
@cuda.jit
def advance(x, out, n, step):
    i = cuda.grid(1)
    if i < n:
        out[i] += x[i] * step
"""
LAUNCH = """
def run(x, out, steps):
    blocks = (len(x) + 63) // 64
    for step in range(steps):
        advance[blocks, 64](x, out, len(x), step)
"""


def kernel(body: str, head: str = "def advance(x, out, n, step):") -> str:
    """A program whose kernel has another body, so that the launches stay in their loop."""
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return f"\n@cuda.jit\n{head}\n{lines}\n\n{LAUNCH}"


def host(body: str, kernel_text: str = KERNEL) -> str:
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return f"{kernel_text}\n\ndef run(x, out, steps):\n    blocks = (len(x) + 63) // 64\n{lines}\n"


LEFT = {
    "the neighbour's element": kernel("""
        i = cuda.grid(1)
        if 0 < i < n:
            out[i] += out[i - 1] * step
    """),
    "another one's element is read": kernel("""
        i = cuda.grid(1)
        if i < n:
            out[i] = x[i] * step + out[n - 1 - i]
    """),
    "an index that is no thread's": kernel("""
        i = cuda.grid(1)
        if i < n:
            out[x[i]] += step
    """),
    "indices of two kinds": kernel("""
        i = cuda.grid(1)
        if i < n:
            out[i] += out[cuda.threadIdx.x] * step
    """),
    "threads of the block share an element": kernel("""
        i = cuda.blockIdx.x
        if i < n:
            out[i] += step
    """),
    "a barrier": kernel("""
        i = cuda.grid(1)
        if i < n:
            out[i] += x[i] * step
        cuda.syncthreads()
    """),
    "shared memory": kernel("""
        tile = cuda.shared.array(64, float32)
        i = cuda.grid(1)
        tile[cuda.threadIdx.x] = step
        if i < n:
            out[i] += tile[cuda.threadIdx.x]
    """),
    "the result of an atomic": kernel("""
        i = cuda.grid(1)
        if i < n:
            x[i] = cuda.atomic.add(out, 0, 1) + step
    """),
    "atomics of two kinds": kernel("""
        i = cuda.grid(1)
        if i < n:
            cuda.atomic.add(out, 0, step)
            cuda.atomic.max(out, 0, i)
    """),
    "a value that only some steps set": kernel("""
        i = cuda.grid(1)
        if i < n:
            if step == 0:
                value = x[i]
            out[i] += value
    """),
    "the step is changed": kernel("""
        i = cuda.grid(1)
        step = step + 1
        if i < n:
            out[i] += x[i] * step
    """),
    "another parameter is changed": kernel("""
        i = cuda.grid(1)
        n -= step
        if i < n:
            out[i] += x[i]
    """),
    "a return from an inner loop": kernel("""
        i = cuda.grid(1)
        for k in range(3):
            if i + k >= n:
                return
            out[i] += x[i] * step
    """),
    "a function that stores": "\n@cuda.jit(device=True)\ndef put(a, i, v):\n    a[i + 1] = v\n\n"
    + kernel("""
        i = cuda.grid(1)
        if i < n:
            put(out, i, x[i] * step)
    """),
    "printing": kernel("""
        i = cuda.grid(1)
        if i < n:
            print(i, step)
            out[i] += step
    """),
    "a default": kernel("out[cuda.grid(1)] += x[0] * step + n", "def advance(x, out, n, step=0):"),
    "a signature": host(
        "for step in range(steps):\n    advance[blocks, 64](x, out, len(x), step)",
        KERNEL.replace("@cuda.jit", '@cuda.jit("void(float32[:], float32[:], int64, int64)")'),
    ),
    "two axes of the launch": host(
        "for step in range(steps):\n    advance[(blocks, blocks), 64](x, out, len(x), step)"
    ),
    "an unknown grid": host(
        "blocks, threads = x.launch\nfor step in range(steps):\n"
        "    advance[blocks, threads](x, out, len(x), step)"
    ),
    "one array twice": host("for step in range(steps):\n    advance[blocks, 64](out, out, len(x), step)"),
    "a part of the array": host("""
        part = out[1:]
        for step in range(steps):
            advance[blocks, 64](part, out, len(x), step)
    """),
    "the array in another shape": host("""
        part, other = out.reshape(-1), x
        for step in range(steps):
            advance[blocks, 64](part, out, len(x), step)
    """),
    "the array or another one": host("""
        part = (x or out) if steps > 2 else x
        for step in range(steps):
            advance[blocks, 64](part, out, len(x), step)
    """),
    "one array of a list": host("""
        for part in [x, out.T]:
            pass
        for step in range(steps):
            advance[blocks, 64](part, out, len(x), step)
    """),
    "a copy after each launch": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
            x = out.copy_to_host()
    """),
    "two launches": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
            advance[blocks, 64](out, x, len(x), step)
    """),
    "another launch outside": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
        advance[blocks, 64](x, out, len(x), 7)
    """),
    "launched by forall": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
        advance.forall(9)(x, out, len(x), 7)
    """),
    "the counter is used behind": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
        return step
    """),
    "the counter is used in the next round": host("""
        for _ in range(2):
            for step in range(steps):
                advance[blocks, 64](x, out, len(x), step)
            x[0] = step
    """),
    "the counter goes on": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
        step += 1
    """),
    "the counter is deleted": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
        del step
    """),
    "a function reads the counter": host("""
        def last():
            return step
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
        return last()
    """),
    "the counter is the module's": host("""
        global step
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
    """),
    "a comment below, behind an empty line": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)

            # advance[blocks, 64](out, x, len(x), step)
        return out
    """),
    "the size follows the counter": host(
        "for step in range(steps):\n    advance[blocks, 64](x, out, len(x) - step, step)"
    ),
    "the grid follows the counter": host(
        "for step in range(steps):\n    advance[blocks + step, 64](x, out, len(x), step)"
    ),
    "another stream each time": host(
        "for step in range(steps):\n    advance[blocks, 64, cuda.stream()](x, out, len(x), step)"
    ),
    "no counter": host("for _ in range(steps):\n    advance[blocks, 64](x, out, len(x), 1)"),
    "elements of a list": host("for step in steps:\n    advance[blocks, 64](x, out, len(x), step)"),
    "an else": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
        else:
            x = out
    """),
    "a comment below": host("""
        for step in range(steps):
            advance[blocks, 64](x, out, len(x), step)
            # advance[blocks, 64](out, x, len(x), step)
        return out
    """),
}
