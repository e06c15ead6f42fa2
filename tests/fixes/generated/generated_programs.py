"""Whole programs made by chance: kernels, and host code with loops, copies, views, streams, several names for
one array, and prints of results. They run without errors, and give the same results each time.

A program has a function `main` that returns all its arrays.
`python tests/fixes/generated/generated_programs.py SEED` prints one.
"""

from __future__ import annotations

import random
import sys
import textwrap
from dataclasses import dataclass

HEAD = """\
import numpy as np
from numba import cuda, float32

SIDE = 32


class Box:
    pass


@cuda.jit(device=True)
def put(row, i, value):
    row[i] = value


@cuda.jit(device=True)
def twice(value):
    return 2 * value


@cuda.jit(device=True)
def same(row):
    return row


"""
SHOW = """\
def show(*arrays):
    print([float(one.sum()) for one in arrays])


"""
# Bodies of kernels over a, b (arrays of one length), s (a number) and i (the thread's index). Those of a list
# are elementwise, so that their results do not depend on the order of threads.
READS_A = {
    "add": "b[i] = a[i] + s",
    "update": "b[i] += a[i]",
    "by_function": "put(b, i, twice(a[i]))",
    "some": "if a[i] > s:\n    b[i] = a[i]",
    "third": "if i % 3 == 0:\n    b[i] = a[i] - s",
    "rows": "x = a[i]\nx += s\nb[i] = x",
    "by_name": "target = b\ntarget[i] = a[i] * 2",
    "by_slice": "target = b[:]\ntarget[i] = a[i] + 1",
    "given_back": "same(b)[i] = a[i]",
    "counted": "cuda.atomic.add(b, i, a[i])",
    "once": "if i == 0:\n    b[0] = a[1] + s",
}
WRITES_A = {
    "chosen": "target = a if s > 1 else b\ntarget[i] = i + s",
    "chosen_both": "target = a if i % 2 else b\ntarget[i] += 1",
    "turned": "a.T[i] = b[i] + s",
    "flattened": "a.flat[i] = b[i] + 1",
    "walrus": "(target := a)[i] = b[i] - s",
    "in_tuple": "pair = (a, b)\npair[0][i] = s + 1",
    "swapped": "first, second = b, a\nsecond[i] = first[i] + 1",
    "halved": "a[i] *= 0.5\nb[i] += 1",
    "put_there": "put(a, i, b[i] + s)",
    "given_there": "same(a)[i] += 1",
    "both": "a[i] = b[i] = i",
}
GUARDS = (
    "i = cuda.grid(1)\nif i < b.size:\n    {body}\n",
    "i = cuda.grid(1)\nif i >= a.shape[0]:\n    return\n{body}\n",
    "for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):\n    {body}\n",
)
UNGUARDED = "i = cuda.grid(1)\n{body}\n"
JOINT = {
    "reversed_blocks": """
tile = cuda.shared.array(64, float32)
i = cuda.grid(1)
t = cuda.threadIdx.x
tile[t] = s
if {leaves}:
    return
tile[t] = a[i]
cuda.syncthreads()
b[i] = tile[63 - t] + s
""",
    "sums_of_blocks": """
tile = cuda.shared.array(64, float32)
t = cuda.threadIdx.x
i = cuda.blockIdx.x * cuda.blockDim.x + t
tile[t] = s
if {leaves}:
    return
x = a[i]
for k in range(3):
    tile[t] = x
    cuda.syncthreads()
    x = tile[(t + 1) % 64] + s
    cuda.syncthreads()
b[i] = x
""",
    "declared_behind": """
i = cuda.grid(1)
if {leaves}:
    return
t = cuda.threadIdx.x
tile = cuda.shared.array(64, float32)
tile[t] = twice(a[i])
cuda.syncthreads()
b[i] = tile[t]
cuda.syncthreads()
a[i] = i
""",
}
LEAVES = ("i >= a.size", "i >= b.shape[0]", "a.size <= i or i >= b.size", "i > a.size - 1", "not i < a.size",
          "i >= a.size or i >= b.size")  # fmt: skip
