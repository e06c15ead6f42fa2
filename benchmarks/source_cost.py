"""How the processor time of a check with source evidence grows with the code, beside flake8's.

    python benchmarks/source_cost.py growth          generated kernels and files, with the exponent of growth
    python benchmarks/source_cost.py files FILE...   given files beside flake8, which has to be installed
    python benchmarks/source_cost.py trees FOLDER... all files of folders beside ruff

Times are those of the whole process, user and system, the least of several rounds; with `files` both programs
take turns. Bytecode is compiled before anything is timed, as it is for an installed program.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

_CHECK = [sys.executable, "-m", "advisor", "check", "--evidence", "source", "--no-cache", "--no-run"]
_FLAKE8 = [sys.executable, "-m", "flake8", "-j1", "--isolated"]
_RUFF = [sys.executable, "-m", "ruff", "check", "--no-cache", "--isolated", "--quiet"]
_ACCESSES = (50, 100, 200, 400, 800, 1600, 3200, 6400)
_KERNELS = (1, 2, 5, 10, 20, 50, 100, 200, 400)
_HEAD = "import numpy as np\nfrom numba import cuda\n\n\n"


def neighbours(count: int) -> str:
    """The body of a kernel whose accesses read elements around the thread's own, and store that."""
    lines = ["i = cuda.grid(1)", "n = a.shape[0]", "if i < n:"]
    lines += [f"    b[i] = a[i + {number}] + b[i - {number % 7}]" for number in range(count // 3)]
    return _indented(lines)


def guarded(count: int) -> str:
    """The body of a kernel with a bounds check of its own, by a local name, around each access."""
    lines = ["i = cuda.grid(1)", "n = a.shape[0]"]
    for number in range(count // 2):
        lines += [f"m{number} = a.size", f"if i + {number} < m{number}:", f"    b[i + {number}] = a[i]"]
    return _indented(lines)


def chained(count: int) -> str:
    """The body of a kernel each of whose values is computed from the one before."""
    lines = ["i = cuda.grid(1)", "v0 = a[i]"]
    lines += [f"v{number} = v{number - 1} * a[i + v{number - 1}]" for number in range(1, count)]
    return _indented([*lines, f"b[i] = v{count - 1}"])


def loops(count: int) -> str:
    """The body of a kernel with a loop around every ten accesses."""
    lines = ["i = cuda.grid(1)", "n = a.shape[0]", "total = 0.0"]
    for number in range(count // 10):
        lines += [f"for k{number} in range(n):", f"    if k{number} != i:"]
        lines += [f"        total += a[k{number} + {inner}] * b[i]" for inner in range(5)]
    return _indented([*lines, "b[i] = total"])


def staged(count: int) -> str:
    """The body of a kernel that goes by way of shared memory, with barriers."""
    lines = ["i = cuda.grid(1)", "t = cuda.threadIdx.x", "tile = cuda.shared.array(256, np.float32)"]
    for number in range(count // 4):
        lines += [f"tile[t] = a[i + {number}]", "cuda.syncthreads()", f"b[i + {number}] = tile[t]"]
    return _indented(lines)


_BODIES = {one.__name__: one for one in (neighbours, guarded, chained, loops, staged)}


def _indented(lines: Iterable[str]) -> str:
    return "".join(f"    {line}\n" for line in lines)


def one_kernel(body: Callable[[int], str], accesses: int) -> str:
    """A file with one kernel of about so many accesses, and its launch."""
    return f"{_HEAD}@cuda.jit\ndef kernel(a, b):\n{body(accesses)}\n\n{_launch('kernel')}"


def many_kernels(kernels: int) -> str:
    """A file with so many kernels of about 40 accesses, each body in its turn, and their launches."""
    bodies = list(_BODIES.values())
    parts = [_HEAD]
    for number in range(kernels):
        name = f"kernel_{number}"
        body = bodies[number % len(bodies)](40)
        parts.append(f"@cuda.jit\ndef {name}(a, b):\n{body}\n\n{_launch(name)}\n\n")
    return "".join(parts)


def _launch(name: str) -> str:
    return (
        f"def run_{name}(n):\n"
        "    a = cuda.to_device(np.ones(n, np.float32))\n"
        "    b = cuda.device_array(n, np.float32)\n"
        "    threads = 256\n"
        f"    {name}[(n + threads - 1) // threads, threads](a, b)\n"
        "    return b.copy_to_host()\n"
    )


class Clock:
    """Times processes; their bytecode, and what they keep for their user, lies in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        own = {"PYTHONPYCACHEPREFIX": str(folder / "bytecode"), "XDG_CACHE_HOME": str(folder / "user")}
        self.environment = {**os.environ, **own}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def seconds(self, command: Sequence[str], file: Path) -> float:
        """The processor time of a process with a file of its folder, which is the process's own."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [*command, file.name],
            cwd=file.parent,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        # 2 too: a file whose imports are not there may not be checked in every point.
        assert done.returncode in (0, 1, 2) and not done.stderr, done.stderr.decode()[-2000:]
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def growth(clock: Clock, folder: Path, rounds: int) -> None:
    """Print the time of each size above that of an empty file, and the exponent of the larger half."""
    empty = _measured(clock, folder, "", rounds)
    print(f"Start, with a file of no line: {empty:.2f} s.\n")
    print(f"| accesses of one kernel | {' | '.join(map(str, _ACCESSES))} | exponent |")
    print(f"|---|{'---:|' * (len(_ACCESSES) + 1)}")
    for name, body in _BODIES.items():
        times = [_measured(clock, folder, one_kernel(body, size), rounds) - empty for size in _ACCESSES]
        _print_row(name, _ACCESSES, times)
    print(f"\n| kernels of a file | {' | '.join(map(str, _KERNELS))} | exponent |")
    print(f"|---|{'---:|' * (len(_KERNELS) + 1)}")
    times = [_measured(clock, folder, many_kernels(size), rounds) - empty for size in _KERNELS]
    _print_row("every body", _KERNELS, times)


def _measured(clock: Clock, folder: Path, text: str, rounds: int) -> float:
    file = folder / "code" / "kernels.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    clock.seconds(_CHECK, file)
    return min(clock.seconds(_CHECK, file) for _ in range(rounds))


def _print_row(name: str, sizes: Sequence[int], times: Sequence[float]) -> None:
    exponent = growth_exponent(sizes[len(sizes) // 2 :], times[len(sizes) // 2 :])
    print(f"| {name} | {' | '.join(f'{one:.2f}' for one in times)} | {exponent:.2f} |", flush=True)


def growth_exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The slope of log(time) over log(size), by least squares."""
    pairs = [(math.log(size), math.log(max(time, 1e-3))) for size, time in zip(sizes, times, strict=True)]
    x, y = (statistics.fmean(column) for column in zip(*pairs, strict=True))
    return sum((a - x) * (b - y) for a, b in pairs) / sum((a - x) ** 2 for a, _ in pairs)


def beside_flake8(clock: Clock, folder: Path, files: Sequence[Path], rounds: int) -> None:
    """Print the times of both programs for a copy of each file in a folder of its own, and their ratio."""
    print("| file | lines | flake8, s | advisor, s | ratio, median of pairs |")
    print("|---|---:|---:|---:|---:|")
    for number, file in enumerate(files):
        copy = folder / "files" / str(number) / file.name
        copy.parent.mkdir(parents=True)
        shutil.copyfile(file, copy)
        pairs = [(clock.seconds(_FLAKE8, copy), clock.seconds(_CHECK, copy)) for _ in range(rounds + 1)][1:]
        lint, own = (min(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(second / first for first, second in pairs)
        lines = copy.read_bytes().count(b"\n")
        print(f"| `{file.name}` | {lines} | {lint:.2f} | {own:.2f} | {ratio:.2f} |", flush=True)


def beside_ruff(clock: Clock, folders: Sequence[Path], rounds: int) -> None:
    """Print the times of both programs for all files of each folder, and their ratio."""
    print("| folder | ruff, s | advisor, s | ratio, median of pairs |")
    print("|---|---:|---:|---:|")
    check = [*_CHECK, "--format", "concise"]
    for folder in folders:
        pairs = [(clock.seconds(_RUFF, folder), clock.seconds(check, folder)) for _ in range(rounds + 1)][1:]
        lint, own = (min(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(second / first for first, second in pairs)
        print(f"| `{folder.name}` | {lint:.2f} | {own:.2f} | {ratio:.2f} |", flush=True)


def main() -> None:
    """Run the benchmark that is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["growth", "files", "trees"])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.what == "growth":
            growth(Clock(folder), folder, given.rounds)
        elif given.what == "trees":
            beside_ruff(Clock(folder), [one.resolve() for one in given.files], given.rounds)
        else:
            beside_flake8(Clock(folder), folder, given.files, given.rounds)


if __name__ == "__main__":
    main()
