"""Random host programs that launch kernels with NumPy arrays."""

from __future__ import annotations

from random import Random

_HEAD = """
import functools
import numpy as np
from numba import cuda

@cuda.jit
def first(a, b):
    a[0] = b[0]

@cuda.jit
def second(a, b):
    b[0] = a[0]

def third(a, b):
    b[0] = a[0]

def fourth(a, b):
    b[0] = a[0]

THREADS = 64
GRID = (4, 2)

def make(n=1):
    @cuda.jit
    def inner(a, b):
        a[0] = n
    return inner

def bind(kernel, size=THREADS):
    return kernel[2, size]

made = cuda.jit(fastmath=True)(third)
KERNELS = {"one": first, "two": second}
listed = []
for one in (fourth, third):
    listed.append(cuda.jit(one))
head, *others = first, second, made

class Solver:
    def __init__(self, threads=THREADS, kernel=first, *, blocks=(8, 8)):
        self.threads, self.kernel, self.blocks = threads, kernel, blocks
        self.bound = kernel[2, threads]

    def run(self, a):
        self.kernel[3, self.threads](a, a)
        self.kernel[1, self.blocks](a, a)
        self.bound(a, a)
"""


_NUMBERS = ("np.int32(3)", "2.5", "m")


class LaunchPrograms:
    """Writes one module; each launch stands on a line of its own."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance

    def text(self) -> str:
        """The program."""
        lines = [f"def launch{number}{self._head()}" for number in range(self.chance.randrange(3))]
        helpers = [line for head in lines for line in (head, *self._body(0, 2), "")]
        calls = [f"launch{number}({self._arguments()})" for number in range(len(lines))]
        host = ["def host(a, n, blocks=(8, 8), kernel=second):", *self._body(0, 2 + self.chance.randrange(6))]
        again = [f"    {call}" for call in calls]
        last = ["host(np.zeros(9, np.float32), 5)", "host(np.ones((3, 4)), 3, 32)", *self._statements(0, 3)]
        return "\n".join([_HEAD, *helpers, *host, *again, *last, *calls]) + "\n"

    def _head(self) -> str:
        ways = ("(a, n, blocks=(8, 8), kernel=first):", "(a, n=4, blocks=THREADS, kernel=made):",
                "(a, n, blocks, kernel=first):")  # fmt: skip
        return self.chance.choice(ways)

    def _arguments(self) -> str:
        size = self.chance.choice(("128", "(16, 16)", "THREADS"))
        return f"{self._array()}, {self.chance.choice(('3', '7'))}, {size}"

    def _body(self, depth: int, count: int) -> list[str]:
        return [f"    {line}" for line in self._statements(depth, count)]

    def _statements(self, depth: int, count: int) -> list[str]:
        names = ["block = 32", "grid = 7", "m = 3", "x = np.zeros((4, 6), np.float32)", "y = np.arange(8)"]
        lines = [] if depth else [one for one in names if self.chance.random() < 0.9]
        for _ in range(count):
            lines += self._statement(depth + 1)
        return [*lines, self._launch()]

    def _statement(self, depth: int) -> list[str]:
        kind = self.chance.randrange(22 if depth < 3 else 8)
        if kind > 14:
            return self._other_statement(depth, kind)
        if kind < 2:
            return [f"block = {self._block()}"]
        if kind == 2:
            return [f"grid = {self._grid()}"]
        if kind < 5:
            made = self._array()
            return [f"{self.chance.choice('xy')} = {'x' if made in _NUMBERS else made}"]
        if kind == 5:
            ways = ("m += 1", "m = m * 2", "block, grid = grid, block", "block, m = 16, 2", "y = x",
                    "x[0] = 2", "global THREADS", "block *= 2", "del m", "x.shape = (2, 12)")  # fmt: skip
            return [self.chance.choice(ways)]
        if kind < 8:
            return [self._launch()]
        inner = self._body(depth, 1)
        if kind < 10:
            otherwise = ["else:", *self._body(depth, 1)] if self.chance.random() < 0.6 else []
            return [f"if {self.chance.choice(('flip()', 'm > 2'))}:", *inner, *otherwise]
        if kind == 10:
            loop = self.chance.choice(
                ("m in range(1, 4)", "block in (32, 64)", "x in (x, y)", "kernel in (first, second)")
            )
            return [f"for {loop}:", *inner]
        if kind == 11:
            return ["try:", *inner, "    fail()", "except Exception as block:", *self._body(depth, 1)]
        if kind == 12:
            lines = [f"kept = {self._kernel()}[{self._grid()}, {self._block()}]"]
            if self.chance.random() < 0.5:
                lines += ["if flip():", f"    kept = {self._kernel()}[1, {self._block()}]"]
            return [*lines, f"kept({self._array()}, {self._array()})"]
        if kind == 13:
            bound = f"functools.partial({self._kernel()}[{self._grid()}, {self._block()}], {self._array()})"
            return [f"bound = {bound}", f"bound({self._array()})"]
        return [
            f"config = {self._grid()}, {self._block()}",
            *(line[4:] for line in inner),
            f"{self._kernel()}[config]({self._array()}, x)",
        ]

    def _other_statement(self, depth: int, kind: int) -> list[str]:
        inner = self._body(depth, 1)
        if kind == 15:
            pattern = self.chance.choice(("4", "block", "(block, m)", "[block, *_]", "int() as block", "_"))
            lines = [f"match {self._block()}:", f"    case {pattern} if flip():"]
            lines += [f"    {line}" for line in inner]
            return [*lines, "    case _:", f"        block = {self._block()}"]
        if kind == 16:
            return [f"if (block := {self._block()}) and flip():", *inner]
        if kind == 17:
            sizes = self.chance.choice(("(32, 64)", "(block, 16)", "range(1, 3)"))
            return [f"[{self._kernel()}[{self._grid()}, block](x, y) for block in {sizes} if block]"]
        if kind == 18:
            work = ["async def work(x, block=THREADS):", *inner, "drive(work(y))"]
            return [*work, f"drive(work(x, {self._block()}))"] if self.chance.random() < 0.5 else work
        if kind == 19:
            group = self.chance.choice(("except*", "except"))
            return ["try:", "    fail()", *inner, f"{group} ValueError:", *self._body(depth, 1),
                    *(["finally:", *self._body(depth, 0)] if self.chance.random() < 0.3 else [])]  # fmt: skip
        if kind == 20:
            return [
                f"block, *rest = {self._block()}, 2, m",
                f"*rest, m = 3, {self._block()}, 2",
                self._launch(),
            ]
        way = self.chance.choice(("", "96", "kernel=second", "blocks=32", f"{self._block()}, second"))
        return [f"solver = Solver({way})", f"solver.run({self._array()})",
                f"solver.kernel[{self._grid()}, solver.threads](x, y)"]  # fmt: skip

    def _launch(self) -> str:
        given = f"{self._array()}, {self._array()}"
        configured = f"{self._grid()}, {self._block()}"
        way = self.chance.random()
        if way < 0.12:
            return f"{self._kernel()}.configure({configured})({given})"
        if way < 0.2:
            parts = self.chance.choice(("*GRID", "1, *GRID", "*(2, block)", "*(3,), 32, *(0,)"))
            return f"{self._kernel()}[({parts},)]({given})"
        if way < 0.25:
            return f"bind({self._kernel()}{self.chance.choice(('', ', block', ', size=32'))})({given})"
        more = self.chance.choice(("", "", "", ", 0", ", 0, 64"))
        return f"{self._kernel()}[{configured}{more}]({given})"

    def _kernel(self) -> str:
        ways = ("first", "first", "second", "first", "second", "made", "make()", "make(m)", "listed[0]",
                'KERNELS["one"]', 'KERNELS["one" if flip() else "two"]', "listed[m % 2]", "others[0]",
                "(first if flip() else made)", "head", "others[-1]", "kernel")  # fmt: skip
        return self.chance.choice(ways)

    def _block(self) -> str:
        ways = ("128", "block", "block", "THREADS", "(16, 4)", "(THREADS, m)", "blocks", "(8, 8, 2)",
                "32 * 2", "(block, 1)", "min(block, 64)", "block if flip() else 16")  # fmt: skip
        return self.chance.choice(ways)

    def _grid(self) -> str:
        ways = ("1", "grid", "(n + 31) // 32", "GRID", "(x.size + THREADS - 1) // THREADS", "(2, m)",
                "GRID[0]", "math.ceil(9 / 4)", "len(y)", "x.shape[0]")  # fmt: skip
        return self.chance.choice(ways)

    def _array(self) -> str:
        ways = ("x", "y", "x", "y", "a", "np.zeros(8)", "np.ones((3, m), dtype=np.float64)", "x.T", "x[1:]",
                "x.astype(np.int32)", "x.reshape(-1)", "np.zeros_like(x)", "np.asfortranarray(x)", "x[:, 0]",
                "np.empty((4, 3), np.int8, 'F')", "x + 1", "y * 2.5", "np.arange(5, dtype=np.float32)",
                "np.full(6, 2)", "np.array([1, 2, 3])", "np.array([[1.0, 2.0]])", "x.copy()", "x[::2]",
                "np.linspace(0, 1, 7)", "x.ravel()", "np.ascontiguousarray(x.T)", "np.sum(x, axis=0)",
                "(x if flip() else y)", "np.concatenate((y, y))", "np.transpose(x)", "np.int32(3)",
                "2.5", "m",
                "np.random.rand(4)", "np.float32(x)", "x / y[0]", "np.eye(3)", "x.view(np.int32)",
                "np.zeros((m, 4), order='F')", "x.flatten()", "np.sqrt(y)", "x > 1",
                "np.stack((y, y))")  # fmt: skip
        return self.chance.choice(ways)