TILES = {
    "turn": """
tile = cuda.shared.array(({side}, {side}), float32)
x = cuda.threadIdx.x
y = cuda.threadIdx.y
row = cuda.blockIdx.y * {side} + y
column = cuda.blockIdx.x * {side} + x
if row < a.shape[0] and column < a.shape[1]:
    tile[y, x] = a[row, column]
cuda.syncthreads()
row = cuda.blockIdx.x * {side} + y
column = cuda.blockIdx.y * {side} + x
if row < b.shape[0] and column < b.shape[1]:
    b[row, column] = tile[x, y] + s
""",
    "columns": """
tile = cuda.shared.array(shape=({side}, {side}), dtype=float32)
x = cuda.threadIdx.x
y = cuda.threadIdx.y
column, row = cuda.grid(2)
tile[x, y] = a[row, column]
cuda.syncthreads()
total = tile[x, y]
for k in range({side}):
    total += tile[x, k]
b[row, column] = total
""",
    "wrapped": """
tile = cuda.shared.array(({side}, {side}), float32)
x = cuda.threadIdx.x
y = cuda.threadIdx.y
column, row = cuda.grid(2)
tile[x, y] = a[row, column]
cuda.syncthreads()
b[row, column] = tile[x, y - 1]
""",
    "flat": """
tile = cuda.shared.array(({side}, {side}), float32)
x = cuda.threadIdx.x
y = cuda.threadIdx.y
column, row = cuda.grid(2)
tile[0, x * {side} + y] = a[row, column]
cuda.syncthreads()
b[row, column] = tile[x, y] + tile[0, y * {side} + x]
""",
}


@dataclass(frozen=True)
class Kernel:
    """A kernel of a program: its name, text, and the grid and block it is launched with. Those that are
    `exact` need a thread for each element and no more.
    """

    name: str
    text: str
    configuration: str
    flat: bool = True
    exact: bool = False


