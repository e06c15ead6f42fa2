"""C functions in the place of CuPy's: what they hand on, what they give back, and what they raise."""

from __future__ import annotations

import ctypes

import pytest

from advisor.evidence.simulated.cupy.runtime.native_functions import native_functions
from advisor.evidence.simulated.cupy.runtime.signatures import Signature, signature
from advisor.model.errors import AdvisorError


def made(text: str, function: object) -> int:
    return native_functions({"made": (signature(text), function)})["made"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("int (int __pyx_skip_dispatch)", Signature("int", ("dispatch",))),
        ("PyObject *(void)", Signature("object", ())),
        (
            "intptr_t (size_t, struct __pyx_opt_args_4cupy_f *__pyx_optional_args)",
            Signature("long", ("size", "defaults")),
        ),
        ("struct __pyx_obj_4cupy_A *(intptr_t, int)", Signature("object", ("long", "int"))),
    ],
)
def test_signatures_that_capsules_state(text, wanted):
    assert signature(text) == wanted


@pytest.mark.parametrize("text", ["cudaExtent (size_t)", "int (double)", "int"])
def test_types_that_are_not_known_are_said(text):
    with pytest.raises(AdvisorError, match="not known"):
        signature(text)


def test_numbers_come_and_go_whole():
    seen = []

    def function(*given):
        seen.append(given)
        return given[1]

    at = made("intptr_t (int, size_t, unsigned int, float, int __pyx_skip_dispatch)", function)
    types = ctypes.c_int, ctypes.c_size_t, ctypes.c_uint, ctypes.c_float, ctypes.c_int
    call = ctypes.PYFUNCTYPE(ctypes.c_ssize_t, *types)(at)
    assert call(-5, (1 << 62) + 3, (1 << 32) - 1, 0.5, 0) == (1 << 62) + 3
    assert seen == [(-5, (1 << 62) + 3, (1 << 32) - 1, 0.5)]


def test_objects_are_handed_on_and_kept():
    kept = []
    at = made("PyObject *(PyObject *)", lambda one: kept.append(one) or [one])
    call = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(at)
    given = object()
    for _ in range(100):
        assert call(given) == [given]
    assert kept == [given] * 100


def test_what_is_raised_stays_set_behind_the_value_of_an_error():
    def fail():
        raise KeyError("gone")

    # A function of Python's interface: ctypes looks for the error after the call, as Cython does.
    with pytest.raises(KeyError, match="gone"):
        ctypes.PYFUNCTYPE(ctypes.c_int)(made("int (void)", fail))()


def test_a_float_comes_back():
    call = ctypes.PYFUNCTYPE(ctypes.c_float, ctypes.c_int)(made("float (int)", lambda one: one / 2))
    assert call(3) == 1.5
