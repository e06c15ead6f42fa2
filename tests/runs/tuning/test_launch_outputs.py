"""Arrays after launches: kept once, compared with those of other configurations."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.evidence.simulated.driver.executor import ArgumentNote, LaunchNote
from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.runs.tuning.trials.launch_outputs import OutputComparer, OutputKeeper


def launch(memory, array, function="kernel"):
    """A launch that left `array`."""
    address = memory.upload(array)
    note = ArgumentNote("x", "array", array.dtype.str, array.shape, array.strides, address, array.nbytes)
    return LaunchNote(function, "k.py", 1, None, None, (1, 1, 1), (1, 1, 1), 0, (note,), 0, 1)


def compared(folder, before, after, tolerance=0.0, most_bytes=10**6):
    """What differs between launches that left these arrays."""
    memory = DeviceMemory()
    keeper = OutputKeeper(folder, most_bytes)
    for array in before:
        keeper.after_launch(launch(memory, array), memory)
    keeper.close()
    comparer = OutputComparer(folder, tolerance)
    for array in after:
        comparer.after_launch(launch(memory, array), memory)
    comparer.close()
    return comparer.difference


def floats(*values):
    return np.array(values, np.float32)


@pytest.mark.parametrize("array", [floats(1.0, np.nan), np.arange(3), np.array([], np.float32)])
def test_equal_bits_are_equal(tmp_path, array):
    assert compared(tmp_path, [array], [array]) == ""


def test_a_deviation_is_relative_to_the_largest_value(tmp_path):
    before, after = floats(0.0, -200.0), floats(1.0, -200.0)
    assert compared(tmp_path, [before], [after]) == "x deviates by 5.0e-03 of its largest value"
    assert compared(tmp_path, [before], [after], tolerance=0.004) != ""
    assert compared(tmp_path, [before], [after], tolerance=0.006) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (np.array([1, 2]), np.array([1, 3])),
        (floats(1.0, np.nan), floats(1.0, 2.0)),
        (floats(1.0, 2.0), floats(1.0, np.nan)),
        (floats(np.inf, 1.0), floats(-np.inf, 1.0)),
    ],
)
def test_no_tolerance_for_integers_and_for_what_is_no_number(tmp_path, before, after):
    assert compared(tmp_path, [before], [after], tolerance=10.0) == "x holds other values"


def test_another_shape(tmp_path):
    assert compared(tmp_path, [floats(1.0, 1.0)], [floats(1.0)]) == "x has another shape"
    assert compared(tmp_path, [floats(1.0, 1.0)], [floats(1.0, 1.0).reshape(2, 1)]) == "x has another shape"


def test_more_or_fewer_launches(tmp_path):
    one = floats(1.0)
    assert compared(tmp_path, [one, one], [one]) == "1 launches instead of 2"
    assert compared(tmp_path, [one], [one, one]) == "launch 2 is another one"


def test_what_was_too_large_to_keep_is_compared_bit_by_bit(tmp_path):
    before, after = floats(1.0, 2.0), floats(1.0, 2.5)
    assert compared(tmp_path, [before], [before], 1.0, most_bytes=4) == ""
    assert "too large to be kept" in compared(tmp_path, [before], [after], 1.0, most_bytes=4)


def test_zeros_may_not_become_something(tmp_path):
    assert compared(tmp_path, [floats(0.0)], [floats(1e-30)], tolerance=1.0) == "x holds other values"


def test_signs_of_zero_are_bits(tmp_path):
    assert "other bits for equal values" in compared(tmp_path, [floats(1.0, 0.0)], [floats(1.0, -0.0)])
    assert compared(tmp_path, [floats(1.0, 0.0)], [floats(1.0, -0.0)], tolerance=1e-9) == ""


def test_a_tolerance_may_be_by_type(tmp_path):
    near = floats(1.0, 2.0 + 1e-6)
    assert compared(tmp_path, [floats(1.0, 2.0)], [near], {"float32": 1e-5}) == ""
    assert "deviates by" in compared(tmp_path, [floats(1.0, 2.0)], [near], {"float64": 1e-5})


def test_numbers_that_numpy_does_not_know_are_compared_by_their_bits(tmp_path):
    memory = DeviceMemory()
    keeper = OutputKeeper(tmp_path, 10**6)
    keeper.after_launch(of_bfloat16(memory, 1), memory)
    keeper.close()
    for bits, said in ((1, ""), (2, "x holds other values")):
        comparer = OutputComparer(tmp_path, {"float32": 1e-5})
        comparer.after_launch(of_bfloat16(memory, bits), memory)
        comparer.close()
        assert comparer.difference == said


def of_bfloat16(memory, bits):
    address = memory.upload(np.full(4, bits, np.uint16))
    note = ArgumentNote("x", "*bf16", "bfloat16", (4,), (2,), address, 8)
    return LaunchNote("kernel", "k.py", 1, None, None, (1, 1, 1), (1, 1, 1), 0, (note,), 0, 1)
