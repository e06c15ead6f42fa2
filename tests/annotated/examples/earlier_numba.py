"""Decorators with options that only earlier releases of Numba had, and with those of today's."""

from numba import cuda, float32, jit


@cuda.jit(argtypes=(float32[:], float32), restype=None)  # hit: word-of-earlier-numba
def types_by_an_option(a, factor):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= factor


@jit("void(float32[:], float32)", target="gpu")  # hit: word-of-earlier-numba
def a_target_of_jit(a, factor):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= factor


@cuda.jit((float32[:], float32))  # ok: word-of-earlier-numba
def types_first(a, factor):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= factor


@cuda.jit(argtypes=None, fastmath=True)  # ok: word-of-earlier-numba
def an_option_that_says_nothing(a, factor):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= factor


@jit(nopython=True)  # ok: word-of-earlier-numba
def of_the_processor(a, factor):
    for i in range(a.size):
        a[i] *= factor
