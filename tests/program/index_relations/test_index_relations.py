"""What kernels say of sizes: kernels.txt has a hundred of them, each with all that is known."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernel_programs import PROGRAMS
from relation_texts import TYPES, lines, relations, unit

from advisor.program.index_relations.index_relations import index_relations
from advisor.program.index_relations.relations import Extent, IndexRelations


class Kernel(NamedTuple):
    name: str
    types: str
    source: str
    known: list[str]


def kernels() -> list[Kernel]:
    found = []
    for block in (Path(__file__).parent / "kernels.txt").read_text("utf-8").split("\n## ")[1:]:
        head, *rest = block.rstrip().splitlines()
        name, _, types = head.rpartition(" | ")
        source = "\n".join(line for line in rest if not line.startswith("=> "))
        known = [line.removeprefix("=> ") for line in rest if line.startswith("=> ")]
        found.append(Kernel(name, types, source, known))
    return found


@pytest.mark.parametrize("kernel", kernels(), ids=lambda kernel: kernel.name)
def test_what_a_kernel_says_of_sizes(kernel: Kernel) -> None:
    assert lines(relations(kernel.types, kernel.source, LAST="7")) == kernel.known


@pytest.mark.parametrize(
    ("index", "of_block", "of_grid"),
    [
        ("cuda.grid(1)", 1, 1),
        ("cuda.grid(2)[1]", 2, 2),
        ("cuda.threadIdx.y", 2, 2),
        ("cuda.blockIdx.y", 1, 2),
        ("cuda.blockIdx.z + cuda.threadIdx.y", 2, 3),
    ],
)
def test_the_axes_of_blocks_and_grids_are_counted(index: str, of_block: int, of_grid: int) -> None:
    direct = relations("f", f"def k(a):\n    a[{index}] = 0")
    called = relations("f", f"def at():\n    return {index}\ndef k(a):\n    a[at()] = 0")
    assert (direct.block_axes, direct.grid_axes) == (of_block, of_grid)
    assert (called.block_axes, called.grid_axes) == (of_block, of_grid)


def test_shapes_in_shared_memory_are_numbers_or_unknown() -> None:
    found = relations(
        "f n",
        """
        def k(a, n):
            tile = cuda.shared.array((SIDE, SIDE + 1), np.float32)
            line = cuda.shared.array(shape=128, dtype=np.float32)
            open_one = cuda.shared.array((16, n), np.float32)
            dynamic = cuda.shared.array(0, np.float32)
        """,
        SIDE="16",
    )
    assert found.shared_shapes == ((16, 17), (128,), (16, None))


def test_a_text_that_is_no_function_says_nothing() -> None:
    assert index_relations(unit("def k(a):\n    a[0] = 0"), ["no type ("]).axes == {}
    broken = unit("def k(a):\n    a[0] = 0")
    text = type(broken.functions[0])("k", "def k(a:\n", "m.py", 1, False)
    assert index_relations(type(broken)("k", "m.py", (text,)), ["float32[::1]"]) == IndexRelations()


def test_types_by_their_constructors() -> None:
    source = "def k(a):\n    for i in range(a.shape[1]):\n        a[0, i] = 0"
    for text in (
        "float32[:,:]",
        "Array(float32, 2, 'A')",
        "Array(float32, 2, 'C', readonly=True)",
        "int8[::1,:]",
    ):
        assert lines(relations(text.replace(" ", ""), source)) == ["a.1", "a.0 has 1"]


def test_a_deep_expression_is_left_out() -> None:
    deep = " + ".join(["i"] * 900)
    found = relations(
        "f n", f"def k(a, n):\n    i = cuda.grid(1)\n    a[{deep}] = 0\n    if i < n:\n        a[i] = 0"
    )
    assert Extent("a", 0) in found.equal[0].sizes


def test_many_loops_that_hang_on_each_other_come_to_an_end() -> None:
    names = [f"x{number}" for number in range(40)]
    begin = "\n    ".join(f"{name} = {number}" for number, name in enumerate(names))
    steps = "\n        ".join(
        f"{one} = {other} + {names[-1]} * {one}"
        for one, other in zip(names, [*names[1:], names[0]], strict=True)
    )
    source = f"def k(a, n):\n    {begin}\n    for s in range(n):\n        {steps}\n        a[x0] = s"
    assert "n" in lines(relations("f n", source))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(PROGRAMS)
def test_no_program_is_an_error(source: str) -> None:
    try:
        ast.parse(source)
    except SyntaxError:
        return
    types = ["f", "ff", "i", "pair", "n", "n", "x"]
    found = index_relations(unit(source), [TYPES[one] for one in types])
    sizes = [size for group in found.equal for size in group.sizes]
    assert len(sizes) == len(set(sizes))
    assert all(0 <= one.axis < {"a": 1, "c": 2, "p": 1}[one.array] for one in found.axes)
    assert all(group.least >= 0 for group in found.equal)
    assert {path for path, _ in found.data_branches} <= {"m.py"}


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
def test_no_type_is_an_error(text: str) -> None:
    index_relations(unit("def k(a):\n    a[0] = a.shape[0]"), [text])
