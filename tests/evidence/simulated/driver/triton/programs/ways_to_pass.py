"""Passes every kind of argument and prints which ways were right."""

import json
import warnings

import numpy as np
from numba import cuda

warnings.simplefilter("ignore")

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

right = {}


@triton.jit
def scale(x, half, brain: tl.bfloat16, double: tl.float64, flag, big, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    v = v * half.to(tl.float32) + brain.to(tl.float32) + double.to(tl.float32) + flag.to(tl.float32)
    tl.store(x + i, v + (big >> 40).to(tl.float32), mask=i < n)


@triton.jit
def add_pair(pair, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x, y = pair
    tl.store(x + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def copy_rows(source, target, n, B: tl.constexpr):
    target.store([0, 0], source.load([0, 0]))


@triton.autotune(
    [triton.Config({"B": 32}), triton.Config({"B": 64})],
    key=["n"],
    restore_value=["x"],
    reset_to_zero=["count"],
)
@triton.jit
def grow(x, count, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)
    tl.atomic_add(count, 1)


@triton.jit
def far(x, B: tl.constexpr):
    tl.store(x + 100_000_000 + tl.arange(0, B), 1.0)


@triton.jit
def speak(x, B: tl.constexpr):
    tl.device_print("value", tl.load(x + tl.arange(0, B)))


class Tensor:
    """What has data_ptr() and dtype, in memory of the host."""

    def __init__(self, array, sized=True):
        self.array, self.dtype = array, array.dtype
        if sized:
            self.nbytes = array.nbytes

    def data_ptr(self):
        return self.array.ctypes.data


def raised(call):
    try:
        call()
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


x = np.ones(20, np.float32)
scale[(1,)](x, 1.5, 2.0, 3.0, True, 5 << 40, 20, B=32)
right["scalars"] = bool((x == 12.5).all())

pair = (np.ones(20, np.float32), np.full(20, 2, np.float32))
add_pair[(1,)](pair, 20, B=32)
right["tuple"] = bool((pair[0] == 3).all())

both = np.arange(40, dtype=np.float32)
add_pair[(1,)]((both[:20], both[20:]), 20, B=32)
right["two parts of an array"] = both[:20].tolist() == [20 + 2 * i for i in range(20)]

there = cuda.to_device(np.ones(20, np.float32))
add_pair[(1,)]((there, np.ones(20, np.float32)), 20, B=32)
right["device array of Numba"] = bool((there.copy_to_host() == 2).all())

managed = cuda.managed_array(20, np.float32)
managed[:] = 4
add_pair[(1,)]((managed, managed), 20, B=32)
right["managed memory"] = bool((managed == 8).all())

tensor = Tensor(np.ones(20, np.float32))
add_pair[(1,)]((tensor, tensor), 20, B=32)
right["data_ptr"] = bool((tensor.array == 2).all())

unsized = Tensor(np.ones(20, np.float32), sized=False)
right["no size"] = raised(lambda: add_pair[(1,)]((unsized, unsized), 20, B=32))

source, target = Tensor(np.arange(128, dtype=np.float32)), Tensor(np.zeros(128, np.float32))
descriptors = [TensorDescriptor(one, [8, 16], [16, 1], [8, 16]) for one in (source, target)]
copy_rows[(1,)](*descriptors, 8, B=8)
right["descriptor"] = bool((source.array == target.array).all())

x, count = np.zeros(100, np.float32), np.zeros(1, np.int32)
grow[lambda meta: (triton.cdiv(100, meta["B"]),)](x, count, 100)
programs = triton.cdiv(100, grow.best_config.kwargs["B"])
right["tuning that restores"] = bool((x == 1).all()) and int(count[0]) == programs

right["grid of nothing"] = raised(lambda: add_pair[(0,)](pair, 20, B=32))
right["out of bounds"] = raised(lambda: far[(1,)](np.zeros(8, np.float32), B=8))
right["complex numbers"] = raised(lambda: far[(1,)](np.zeros(8, np.complex64), B=8))
speak[(1,)](np.full(4, 7, np.int32), B=4)

constant = np.ones(20, np.float32)
constant.flags.writeable = False
add_pair[(1,)]((constant, np.ones(20, np.float32)), 20, B=32)
right["read-only array"] = bool((constant == 1).all())

print(json.dumps(right))