class Program:
    """One program of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.kernels = self._kernels()
        exact = any(one.exact for one in self.kernels)
        self.size = 2048 if exact else self.random.choice((2048, 2000, 2011))
        self.lines: list[str] = []
        # Names of flat host arrays, of those on the device, and of what holds the first in another way.
        self.host: list[str] = []
        self.device: list[str] = []
        self.square: list[str] = []
        self.seen: list[str] = []
        self.count = 0

    def text(self) -> str:
        """The program."""
        self._make_arrays()
        for _ in range(self.random.randint(2, 5)):
            self._statement("    ", 0)
        arrays = ", ".join([*self.host, *self.square, *(f"{one}.copy_to_host()" for one in self.device)])
        self.lines += [f"    return [{arrays}]"]
        kernels = "".join(one.text for one in self.kernels)
        body = "\n".join(self.lines)
        return f"{HEAD}{kernels}{SHOW}def main(given):\n{body}\n"

    # --- kernels

    def _kernels(self) -> list[Kernel]:
        found = []
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.choice(("reads", "reads", "writes", "writes", "joint", "tile"))
            made = {"reads": self._plain, "writes": self._plain, "joint": self._joint, "tile": self._tile}[
                kind
            ](kind)
            if all(one.name != made.name for one in found):
                found.append(made)
        return found

    def _plain(self, kind: str) -> Kernel:
        bodies = READS_A if kind == "reads" else WRITES_A
        name = self.random.choice(sorted(bodies))
        number = self.random.randrange(len(GUARDS) + 2)
        frame = GUARDS[number] if number < len(GUARDS) else UNGUARDED
        inner = textwrap.indent(bodies[name], "    " if "\n    {body}" in frame else "").lstrip()
        blocks = self.random.choice(("({n} + 63) // 64, 64", "{n} // 128, 128"))
        if number == 2:
            blocks = "3, 128"
        exact = frame is UNGUARDED
        return self._kernel(f"{name}_{min(number, 3)}", frame.format(body=inner), blocks, exact=exact)

    def _joint(self, _: str) -> Kernel:
        name, leaves = self.random.choice(sorted(JOINT)), self.random.randrange(len(LEAVES))
        return self._kernel(
            f"{name}_{leaves}", JOINT[name].format(leaves=LEAVES[leaves]), "({n} + 63) // 64, 64"
        )

    def _tile(self, _: str) -> Kernel:
        name, side = self.random.choice(sorted(TILES)), self.random.choice(("32", "SIDE"))
        text = TILES[name].format(side=side)
        return self._kernel(f"{name}_{side.lower()}", text, "(2, 2), (32, 32)", flat=False)

    def _kernel(
        self, name: str, body: str, configuration: str, flat: bool = True, exact: bool = False
    ) -> Kernel:
        lines = textwrap.indent(body.strip(), "    ")
        return Kernel(name, f"@cuda.jit\ndef {name}(a, b, s):\n{lines}\n\n\n", configuration, flat, exact)

    # --- the host

    def _make_arrays(self) -> None:
        chance = self.random.random
        self.lines.append(f"    n = {self.size}")
        makers = ("np.zeros(n, np.float32)", "np.arange(n, dtype=np.float32)", "np.ones(n, np.float32)",
                  "np.full(n, 3, np.float32)", "np.array(given[:n])", "given[:n]", "given[-n:]")  # fmt: skip
        for name in ("p", "q", "r")[: self.random.randint(2, 3)]:
            self._line("    ", f"{name} = {self.random.choice(makers[: 7 if chance() < 0.3 else 5])}")
            self.host.append(name)
        if any(not one.flat for one in self.kernels):
            for name in ("u", "v"):
                self._line("    ", f"{name} = np.arange(64 * 64, dtype=np.float32).reshape(64, 64) % 7")
                self._line("    ", f"{name} = np.array({name})")
                self.square.append(name)
        for _ in range(self.random.randint(0, 2)):
            self._other_name("    ")
        if chance() < 0.5:
            self._line("    ", f"d_x = cuda.{self.random.choice(('to_device', 'device_array_like'))}(p)")
            self._line("    ", "d_x.copy_to_device(p)")
            self._line("    ", "d_y = cuda.to_device(q)")
            self.device += ["d_x", "d_y"]
        if self.device and chance() < 0.3:
            self._line("    ", "stream = cuda.stream()")

    def _other_name(self, indent: str) -> None:
        """Another way to the elements of an array: a view, a name, a list, an object, a function."""
        self.count += 1
        name, other = f"w{self.count}", self._host()
        kind = self.random.randrange(8)
        if kind < 3:
            view = ("{}", "{}[:]", "{}.reshape(-1)")[kind]
            self._line(indent, f"{name} = {view.format(other)}")
            self.host.append(name)
        elif kind == 3:
            self._line(indent, f"{name} = [{other}]")
            self.seen.append(f"{name}[0][3]")
        elif kind == 4:
            self._line(indent, f"{name} = []")
            self._line(indent, f"{name}.append({other})")
            self.seen.append(f"{name}[0][3]")
        elif kind == 5:
            self._line(indent, f"{name} = Box()")
            self._line(indent, f"{name}.x = {other}")
            self.seen.append(f"{name}.x[3]")
        elif kind == 6:
            self._line(indent, f"def {name}():")
            self._line(indent, f"    return {other}[3]")
            self.seen.append(f"{name}()")
        else:
            self._line(indent, f"{name} = {other} if n > 9 else {self._host()}")
            self.host.append(name)

    def _statement(self, indent: str, depth: int) -> None:
        kinds = [self._launch] * 6 + [self._print, self._change, self._copy]
        if depth < 2:
            kinds += [self._loop] * 3 + [self._branch, self._guarded]
        one = self.random.choice(kinds)
        if one in (self._loop, self._branch, self._guarded):
            one(indent, depth)  # type: ignore[call-arg]
        else:
            one(indent)  # type: ignore[call-arg]

    def _block(self, indent: str, depth: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self._statement(indent, depth)

    def _launch(self, indent: str) -> None:
        kernel = self.random.choice(self.kernels)
        if kernel.flat:
            pool = [*self.host, *self.host, *self.device]
            first, second = self.random.choice(pool), self.random.choice(pool)
            if first == second and self.random.random() < 0.7:
                second = self._host()
        else:
            first, second = self.random.sample(self.square, 2)
        device = set(self.device) & {first, second}
        if device and first == second:
            first, second = self.device
            device = {first, second}
        number = self.random.choice(("1", "2", "n // 1024", "float(len(p)) / 2048"))
        configuration = kernel.configuration.format(n=self.random.choice(("n", "p.size", "q.shape[0]")))
        # Numba copies no arrays of the host for a launch on a stream.
        streams = "    stream = cuda.stream()" in self.lines and device == {first, second}
        on = ", stream" if streams and self.random.random() < 0.7 else ""
        self._line(indent, f"{kernel.name}[{configuration}{on}]({first}, {second}, {number})")
        if on:
            self._line(indent, "stream.synchronize()")

    def _print(self, indent: str) -> None:
        one = self._host()
        shown = [f"{one}[3]", f"{one}.sum()", f"{one}[5] + 1", *self.seen, *self.seen]
        self._line(indent, self.random.choice((f"print({self.random.choice(shown)})", f"show({one})")))

    def _change(self, indent: str) -> None:
        one, other = self._host(), self._host()
        lines = (f"{one}[7] = 2", f"{one} += 1", f"np.copyto({one}, {other})", f"{one}[:] = {other}[3]",
                 f"{one}.fill(4)", f"{one}[2:9] -= 1")  # fmt: skip
        self._line(indent, self.random.choice(lines))
        if indent == "    " and self.random.random() < 0.2:
            self._line(indent, f"{one} = {self.random.choice((f'{other} * 1', f'np.array({other})', other))}")

    def _copy(self, indent: str) -> None:
        if not self.device:
            self._print(indent)
            return
        one, array = self.random.choice(self.device), self._host()
        lines = (f"{one}.copy_to_host({array})", f"{one}.copy_to_device({array})",
                 f"print({one}.copy_to_host()[3])", f"{array}[:] = {one}.copy_to_host()")  # fmt: skip
        self._line(indent, self.random.choice(lines))

    def _loop(self, indent: str, depth: int) -> None:
        self.count += 1
        step = f"step{self.count}"
        self._line(indent, f"for {step} in range({self.random.choice((0, 1, 2, 3, 3))}):")
        if self.random.random() < 0.2:
            self._line(indent + "    ", f"{self.host[0]} = np.full(n, {step}, np.float32)")
        self._block(indent + "    ", depth + 1)
        if self.random.random() < 0.3:
            leave = self.random.choice(("break", "continue"))
            self._line(indent + "    ", f"if {step} == 1:")
            self._line(indent + "        ", leave)
            self._launch(indent + "    ")

    def _branch(self, indent: str, depth: int) -> None:
        self._line(
            indent, f"if {self._host()}[{self.random.randrange(9)}] > {self.random.choice((0, 2, 9))}:"
        )
        self._block(indent + "    ", depth + 1)
        if self.random.random() < 0.5:
            self._line(indent, "else:")
            self._block(indent + "    ", depth + 1)

    def _guarded(self, indent: str, depth: int) -> None:
        if self.random.random() < 0.5:
            self._line(indent, "with cuda.defer_cleanup():")
            self._block(indent + "    ", depth + 1)
            return
        self._line(indent, "try:")
        self._block(indent + "    ", depth + 1)
        if self.random.random() < 0.5:
            flat = [one for one in self.kernels if one.flat]
            if flat:
                arguments = f"{self._host()}, {self._host()}, 1"
                self._line(indent + "    ", f"{flat[0].name}[1, 4096]({arguments})")
        self._line(indent, "except Exception as error:")
        self._line(indent, "    print(type(error).__name__)")

    def _host(self) -> str:
        return self.random.choice(self.host)

    def _line(self, indent: str, line: str) -> None:
        self.lines.append(indent + line)


def program(seed: int) -> str:
    """The text of a program; the same for the same seed."""
    return Program(seed).text()


if __name__ == "__main__":
    print(program(int(sys.argv[1])))
