"""Host code around kernels that ends with an error, and its like that does not."""

import numpy as np
from numba import cuda


@cuda.jit
def scale(a, factor):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= factor


def scaled_without_a_grid(a):
    d_a = cuda.to_device(a)
    scale(d_a, np.float32(2))  # hit: kernel-called-without-grid
    return d_a.copy_to_host()


def scaled_by_its_function(a):
    scale.py_func(a, np.float32(2))  # ok: kernel-called-without-grid


def scaled_for_all(a):
    d_a = cuda.to_device(a)
    scale.forall(a.size)(d_a, np.float32(2))  # ok: kernel-called-without-grid
    return d_a.copy_to_host()


def scaled_by_what_is_given(a, scale):
    scale(a, np.float32(2))  # ok: kernel-called-without-grid


@cuda.jit(device=True)
def halved(value):
    return value * np.float32(0.5)


@cuda.jit
def half(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = halved(a[i])  # ok: kernel-called-without-grid


def scaled_with_one_number(a):
    d_a = cuda.to_device(a)
    scale[256](d_a, np.float32(2))  # hit: launch-refused
    return d_a.copy_to_host()


def scaled_with_a_computed_number(a):
    d_a = cuda.to_device(a)
    scale[(a.size + 255) // 256](d_a, np.float32(2))  # hit: launch-refused
    return d_a.copy_to_host()


def scaled_with_what_is_named(a, sizes=(64, 256)):
    d_a = cuda.to_device(a)
    scale[sizes](d_a, np.float32(2))  # ok: launch-refused
    return d_a.copy_to_host()


def scaled_by_a_text(a):
    d_a = cuda.to_device(a)
    scale[(a.size + 255) // 256, 256](d_a, "2")  # hit: launch-refused
    return d_a.copy_to_host()


class Scaling:
    """A kernel that is defined like a method, and one that is none."""

    @cuda.jit
    def scale_method(a, factor):
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= factor

    @staticmethod
    @cuda.jit
    def scale_static(a, factor):
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= factor

    def scaled_by_method(self, a):
        d_a = cuda.to_device(a)
        self.scale_method[(a.size + 255) // 256, 256](d_a, np.float32(2))  # hit: launch-refused
        return d_a.copy_to_host()

    def scaled_by_static_method(self, a):
        d_a = cuda.to_device(a)
        self.scale_static[(a.size + 255) // 256, 256](d_a, np.float32(2))  # ok: launch-refused
        return d_a.copy_to_host()

    def scaled_by_class(self, a):
        d_a = cuda.to_device(a)
        Scaling.scale_method[(a.size + 255) // 256, 256](d_a, np.float32(2))  # ok: launch-refused
        return d_a.copy_to_host()


def result_copied(a):
    d_a = cuda.to_device(a)
    result = scale[(a.size + 255) // 256, 256](d_a, np.float32(2))  # hit: result-of-launch-used
    return result.copy_to_host()


def result_added(a):
    d_a = cuda.to_device(a)
    return scale[(a.size + 255) // 256, 256](d_a, np.float32(2)) + 1  # hit: result-of-launch-used


def result_returned(a):
    d_a = cuda.to_device(a)
    return scale[(a.size + 255) // 256, 256](d_a, np.float32(2))  # ok: result-of-launch-used


def result_compared(a):
    d_a = cuda.to_device(a)
    result = scale[(a.size + 255) // 256, 256](d_a, np.float32(2))  # ok: result-of-launch-used
    assert result is None
    result = d_a
    return result.copy_to_host()


def numbers_of_earlier_numpy(n):
    a = np.zeros(n, dtype=np.float)  # hit: word-of-earlier-numpy
    d_a = cuda.to_device(a)
    scale[(n + 255) // 256, 256](d_a, np.float32(2))
    return d_a.copy_to_host()


def numbers_of_earlier_numpy_for_two_kernels(n):
    a = np.zeros(n, dtype=np.float)  # hit: word-of-earlier-numpy
    b = np.ones(n, dtype=np.float)  # ok: word-of-earlier-numpy
    d_a, d_b = cuda.to_device(a), cuda.to_device(b)
    scale[(n + 255) // 256, 256](d_a, np.float32(2))
    half[(n + 255) // 256, 256](d_b)
    return d_a.copy_to_host(), d_b.copy_to_host()


def numbers_of_both(n):
    try:
        kind = np.float  # ok: word-of-earlier-numpy
    except AttributeError:
        kind = float
    d_a = cuda.to_device(np.zeros(n, dtype=kind))
    scale[(n + 255) // 256, 256](d_a, np.float32(2))
    return d_a.copy_to_host()


def numbers_of_today(n):
    a = np.zeros(n, dtype=np.float64)  # ok: word-of-earlier-numpy
    d_a = cuda.to_device(a)
    scale[(n + 255) // 256, 256](d_a, np.float32(2))
    return d_a.copy_to_host()


def launched_elsewhere(n):
    return np.zeros(n, dtype=np.int)  # ok: word-of-earlier-numpy
