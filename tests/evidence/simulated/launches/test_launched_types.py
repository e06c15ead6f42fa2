"""Types of recorded launches as the compiler takes them: the texts give back the types that ran."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.evidence.compiled.compilers.literals import argument_type
from advisor.evidence.simulated.driver.argument_notes import describe
from advisor.evidence.simulated.launches.launched_types import argument_texts, launched_types
from advisor.evidence.simulated.launches.recording.recorder import _argument
from advisor.evidence.simulated.launches.store import LaunchRow

POINT = [("x", "<f4"), ("weight", "<f8")]


def kernel(first, second, third):
    """Parameters to name."""


def texts(*kinds):
    return argument_texts([_argument(one) for one in describe(kernel, kinds, _parameters(kinds))])


def _parameters(kinds):
    """As many parameters as Numba makes of the types."""
    from numba.cuda import types

    def count(kind):
        if isinstance(kind, types.Array):
            return 5 + 2 * kind.ndim
        if isinstance(kind, types.BaseTuple):
            return sum(map(count, kind))
        return 2 if isinstance(kind, types.Complex) else 1

    return [b"\0" * 8] * sum(map(count, kinds))


def numba_types():
    from numba.cuda import types
    from numba.cuda.np.numpy_support import from_dtype
    from numba.cuda.random import xoroshiro128p_type

    record = from_dtype(np.dtype(POINT))
    aligned = from_dtype(np.dtype([("tag", "i1"), ("x", "<f8")], align=True))
    nested = types.Tuple((types.int64, types.UniTuple(types.float32[::1], 2)))
    return {
        "float32[:,::1]": types.float32[:, ::1],
        "float64[::1,:]": types.float64[::1, :],
        "int8[:]": types.int8[:],
        "boolean[::1]": types.boolean[::1],
        "complex64": types.complex64,
        "boolean": types.boolean,
        "Array(float32, 0, 'C')": types.Array(types.float32, 0, "C"),
        "Array(float64, 2, 'A', readonly=True)": types.Array(types.float64, 2, "A", readonly=True),
        "Array(float32, 1, 'C', aligned=False)": types.Array(types.float32, 1, "C", aligned=False),
        "Tuple((int64, UniTuple(float32[::1], 2)))": nested,
        "xoroshiro128p_type[::1]": types.Array(xoroshiro128p_type, 1, "C"),
        f"from_dtype({np.dtype(POINT)}, False)[:]": types.Array(record, 1, "A"),
        f"from_dtype({np.dtype(POINT)}, False)": record,
        None: types.Array(aligned, 1, "C"),
    }


def test_each_text_gives_back_the_type_that_ran():
    for text, kind in numba_types().items():
        (found,) = texts(kind)
        assert found == text or text is None
        assert argument_type(found) == kind, found


def test_tuples_side_by_side_stay_apart():
    from numba.cuda import types

    pair = types.UniTuple(types.int64, 2)
    assert texts(pair, pair, types.float32) == ("UniTuple(int64, 2)", "UniTuple(int64, 2)", "float32")


@pytest.mark.parametrize(
    "kind", ["[unichr x 3]", "omitted(default=3)", "Record(x[type=int8;offset=0];1;False)", ""]
)
def test_a_type_without_a_text_gives_none_for_the_launch(kind):
    arguments = [{"name": "a", "type": "int64", "dtype": None}, {"name": "b", "type": kind, "dtype": None}]
    assert argument_texts(arguments) is None


def row(number, kind, line=9):
    arguments = [{"name": "a", "type": f"array({kind}, 1d, C)", "dtype": kind}]
    return LaunchRow(
        number, "k", "k.py", 1, "", "k.py", line, (1, 1, 1), (32, 1, 1), 0, arguments, 0, 0.0, 0.0
    )


def test_of_several_typings_that_of_the_heaviest_launch_is_first():
    launches = [(row(1, "float32"), 5.0), (row(2, "float64"), 7.0), (row(3, "float32"), 6.0)]
    found = launched_types(launches, lambda one: f"launch {one.number}")
    assert [(one.types, one.launch) for one in found] == [
        (("float64[::1]",), "launch 2"),
        (("float32[::1]",), "launch 3"),
    ]
    assert all(one.assumptions == () == one.assumed for one in found)


def test_launches_whose_types_cannot_be_written_are_left_out():
    launches = [(row(1, "what is this"), 5.0), (row(2, "int32"), 1.0)]
    assert [one.types for one in launched_types(launches, lambda _: "")] == [("int32[::1]",)]
