"""Self-contained units of small kernels, written as the closure of the source facts writes them."""

from __future__ import annotations

import textwrap
from typing import Any

from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit, FunctionText

F32, F64 = "float32[::1]", "float64[::1]"
ALIASES = {"cuda": "numba.cuda", "math": "math", "np": "numpy", "float32": "numba.float32"}
LINE = 11


def unit(
    source: str,
    types: tuple[str, ...] | None = None,
    devices: tuple[FunctionText, ...] = (),
    kernel: str = "app.py::kernel@11",
    **fields: Any,
) -> CompilationUnit:
    """A unit whose kernel stands at line 11 of `app.py`, with stated types unless `candidates` is given."""
    written = textwrap.dedent(source).lstrip("\n")
    # As in a file where the kernel is nested in a function: everything stands four columns further right.
    columns = tuple((len(line) - len(line.lstrip()) + 5, len(line) + 5) for line in written.splitlines())
    text = FunctionText("kernel", written, "app.py", LINE, False, columns)
    if types is not None:
        fields["candidates"] = (ArgumentTypes(types),)
    fields.setdefault("aliases", ALIASES)
    return CompilationUnit(kernel, "app.py", (*devices, text), **fields)


def elementwise(
    statements: str, types: tuple[str, ...] = (F32, F32, "int32"), **fields: Any
) -> CompilationUnit:
    """A kernel of `a, out, n` with `i` and `x = a[i]`; the statements start at line 14."""
    body = textwrap.indent(textwrap.dedent(statements).strip("\n"), "    ")
    return unit(f"def kernel(a, out, n):\n    i = cuda.grid(1)\n    x = a[i]\n{body}\n", types, **fields)


FIRST = LINE + 3

EXPRESSIONS = {
    "double": "x * 2.0",
    "third": "x * 3e8",
    "half": "x / 2",
    "complement": "1 - x",
    "square": "x ** 2",
    "chain": "math.sqrt(x * x + 1)",
    "pi": "x * math.pi",
    "index": "x + i",
    "root": "x ** 0.5",
    "power_call": "math.pow(x, 3.0)",
    "maximum": "max(x, 0.0)",
    "sine": "math.sin(x)",
    "divide": "i // n",
    "remainder": "i % n",
    "divide_by_seven": "i // 7",
}

SPILLING = """
def kernel(a, out, n):
    i = cuda.grid(1)
    b0 = a[i]; b1 = a[i + 1]; b2 = a[i + 2]; b3 = a[i + 3]; b4 = a[i + 4]; b5 = a[i + 5]
    b6 = a[i + 6]; b7 = a[i + 7]; b8 = a[i + 8]; b9 = a[i + 9]; c0 = a[i + 10]; c1 = a[i + 11]
    c2 = a[i + 12]; c3 = a[i + 13]; c4 = a[i + 14]; c5 = a[i + 15]; c6 = a[i + 16]; c7 = a[i + 17]
    for j in range(n):
        b0 = b0 * b1 + b2; b1 = b1 * b2 + b3; b2 = b2 * b3 + b4; b3 = b3 * b4 + b5; b4 = b4 * b5 + b6
        b5 = b5 * b6 + b7; b6 = b6 * b7 + b8; b7 = b7 * b8 + b9; b8 = b8 * b9 + c0; b9 = b9 * c0 + c1
        c0 = c0 * c1 + c2; c1 = c1 * c2 + c3; c2 = c2 * c3 + c4; c3 = c3 * c4 + c5; c4 = c4 * c5 + c6
        c5 = c5 * c6 + c7; c6 = c6 * c7 + b0; c7 = c7 * b0 + b1
    out[i] = b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8 + b9 + c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7
"""

ELSEWHERE = FunctionText(
    "hypotenuse", "def hypotenuse(u):\n    return math.sqrt(u * u + 1)\n", "lib/geometry.py", 40
)
WITH_DEFAULT = FunctionText("scaled", "def scaled(u, by=2.5):\n    return u * by\n", "lib/geometry.py", 60)

