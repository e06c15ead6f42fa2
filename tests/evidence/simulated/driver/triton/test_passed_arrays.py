"""What is passed as a pointer: its place, and what Triton's tuning does to it."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from advisor.evidence.simulated.driver.triton.passed_arrays import PassedArray, passed, place_of


class Interface:
    """What has the CUDA array interface and nothing else."""

    def __init__(self, array: Any, read_only: bool = False) -> None:
        self.array = array
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "strides": array.strides, "version": 3,
            "data": (array.ctypes.data, read_only),
        }  # fmt: skip


class Storage:
    def __init__(self, array: Any) -> None:
        self.array = array

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def nbytes(self) -> int:
        return int(self.array.nbytes)


class Tensor:
    """As much of a tensor of PyTorch as is asked for."""

    dtype = "torch.float32"

    def __init__(self, whole: Any, view: Any) -> None:
        self.whole, self.view, self.shape = whole, view, view.shape

    def data_ptr(self) -> int:
        return int(self.view.ctypes.data)

    def element_size(self) -> int:
        return int(self.view.itemsize)

    def stride(self) -> tuple[int, ...]:
        return tuple(step // self.view.itemsize for step in self.view.strides)

    def untyped_storage(self) -> Storage:
        return Storage(self.whole)


def test_an_array_of_numpy():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    place = place_of(array)
    assert place is not None
    begin = array.ctypes.data
    assert (place.address, place.dtype, place.shape, place.strides) == (begin, "float32", (2, 3), (12, 4))
    assert (place.low, place.high, place.kept_low, place.kept_high) == (begin, begin + 24) * 2


def test_a_view_is_kept_by_its_array():
    array = np.arange(10, dtype=np.int16)
    place, begin = place_of(array[2:8:2]), array.ctypes.data
    assert place is not None
    assert (place.low, place.high) == (begin + 4, begin + 14)
    assert (place.kept_low, place.kept_high) == (begin, begin + 20)


def test_an_array_backwards_begins_at_its_last_element():
    array = np.arange(4, dtype=np.int32)
    place, begin = place_of(array[::-1]), array.ctypes.data
    assert place is not None
    assert (place.address, place.low, place.high) == (begin + 12, begin, begin + 16)


def test_an_empty_array_has_no_bytes():
    place = place_of(np.empty((0, 4), np.float32))
    assert place is not None
    assert place.low == place.high


def test_an_array_that_may_not_be_written():
    array = np.arange(4)
    array.flags.writeable = False
    place = place_of(array)
    assert place is not None
    assert not place.writable


def test_the_cuda_array_interface():
    array = np.arange(12, dtype=np.float64).reshape(3, 4)[:, 1:3]
    given = passed(Interface(array))
    assert isinstance(given, PassedArray)
    assert given.data_ptr() == array.ctypes.data
    assert (given.view == array).all()
    assert str(given.dtype) == "float64"
    assert given.array is array


def test_an_interface_that_may_not_be_written():
    place = place_of(Interface(np.arange(3), read_only=True))
    assert place is not None
    assert not place.writable


def test_a_tensor_with_a_storage():
    whole = np.arange(8, dtype=np.float32)
    place, begin = place_of(Tensor(whole, whole[2:])), whole.ctypes.data
    assert place is not None
    assert (place.address, place.dtype, place.strides) == (begin + 8, "float32", (4,))
    assert (place.low, place.high, place.kept_low, place.kept_high) == (
        begin + 8, begin + 32, begin, begin + 32,
    )  # fmt: skip


def test_a_pointer_whose_size_is_not_known():
    class Pointer:
        dtype = "float32"

        def data_ptr(self) -> int:
            return 4096

    place = place_of(Pointer())
    assert place is not None
    assert (place.address, place.low, place.kept_low) == (4096, None, None)


def test_a_view_of_another_type_lies_where_its_tensor_does():
    class Reinterpreted:
        def __init__(self, base: Tensor) -> None:
            self.base = base

        def data_ptr(self) -> int:
            return self.base.data_ptr()

    whole = np.zeros(4, np.float32)
    place = place_of(Reinterpreted(Tensor(whole, whole)))
    assert place is not None
    assert place.high == whole.ctypes.data + 16


def test_nothing_and_numbers():
    assert place_of("text") is None
    nothing, number = place_of(None), place_of(4096)
    assert nothing is not None and nothing.address == 0
    assert number is not None and number.address == 4096


def test_other_arguments_are_passed_as_they_are():
    tensor = Tensor(np.zeros(1), np.zeros(1))
    assert passed(tensor) is tensor
    assert passed(3) == 3
    assert passed(int) is int
    assert isinstance(passed((np.zeros(2), 1))[0], PassedArray)


def test_what_tuning_asks_of_an_argument():
    array = np.arange(3)
    given = passed(array)
    copy = given.clone()
    given.zero_()
    assert array.tolist() == [0, 0, 0]
    given.copy_(copy)
    assert array.tolist() == [0, 1, 2]
    given.copy_(passed(np.array([4, 5, 6])))
    assert array.tolist() == [4, 5, 6]
    assert (given.shape, len(given), given[1]) == ((3,), 3, 5)


def test_an_interface_is_a_view_of_its_memory():
    content = (ctypes.c_float * 4)(1, 2, 3, 4)
    view = passed(Interface(np.frombuffer(content, np.float32))).view
    content[2] = 9
    assert view.tolist() == [1, 2, 9, 4]
