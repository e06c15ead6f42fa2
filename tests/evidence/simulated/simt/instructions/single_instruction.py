"""Single PTX instructions over edge values and random ones, as lanes of three warps or as uniform values.

Expected values follow the PTX ISA's descriptions; they share no code with the machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx

TYPES = {
    "u16": np.uint16,
    "s16": np.int16,
    "u32": np.uint32,
    "s32": np.int32,
    "u64": np.uint64,
    "s64": np.int64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}


EDGES = {
    "u": [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 255, 256, 1 << 15, (1 << 16) - 1],
    "s": [0, 1, -1, 2, -2, 7, -7, 31, -33, 100, -100, 1 << 14, -(1 << 15)],
    "f": [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        3.75,
        1e-3,
        -123.4,
        1000.25,
        math.inf,
        -math.inf,
        math.nan,
    ],
}


@dataclass(frozen=True)
class Case:
    """An instruction with `{d}`, `{a}`, `{b}`, `{c}` for its registers, operand types, and what it gives."""

    text: str
    operands: str
    result: str
    expected: Callable[..., Any]

    def __str__(self) -> str:
        return self.text.split()[0] + f"-{self.result}"


def wrap(value: int, kind: str) -> int:
    width = int(kind[1:])
    value &= (1 << width) - 1
    return value - (1 << width) if kind[0] == "s" and value >> (width - 1) else value


def rounded(value: Fraction | float, kind: str) -> float:
    """A value rounded once to a type; Python's division of integers rounds correctly to f64."""
    if not isinstance(value, Fraction):
        return value
    if kind == "f64":
        return float(value)
    near = np.float32(float(value)) if kind == "f32" else np.float16(float(value))
    candidates = {
        float(near),
        float(np.nextafter(near, TYPES[kind](math.inf))),
        float(np.nextafter(near, TYPES[kind](-math.inf))),
    }
    finite = [one for one in candidates if math.isfinite(one)]
    best = min(
        finite,
        key=lambda one: (
            abs(Fraction(one) - value),
            int(TYPES[kind](one).view(f"u{TYPES[kind]().itemsize}")) & 1,
        ),
    )
    return float(near) if not math.isfinite(float(near)) else best


def saturate(value: Any) -> Any:
    return np.float32(0) if not value > 0 else min(value, np.float32(1))


def values_of(kind: str, seed: int, count: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    dtype = TYPES[kind]
    if kind[0] == "f":
        spread = random.normal(size=count) * 10.0 ** random.integers(-4, 4, count)
        found = spread.astype(dtype)
    else:
        raw = random.integers(0, 256, (count, np.dtype(dtype).itemsize), dtype=np.uint8)
        found = np.ascontiguousarray(raw).view(dtype).reshape(-1).copy()
        small = random.random(count) < 0.4
        found[small] = random.integers(0, 70, int(small.sum())).astype(dtype)
    edges = np.array([wrap(one, kind) if kind[0] != "f" else one for one in EDGES[kind[0]]], dtype)
    return np.concatenate([random.permutation(np.resize(edges, len(edges) * 2)), found])[:count]


def register_type(kind: str) -> str:
    return kind if kind[0] == "f" and kind != "f16" else f"b{kind[1:]}"


def program(case: Case, uniform: bool) -> str:
    kinds = case.operands.split()
    lines = [
        ".version 8.0",
        ".target sm_80",
        ".address_size 64",
        ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 pd)",
        "{",
        ".reg .b32 %r<9>;",
        ".reg .b64 %rd<20>;",
    ]
    names = dict(zip("abc", (f"%v{number}" for number in range(len(kinds))), strict=False))
    lines += [f".reg .{register_type(kind)} %v{number};" for number, kind in enumerate(kinds)]
    lines += [f".reg .{register_type(case.result)} %w;", "mov.u32 %r0, %ctaid.x;"]
    if not uniform:
        lines += ["mov.u32 %r1, %ntid.x;", "mov.u32 %r2, %tid.x;", "mad.lo.s32 %r0, %r0, %r1, %r2;"]
    for number, kind in enumerate([*kinds, case.result]):
        parameter = f"p{number}" if number < len(kinds) else "pd"
        size = int(kind[1:]) // 8
        lines += [
            f"ld.param.u64 %rd{number}, [{parameter}];",
            f"cvta.to.global.u64 %rd{number}, %rd{number};",
            f"mul.wide.u32 %rd{number + 8}, %r0, {size};",
            f"add.s64 %rd{number}, %rd{number}, %rd{number + 8};",
        ]
        if number < len(kinds):
            loaded = f"b{kind[1:]}" if kind in ("f16", "u16", "s16") else kind
            lines.append(f"ld.global.{loaded} %v{number}, [%rd{number}];")
    stored = f"b{case.result[1:]}" if case.result in ("f16", "u16", "s16") else case.result
    lines += [case.text.format(d="%w", **names), f"st.global.{stored} [%rd{len(kinds)}], %w;", "ret;", "}"]
    return "\n".join(lines)


def check(case: Case, uniform: bool) -> None:
    """Run an instruction on 96 values and compare each result with the expected one."""
    kinds = case.operands.split()
    count = 96
    inputs = [values_of(kind, number + 1, count) for number, kind in enumerate(kinds)]
    module = read_ptx(program(case, uniform))
    kernel = compile_kernel(module, "k")
    memory = DeviceMemory()
    addresses = [memory.upload(one) for one in inputs]
    addresses += [addresses[0]] * (3 - len(addresses)) + [memory.upload(np.zeros(count, TYPES[case.result]))]
    values = [address.to_bytes(8, "little") for address in addresses]
    grid, block = ((count, 1, 1), (1, 1, 1)) if uniform else ((1, 1, 1), (count, 1, 1))
    execution = run(kernel, Launch(grid, block, pack_parameters(kernel.function, values)), memory)
    assert execution.defect_count == 0
    found = np.zeros(count, TYPES[case.result])
    memory.download(addresses[3], found)
    for place in range(count):
        arguments = [one[place] if kinds[n][0] == "f" else int(one[place]) for n, one in enumerate(inputs)]
        with np.errstate(all="ignore"):
            expected = case.expected(*arguments)
        if expected is None:
            continue
        if case.result[0] != "f":
            expected = wrap(int(expected), case.result)
            assert int(found[place]) == expected, (arguments, found[place], expected)
        else:
            expected = TYPES[case.result](expected)
            same = found[place] == expected or (np.isnan(found[place]) and np.isnan(expected))
            assert same, (arguments, found[place], expected)
