"""Times the translation of PTX kernels of growing size, each in a process of its own.

    python benchmarks/simulator/translation.py [--repeat N] [--optimised] [--sizes N…] [--shapes S…]
    python benchmarks/simulator/translation.py [--optimised] --ptx FILE…    kernels of PTX files
    python benchmarks/simulator/translation.py [--optimised] --numba        kernels that Numba compiles

The kernels are written here: blocks of arithmetic that pass on many values, straight lines with memory
accesses, branches that divide warps, loops, and calls of functions, which are inlined. Prints a Markdown
table: processor seconds of the least of N runs for reading the text, for writing LLVM's text, and for its
code; the exponent with which the sum grows between the sizes, by least squares; the most memory that the
process took beyond what it had before; and the seconds until code that is kept on disk is ready.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.evidence.simulated.simt.vector.translation.warp_function import WarpFunction

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
SIZES = (500, 1000, 2000, 5000, 9000, 20000)
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
REGISTERS = ".reg .pred %p<99999>;\n.reg .b32 %r<99999>;\n.reg .b64 %rd<99999>;\n.reg .f64 %fd<99999>;\n"
FEW_REGISTERS = ".reg .pred %p<2>; .reg .f64 %fd<9>; "
BEGIN = """ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];
cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
mul.wide.s32 %rd5, %r4, 8; add.s64 %rd6, %rd3, %rd5; add.s64 %rd7, %rd4, %rd5;
ld.global.f64 %fd1, [%rd6]; ld.global.f64 %fd2, [%rd7];
"""
END = "st.global.f64 [%rd7], %fd1;\nret;\n"


def main() -> None:
    """Print the table, or with --one what one kernel took as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--optimised", action="store_true", help="time optimised code too")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--ptx", type=Path, nargs="+", default=[])
    parser.add_argument("--one", action="store_true", help="translate the text on standard input")
    parser.add_argument("--numba", action="store_true", help="kernels that Numba compiles")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(_translated(sys.stdin.read(), given.optimised)))
        return
    print(
        "| kernel | instructions | read | LLVM text | code | sum, s "
        "| optimised, s | memory, MB | from disk, ms |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for file in given.ptx:
        _row(file.stem, _least(file.read_text(encoding="utf-8"), given.repeat, given.optimised))
    for shape, steps in NUMBA.items() if given.numba else ():
        _row(f"{shape}, by Numba", _least(_compiled(steps), given.repeat, given.optimised))
    if given.ptx or given.numba:
        return
    exponents = {}
    for shape in given.shapes:
        found = [_least(kernel(SHAPES[shape], size), given.repeat, given.optimised) for size in given.sizes]
        for one in found:
            _row(shape, one)
        if len(given.sizes) > 1:
            exponents[shape] = _exponent([(one["instructions"], _sum(one)) for one in found])
    if exponents:
        print("\nExponents: " + ", ".join(f"{shape} {value:.2f}" for shape, value in exponents.items()))


def _row(name: str, one: dict[str, float]) -> None:
    optimised = f"{one['optimised']:.2f}" if "optimised" in one else ""
    print(
        f"| {name} | {one['instructions']:,} | {one['read']:.2f} | {one['text']:.2f} | {one['code']:.2f} "
        f"| {_sum(one):.2f} | {optimised} | {one['memory']:.0f} | {one['disk'] * 1e3:.0f} |",
        flush=True,
    )


def _sum(one: dict[str, float]) -> float:
    return one["read"] + one["text"] + one["code"]


def _exponent(points: list[tuple[float, float]]) -> float:
    """The slope of the line through the logarithms, by least squares."""
    logs = [(math.log(size), math.log(seconds)) for size, seconds in points]
    x, y = (sum(one[place] for one in logs) / len(logs) for place in (0, 1))
    return sum((a - x) * (b - y) for a, b in logs) / sum((a - x) ** 2 for a, _ in logs)


def _least(text: str, repeat: int, optimised: bool) -> dict[str, float]:
    """What a kernel took in the run with the least sum."""
    command = [sys.executable, __file__, "--one", *(["--optimised"] if optimised else [])]
    runs = (
        subprocess.run(command, input=text, capture_output=True, text=True, check=True) for _ in range(repeat)
    )
    return min((json.loads(run.stdout) for run in runs), key=_sum)


def _translated(text: str, optimised: bool) -> dict[str, float]:
    """Processor seconds of each step, instructions with all calls inlined, and megabytes."""
    from advisor.evidence.simulated.simt.ptx.inlining import inlined
    from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
    from advisor.evidence.simulated.simt.vector import runtime
    from advisor.evidence.simulated.simt.vector.objects import object_code
    from advisor.evidence.simulated.simt.vector.translation.function import translate

    warm = read_ptx(kernel(SHAPES["straight"], 40))
    object_code(translate(warm, warm.functions["k"])[1], optimised=False)
    runtime.runtime()
    before = _megabytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    times = [time.process_time()]
    module = read_ptx(text)
    times.append(time.process_time())
    function = inlined(module, next(one for one in module.functions.values() if one.entry))
    warp, llvm = translate(module, function)
    times.append(time.process_time())
    code = object_code(llvm, optimised=False)
    times.append(time.process_time())
    found = dict(zip(("read", "text", "code"), (b - a for a, b in itertools.pairwise(times)), strict=True))
    found |= {"instructions": len(function.instructions), "memory": _megabytes("VmHWM") - before}
    if optimised:
        object_code(llvm, optimised=True)
        found["optimised"] = time.process_time() - times[-1]
    return found | {"disk": _from_disk(text, code, warp)}


def _from_disk(text: str, code: bytes, warp: WarpFunction) -> float:
    """Processor seconds until a kernel is ready whose code is on disk."""
    from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
    from advisor.evidence.simulated.simt.vector import kernels
    from advisor.evidence.simulated.simt.vector.stored_code import keep_code
    from advisor.model.storage.cache import Cache

    with tempfile.TemporaryDirectory() as folder:
        module = read_ptx(text)
        name = next(one.name for one in module.functions.values() if one.entry)
        known_by = kernels._known_by(module, name)
        keep_code(Cache(Path(folder)), known_by, code, kernels._as_data((warp, False)))
        begin = time.process_time()
        kernels.compile_kernel(read_ptx(text), name, Cache(Path(folder)))
        return time.process_time() - begin


def _megabytes(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(name))


# Kernels


def kernel(write: Callable[[int], Iterator[str]], instructions: int) -> str:
    """A kernel of about so many instructions; its text begins with the functions that it calls."""
    lines = list(write(instructions))
    functions = [line for line in lines if line.startswith(".func")]
    body = "\n".join(line for line in lines if not line.startswith(".func"))
    head = HEAD + "\n".join(functions)
    return f"{head}\n.visible .entry k(.param .u64 a, .param .u64 b)\n{{\n{REGISTERS}{BEGIN}{body}\n{END}}}\n"


def _straight(instructions: int) -> Iterator[str]:
    for number in range(instructions // 8):
        r, d, f, offset = 10 + number, 10 + 2 * number, 10 + 3 * number, 8 * (number % 512)
        yield (
            f"add.s32 %r{r}, %r4, {number};\nmul.wide.s32 %rd{d}, %r{r}, 8;\n"
            f"add.s64 %rd{d + 1}, %rd3, %rd{d};\n"
            f"ld.global.f64 %fd{f}, [%rd{d + 1}];\nmul.f64 %fd{f + 1}, %fd{f}, %fd2;\n"
            f"fma.rn.f64 %fd{f + 2}, %fd{f + 1}, %fd{max(f - 9, 2)}, %fd1;\nadd.f64 %fd1, %fd{f + 2}, %fd1;\n"
            f"st.global.f64 [%rd7+{offset}], %fd{f + 1};"
        )


def _branches(instructions: int) -> Iterator[str]:
    for number in range(instructions // 8):
        f = 10 + 2 * number
        yield (
            f"setp.gt.f64 %p{number}, %fd1, %fd2;\n@%p{number} bra $else{number};\n"
            f"ld.global.f64 %fd{f}, [%rd6+{8 * number}];\nadd.f64 %fd2, %fd2, %fd{f};\n"
            f"bra.uni $join{number};\n$else{number}:\nmul.f64 %fd{f + 1}, %fd1, %fd2;\n"
            f"st.global.f64 [%rd7+{8 * number}], %fd{f + 1};\n"
            f"$join{number}:\nadd.f64 %fd1, %fd1, %fd2;"
        )


def _loops(instructions: int) -> Iterator[str]:
    for number in range(instructions // 9):
        r, d, f = 10 + 2 * number, 10 + 2 * number, 10 + 2 * number
        yield (
            f"and.b32 %r{r}, %r4, 7;\nmov.u64 %rd{d}, %rd3;\n$loop{number}:\n"
            f"ld.global.f64 %fd{f}, [%rd{d}];\nfma.rn.f64 %fd1, %fd{f}, %fd2, %fd1;\n"
            f"add.s64 %rd{d}, %rd{d}, 8;\nadd.s32 %r{r}, %r{r}, -1;\n"
            f"setp.gt.s32 %p{number}, %r{r}, 0;\n@%p{number} bra $loop{number};\nadd.f64 %fd2, %fd2, %fd1;"
        )


def _calls(instructions: int) -> Iterator[str]:
    """Calls of a function that calls another: 27 instructions each when they are inlined."""
    parameters = ".param .b64 x, .param .b64 y"
    inner = (
        "ld.param.f64 %fd1, [x]; ld.param.f64 %fd2, [y]; mul.f64 %fd3, %fd1, %fd2; add.f64 %fd4, %fd3, %fd1;"
    )
    choice = (
        "setp.gt.f64 %p1, %fd4, %fd2; @%p1 bra $L; add.f64 %fd4, %fd4, %fd2; $L: st.param.f64 [z], %fd4; ret;"
    )
    yield f".func (.param .b64 z) inner({parameters}) {{ {FEW_REGISTERS}{inner}\n{choice} }}"
    call = "{{ .param .b64 p; .param .b64 q; .param .b64 s; st.param.f64 [p], {0}; st.param.f64 [q], {1}; "
    call += "call.uni (s), {2}, (p, q); ld.param.f64 {3}, [s]; }}"
    twice = call.format("%fd1", "%fd2", "inner", "%fd3") + "fma.rn.f64 %fd4, %fd3, %fd1, %fd2;"
    yield (
        f".func (.param .b64 z) outer({parameters}) {{ {FEW_REGISTERS}"
        f"ld.param.f64 %fd1, [x]; ld.param.f64 %fd2, [y]; {twice} "
        "setp.lt.f64 %p1, %fd4, %fd1; selp.f64 %fd5, %fd1, %fd4, %p1; "
        "st.param.f64 [z], %fd5; ret; }"
    )
    for number in range(instructions // 27):
        yield f"ld.global.f64 %fd{number + 10}, [%rd6+{8 * number}];"
        yield call.format("%fd1", f"%fd{number + 10}", "outer", "%fd1")


def _values(instructions: int) -> Iterator[str]:
    """A block that makes many values and another that reads them all, without memory accesses."""
    for number in range(instructions // 2):
        yield f"fma.rn.f64 %fd{number + 11}, %fd{number + 10}, %fd2, %fd1;"
    yield "setp.gt.f64 %p1, %fd1, %fd2;\n@%p1 bra $sum;\nmul.f64 %fd1, %fd1, %fd2;\n$sum:"
    for number in range(instructions // 2):
        yield f"fma.rn.f64 %fd1, %fd{number + 11}, %fd2, %fd1;"


def _compiled(steps: Iterator[str]) -> str:
    """The PTX of a kernel of an element for each thread with these steps."""
    from numba import cuda, types

    head = ["def k(a, out, n):", "    i = cuda.grid(1)", "    if i < n:", "        x = a[i]"]
    names = {"cuda": cuda}
    exec("\n".join([*head, *steps, "        out[i] = x"]), names)
    # Numba follows the blocks of a kernel by recursion.
    sys.setrecursionlimit(30_000)
    array = types.float32[::1]
    ptx, _ = cuda.compile(
        names["k"], (array, array, types.int64), device=False, abi="numba", output="ptx", cc=(8, 0)
    )
    return str(ptx)


def _steps(step: str, count: int) -> Iterator[str]:
    for number in range(count):
        yield step.format(number=number, twice=2 * number, first=number % 7 + 3)


_CHOICE = """\
        if x > {number}.5:
            x = x * 1.5 + a[i + {number}]
        else:
            x = x - a[i + {twice}]"""
_LOOP = """\
        for j in range({first}, n):
            x = x * 1.5 + a[j + {number}]"""
NUMBA = {
    "straight": _steps("        x = x * 1.5 + a[i + {number}]", 1120),
    "branches": _steps(_CHOICE, 450),
    "loops": _steps(_LOOP, 95),
}
SHAPES = {"values": _values, "straight": _straight, "branches": _branches, "loops": _loops, "calls": _calls}

if __name__ == "__main__":
    main()
