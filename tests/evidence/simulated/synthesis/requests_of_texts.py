"""Requests for launches of kernels of which only the text and the types are needed, not the code."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from advisor.evidence.simulated.synthesis.request import KnownLaunch, Limits, Request
from advisor.model.compilation_unit import CompilationUnit, FunctionText, Placeholder
from advisor.model.machine_code.kernel_code import KernelCode, ParameterSlot
from advisor.program.index_relations.index_relations import index_relations

SLOTS = {
    "f": ("float32[::1]", ParameterSlot("", "array", "<f4", 1, "C")),
    "ff": ("float32[:,::1]", ParameterSlot("", "array", "<f4", 2, "C")),
    "fff": ("float64[:,:,::1]", ParameterSlot("", "array", "<f8", 3, "C")),
    "i": ("int32[::1]", ParameterSlot("", "array", "<i4", 1, "C")),
    "byte": ("int8[::1]", ParameterSlot("", "array", "|i1", 1, "C")),
    "b": ("boolean[::1]", ParameterSlot("", "array", "|b1", 1, "C")),
    "c": ("complex64[::1]", ParameterSlot("", "array", "<c8", 1, "C")),
    "states": (
        "xoroshiro128p_type[::1]",
        ParameterSlot("", "array", "[('s0', '<u8'), ('s1', '<u8')]", 1, "C"),
    ),
    "points": (
        "from_dtype([('at', '<f4', (2,)), ('cell', '<i4')], False)[::1]",
        ParameterSlot("", "array", "[('at', '<f4', (2,)), ('cell', '<i4')]", 1, "C"),
    ),
    "n": ("int64", ParameterSlot("", "scalar", "<i8")),
    "short": ("int8", ParameterSlot("", "scalar", "|i1")),
    "x": ("float64", ParameterSlot("", "scalar", "<f8")),
    "z": ("complex128", ParameterSlot("", "scalar", "<c16")),
    "flag": ("boolean", ParameterSlot("", "scalar", "|b1")),
}  # fmt: skip
NOTHING = KnownLaunch()


def request_of_text(
    types: str,
    source: str,
    launch: KnownLaunch = NOTHING,
    memory: int = 1 << 30,
    guessed: Sequence[str] = (),
) -> tuple[Request, KernelCode]:
    """A request for one kernel and its code without PTX; `types` names one of SLOTS for each parameter.

    `guessed` are names of which the kernel reads values that are made up.
    """
    text = textwrap.dedent(source).strip() + "\n"
    names = [one.strip() for one in text[text.index("(") + 1 : text.index(")")].split(",")]
    chosen = [SLOTS[one] for one in types.split()]
    slots = tuple(
        ParameterSlot(name, slot.kind, slot.dtype, slot.ndim, slot.layout)
        for name, (_, slot) in zip(names, chosen, strict=True)
    )
    function = FunctionText("k", text, "m.py", 1, device=False)
    aliases = {
        "cuda": "numba.cuda",
        "uniform": "numba.cuda.random.xoroshiro128p_uniform_float32",
    }
    placeholders = tuple(Placeholder(name, "int64", "32", "48") for name in guessed)
    constants = {one.name: one.value for one in placeholders}
    unit = CompilationUnit("m.py::k", "m.py", (function,), constants, aliases, placeholders=placeholders)
    kinds = tuple(kind for kind, _ in chosen)
    code = KernelCode("m.py::k", "", "k", slots, kinds)
    relations = index_relations(unit, kinds)
    return Request("m.py::k", (code,), relations, launch, (("m.py", 1),), Limits(10.0, memory, 10_000)), code
