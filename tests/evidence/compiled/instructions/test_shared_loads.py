"""Loads of shared memory that wider ones would save, counted by hand in written machine code."""

from __future__ import annotations

import pytest

from advisor.evidence.compiled.instructions.sass import count_sass

PLACE = '\t//## File "/unit-function-0.py", line 3\n'


def saved(*lines: str) -> int:
    """The loads saved at the one line that all the instructions stand at; a text ending in `:` is a label."""
    text = '.section .text.kernel,"ax"\n' + PLACE
    for number, line in enumerate(lines):
        text += f"{line}\n" if line.endswith(":") else f"        /*{16 * number:04x}*/   {line} ;\n"
    counts = count_sass(text).counts
    assert set(counts) == {(0, 3)}
    return counts[(0, 3)]["joinable_shared_loads"]


def row(base: str, *offsets: int, width: str = "") -> list[str]:
    return [
        f"LDS{width} R{40 + 4 * at}, [{base}{f'+{one:#x}' if one else ''}]" for at, one in enumerate(offsets)
    ]


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [
        ((0, 4, 8, 12), 3),
        ((0, 4), 1),
        ((8, 12), 1),
        ((0, 4, 8), 1),
        ((4, 8), 0),
        ((0,), 0),
        ((0, 8, 16, 24), 0),
        ((0, 64, 128), 0),
        ((0x400, 0x404, 0x408, 0x40C, 0x410, 0x414, 0x418, 0x41C), 6),
        ((12, 8, 4, 0), 3),
        ((0, 4, 8, 12, 16), 3),
    ],
)
def test_words_that_follow_each_other_from_a_multiple_of_the_wider_size(
    offsets: tuple[int, ...], expected: int
) -> None:
    assert saved(*row("R4", *offsets)) == expected


def test_pairs_of_words_become_one_load_of_16_bytes() -> None:
    assert saved(*row("R4", 0, 8, width=".64")) == 1
    assert saved(*row("R4", 8, 16, width=".64")) == 0


def test_what_is_as_wide_as_can_be_and_what_is_narrower_than_a_word_is_left_alone() -> None:
    assert saved(*row("R4", 0, 16, width=".128")) == 0
    assert saved(*row("R4", 0, 1, 2, 3, width=".U8")) == 0


def test_loads_at_different_registers_are_not_neighbours() -> None:
    assert saved("LDS R40, [R4]", "LDS R44, [R5+0x4]") == 0
    assert saved("LDS R40, [R4.X4]", "LDS R44, [R4+0x4]") == 0


@pytest.mark.parametrize(
    "between",
    ["IADD3 R4, R4, 0x40, RZ", "STS [R9], R10", "BAR.SYNC.DEFER_BLOCKING 0x0", ".L_x_1:",
     "IMAD.WIDE R3, R8, R9, R2", "IADD3 R4, P0, R8, R9, RZ", "DADD R3, R8, R10", "LDG.E.128 R2, [R8.64]"],
)  # fmt: skip
def test_nothing_is_joined_across_what_may_change_the_address_or_the_memory(between: str) -> None:
    assert saved("LDS R40, [R4]", between, "LDS R44, [R4+0x4]") == 0


@pytest.mark.parametrize(
    "between", ["FFMA R3, R8, R9, R3", "LDS R20, [R16]", "IMAD.WIDE R2, R8, R9, R2", "STG.E [R4.64], R9"]
)
def test_arithmetic_and_other_loads_keep_neighbours_together(between: str) -> None:
    assert saved("LDS R40, [R4]", between, "LDS R44, [R4+0x4]") == 1


def test_a_load_under_a_predicate_does_not_count() -> None:
    assert saved("@P0 LDS R40, [R4]", "@P0 LDS R44, [R4+0x4]") == 0