OTHERS = {
    "accumulator": elementwise("s = 0.0\nfor j in range(n):\n    s += a[j]\nout[i] = s"),
    "narrow_accumulator": elementwise("s = np.float32(0)\nfor j in range(n):\n    s += a[j]\nout[i] = s"),
    "device_function": elementwise("y = hypotenuse(x)\nout[i] = y", devices=(ELSEWHERE,)),
    "default_argument": elementwise("out[i] = scaled(x)", devices=(WITH_DEFAULT,)),
    "shared": elementwise(
        """
        t = cuda.shared.array(64, float32)
        t[cuda.threadIdx.x] = x
        cuda.syncthreads()
        out[i] = t[63 - cuda.threadIdx.x]
        """
    ),
    "local": elementwise(
        """
        t = cuda.local.array(40, float32)
        for j in range(n):
            t[int(a[j])] += x
        for j in range(40):
            out[j] = t[j]
        """
    ),
    "grid_barrier": elementwise("g = cuda.cg.this_grid()\nout[i] = x\ng.sync()\nout[i + 1] = out[n]"),
    "atomic": elementwise("cuda.atomic.add(out, 0, x)"),
    "constant_array": elementwise(
        "t = cuda.const.array_like(TABLE)\nout[i] = x * t[n]",
        constants={"TABLE": "np.array([1.0, 2.0, 4.0], dtype=np.float32)"},
    ),
    "constants": elementwise(
        "out[i] = x * SCALE + BIAS + SIZES[1]",
        constants={"SCALE": "np.float32(0.5)", "BIAS": "-1.5", "SIZES": "(3, 4)"},
    ),
    "spilling": unit(SPILLING, (F32, F32, "int32"), options={"max_registers": 16}),
    "not_spilling": unit(SPILLING, (F32, F32, "int32")),
    "fast": elementwise("out[i] = math.sin(x)", options={"fastmath": True}),
    "debug": elementwise("out[i] = x * 2.0", options={"debug": True, "opt": False}),
    "stated_float64": elementwise("out[i] = x * 2.0", (F64, F64, "int32")),
    "assumed": elementwise(
        "out[i] = x[n]",
        types=None,  # type: ignore[arg-type]
        candidates=(
            ArgumentTypes((F64, F64, "int32"), ("a is taken to be one row.",), ("a",)),
            ArgumentTypes(("float64[:,::1]", F64, "int32"), ("a is taken to be a matrix.",), ("a",)),
        ),
    ),
    "type_error": elementwise("y = x + 1\nout[i] = y.nothing"),
    "guessed_types": unit(
        "def kernel(a, n):\n    x, y = a[0]\n    a[1] = x * n\n",
        candidates=(ArgumentTypes((F32, "int32"), ("`a` is a guess.",), ("a",)),),
    ),
    "unknown_alias": elementwise("out[i] = x", aliases={"cuda": "numba.cuda", "os": "os.path"}),
    "running_constant": elementwise("out[i] = x + K", constants={"K": "__import__('os').getpid()"}),
    "decorated": unit("@open('witness', 'w')\ndef kernel(a):\n    a[0] = 1\n", (F32,)),
    "running_default": unit("def kernel(a, b=open('witness', 'w')):\n    a[0] = 1\n", (F32,)),
    "two_statements": unit("def kernel(a):\n    a[0] = 1\nopen('witness', 'w')\n", (F32,)),
    "missing": elementwise("out[i] = WIDTH", missing=("WIDTH (a parameter of make)",)),
    "untyped": elementwise("out[i] = x", types=None, candidates=()),  # type: ignore[arg-type]
}

KERNELS: dict[str, CompilationUnit] = {}
for _name, _expression in EXPRESSIONS.items():
    KERNELS[_name] = elementwise(f"out[i] = {_expression}", kernel=_name)
for _name, _unit in OTHERS.items():
    KERNELS[_name] = CompilationUnit(
        _name,
        _unit.path,
        _unit.functions,
        _unit.constants,
        _unit.aliases,
        _unit.candidates,
        _unit.options,
        _unit.missing,
    )
