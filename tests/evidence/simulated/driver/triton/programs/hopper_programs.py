"""Runs kernels for compute capability 9.0 and prints how far each is from NumPy."""

import json
import warnings

import numpy as np

warnings.simplefilter("ignore")

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from hopper_kernels import add_up, described, describing, eight_bits, product, specialised  # noqa: E402
from numba import cuda  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

rng = np.random.default_rng(1)
apart = {}


def compare(name, found, expected):
    apart[name] = float(np.max(np.abs(found.astype(np.float64) - expected.astype(np.float64))))


class Tensor:
    """What descriptors take: memory of the host with data_ptr(), dtype and size."""

    def __init__(self, array):
        self.array, self.dtype, self.nbytes = array, array.dtype, array.nbytes

    def data_ptr(self):
        return self.array.ctypes.data


def whole_numbers(shape, dtype=np.float16):
    return rng.integers(-3, 4, shape).astype(dtype)


# Of whole numbers every sum is exact; those from -3 to 3 are numbers of eight bits too.
for name, kind, dtype, result in (
    ("float16", tl.float16, np.float16, np.float32),
    ("float16 in float16", tl.float16, np.float16, np.float16),
    ("bfloat16", tl.bfloat16, np.float32, np.float32),
    ("tf32", tl.float32, np.float32, np.float32),
    ("e4m3", tl.float8e4nv, np.float16, np.float32),
    ("e5m2", tl.float8e5, np.float16, np.float32),
    ("int8", tl.int8, np.int8, np.int32),
):
    left, right = whole_numbers((128, 128), dtype), whole_numbers((128, 128), dtype)
    out = np.zeros((128, 128), result)
    product[(2, 1)](left, right, out, 128, 128, BM=64, BN=128, BK=64, KIND=kind)
    compare(name, out, left.astype(np.float32) @ right.astype(np.float32))


def tensor_of(array, box, **options):
    return TensorDescriptor(Tensor(array), list(array.shape), [array.shape[1], 1], box, **options)


# The tensors end within the last boxes.
left, right = whole_numbers((100, 96)), whole_numbers((96, 120))
out = np.zeros((100, 120), np.float32)
boxes = ([64, 64], [64, 64], [64, 64])
tensors = [tensor_of(one, box) for one, box in zip((left, right, out), boxes, strict=True)]
described[(2, 2)](*tensors, 96, BM=64, BN=64, BK=64)
compare("descriptors of the host", out, left.astype(np.float32) @ right.astype(np.float32))

triton.set_allocator(lambda size, alignment, stream: Tensor(np.zeros(size, np.uint8)))
out[:] = 0
describing[(2, 2)](left, right, out, 100, 120, 96, BM=64, BN=64, BK=64)
compare("descriptors of the kernel", out, left.astype(np.float32) @ right.astype(np.float32))

there = cuda.to_device(out)
there[:] = 0
describing[(2, 2)](left, right, there, 100, 120, 96, BM=64, BN=64, BK=64)
compare("array of the device", there.copy_to_host(), out)

left, right = whole_numbers((256, 256)), whole_numbers((256, 128))
out = np.zeros((256, 128), np.float32)
specialised[(2, 1)](left, right, out, 256, 128, 256, BM=128, BN=128, BK=64)
compare("specialised warps", out, left.astype(np.float32) @ right.astype(np.float32))

source, target = whole_numbers((16, 64), np.float32), np.zeros((16, 32), np.float32)
add_up[(2,)](tensor_of(source, [16, 32]), tensor_of(target, [16, 32]), B=32)
compare("sums", target, source[:, :32] + source[:, 32:])

x = np.array([0.3, -1.7, 448.0, 1e-3, 17.0, 60000.0, -0.0, 2.5] * 16, np.float32)
low, high = np.zeros_like(x), np.zeros_like(x)
eight_bits[(1,)](x, low, high, B=128)
# By hand: of three and of two bits behind the point.
compare("to e4m3", low[:8], np.array([0.3125, -1.75, 448, 2**-9 * 1, 16, 448, 0, 2.5]))
compare("to e5m2", high[:8], np.array([0.3125, -1.75, 448, 2**-10, 16, 57344, 0, 2.5]))


def failed(call):
    try:
        call()
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


small = TensorDescriptor(Tensor(whole_numbers((100, 96))), [200, 96], [96, 1], [64, 64])
beyond = failed(lambda: described[(2, 2)](small, *tensors[1:], 96, BM=64, BN=64, BK=64))
print(json.dumps({"apart": apart, "beyond": beyond}))
