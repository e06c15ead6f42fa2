"""Runs the five kernels and prints how far each is from NumPy."""

import json
import warnings

import numpy as np

warnings.simplefilter("ignore")

import triton  # noqa: E402

from kernels import add, attention, layer_norm, matmul, softmax  # noqa: E402

rng = np.random.default_rng(1)
apart = {}


def compare(name, found, expected):
    apart[name] = float(np.max(np.abs(found.astype(np.float64) - expected.astype(np.float64))))


def exponentials(x):
    return np.exp(x - x.max(1, keepdims=True))


n = 10_000
x, y = rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)
out = np.zeros_like(x)
add[(triton.cdiv(n, 1024),)](x, y, out, n, B=1024)
compare("add", out, x + y)

# Views of the same arrays, and a grid that is worked out from the arguments.
out[:] = 0
add[lambda meta: (triton.cdiv(meta["n"], meta["B"]),)](x[1:], y[1:], out[1:], n - 1, B=512)
compare("add to views", out, np.concatenate([[0], (x + y)[1:]]))

rows = rng.standard_normal((64, 1000)).astype(np.float32)
out = np.empty_like(rows)
softmax[(64,)](rows, out, 1000, 1000, B=1024)
e = exponentials(rows)
compare("softmax", out, e / e.sum(1, keepdims=True))

w, b = rng.random(1000, dtype=np.float32), rng.random(1000, dtype=np.float32)
layer_norm[(64,)](rows, w, b, out, 1000, 1e-5, B=1024)
apart_from_mean = rows - rows.mean(1, keepdims=True)
compare("layer norm", out, apart_from_mean / np.sqrt(rows.var(1, keepdims=True) + 1e-5) * w + b)

# Whole numbers, of which every sum is exact.
left = rng.integers(-8, 8, (128, 64)).astype(np.float16)
right = rng.integers(-8, 8, (64, 128)).astype(np.float16)
out = np.zeros((128, 128), np.float16)
matmul[lambda meta: (128 // meta["BM"], 128 // meta["BN"])](left, right, out, 128, 128, 64)
compare("matmul", out, left.astype(np.float32) @ right.astype(np.float32))

q, k, v = (rng.standard_normal((128, 64)).astype(np.float16) for _ in range(3))
out = np.zeros((128, 64), np.float32)
attention[(2,)](q, k, v, out, 128, 0.125, D=64, BM=64, BN=32)
e = exponentials(q.astype(np.float32) @ k.astype(np.float32).T * 0.125)
compare("attention", out, e / e.sum(1, keepdims=True) @ v.astype(np.float32))

print(json.dumps({"apart": apart, "best": str(matmul.best_config)}))
