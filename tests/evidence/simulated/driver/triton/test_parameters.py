"""Bytes of parameters, against what Python and NumPy write."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.evidence.simulated.driver.triton.parameters import filled, flat, scalar_bytes


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("i1", True, b"\x01"),
        ("u1", False, b"\x00"),
        ("i8", -1, b"\xff"),
        ("i32", -2, np.int32(-2).tobytes()),
        ("u32", 4294967295, b"\xff\xff\xff\xff"),
        ("i64", 1 << 40, np.int64(1 << 40).tobytes()),
        ("u64", (1 << 64) - 1, b"\xff" * 8),
        ("fp16", 1.5, np.float16(1.5).tobytes()),
        ("fp32", 0.1, np.float32(0.1).tobytes()),
        ("fp64", 0.1, np.float64(0.1).tobytes()),
        ("bf16", 1.0, b"\x80\x3f"),
        # 1 + 2**-8 lies half way to the next bfloat16: it is cut off, not rounded.
        ("bf16", 1.00390625, b"\x80\x3f"),
    ],
)
def test_a_number(kind: str, value: float, expected: bytes):
    assert scalar_bytes(kind, value) == expected


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="nvTmaDesc"):
        scalar_bytes("nvTmaDesc", 1)


def test_tuples_are_taken_apart():
    types, values = ["*fp32", ("i32", ("fp32", "i1"))], ["x", (1, (2.0, True))]
    assert list(flat(types, values, ["p", "t"])) == [
        ("p", "*fp32", "x"), ("t[0]", "i32", 1), ("t[1][0]", "fp32", 2.0), ("t[1][1]", "i1", True),
    ]  # fmt: skip


def test_parameters_behind_the_arguments_are_zeros():
    assert filled([b"\x01"], [1, 8, 8]) == [b"\x01", bytes(8), bytes(8)]


def test_nothing_is_added_where_all_is_given():
    assert filled([b"\x01", b"\x02"], [1, 1]) == [b"\x01", b"\x02"]
