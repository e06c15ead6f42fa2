"""Runs each kernel and prints how far its results lie from NumPy's."""

import json
import warnings

import numpy as np

warnings.simplefilter("ignore")

from slow_kernels import attention, layer_norm, product, wide_softmax  # noqa: E402

rng = np.random.default_rng(1)
apart = {}


def compare(name, found, expected):
    apart[name] = float(np.max(np.abs(found.astype(np.float64) - expected.astype(np.float64))))


def exponentials(x):
    return np.exp(x - x.max(-1, keepdims=True))


rows = rng.standard_normal((512, 608)).astype(np.float32)
out = np.empty_like(rows)
wide_softmax[(512,)](rows, out, 608, B=2048)
e = exponentials(rows)
compare("softmax", out, e / e.sum(1, keepdims=True))

rows = rng.standard_normal((512, 1000)).astype(np.float32)
out = np.empty_like(rows)
w, b = rng.random(1000, dtype=np.float32), rng.random(1000, dtype=np.float32)
layer_norm[(512,)](rows, w, b, out, 1000, 1e-5, B=1024)
centred = rows - rows.mean(1, keepdims=True)
compare("layer norm", out, centred / np.sqrt(rows.var(1, keepdims=True) + 1e-5) * w + b)

# Whole numbers, of which every sum is exact.
left, right = (rng.integers(-8, 8, (256, 256)).astype(np.float32) for _ in range(2))
out = np.empty((256, 256), np.float32)
product[(16, 16)](left, right, out, 256, 256, 256, BM=16, BN=16, BK=32, PRECISION="ieee", num_warps=1)
compare("product", out, left @ right)

q, k, v = (rng.standard_normal((8, 256, 64)).astype(np.float16) for _ in range(3))
out = np.empty((8, 256, 64), np.float32)
attention[(16, 8)](q, k, v, out, 256, 0.125, D=64, BM=16, BN=16, num_warps=1)
e = exponentials(q.astype(np.float32) @ k.astype(np.float32).transpose(0, 2, 1) * 0.125)
compare("attention", out, e / e.sum(-1, keepdims=True) @ v.astype(np.float32))

print(json.dumps({"apart": apart}))
