"""A block of 1,024 threads that needs more registers than a block can have, and one of 256 that does not."""

import numpy as np
from numba import cuda


@cuda.jit("void(float32[::1], float32[::1], int32)")
def reordered(a, out, n):  # hit: launch-exceeds-registers, register-spills
    i = cuda.grid(1)
    if i < n:
        v0 = a[i + 0 * n]
        v1 = a[i + 1 * n]
        v2 = a[i + 2 * n]
        v3 = a[i + 3 * n]
        v4 = a[i + 4 * n]
        v5 = a[i + 5 * n]
        v6 = a[i + 6 * n]
        v7 = a[i + 7 * n]
        v8 = a[i + 8 * n]
        v9 = a[i + 9 * n]
        v10 = a[i + 10 * n]
        v11 = a[i + 11 * n]
        v12 = a[i + 12 * n]
        v13 = a[i + 13 * n]
        v14 = a[i + 14 * n]
        v15 = a[i + 15 * n]
        v16 = a[i + 16 * n]
        v17 = a[i + 17 * n]
        v18 = a[i + 18 * n]
        v19 = a[i + 19 * n]
        v20 = a[i + 20 * n]
        v21 = a[i + 21 * n]
        v22 = a[i + 22 * n]
        v23 = a[i + 23 * n]
        v24 = a[i + 24 * n]
        v25 = a[i + 25 * n]
        v26 = a[i + 26 * n]
        v27 = a[i + 27 * n]
        v28 = a[i + 28 * n]
        v29 = a[i + 29 * n]
        v30 = a[i + 30 * n]
        v31 = a[i + 31 * n]
        v32 = a[i + 32 * n]
        v33 = a[i + 33 * n]
        v34 = a[i + 34 * n]
        v35 = a[i + 35 * n]
        v36 = a[i + 36 * n]
        v37 = a[i + 37 * n]
        v38 = a[i + 38 * n]
        v39 = a[i + 39 * n]
        v40 = a[i + 40 * n]
        v41 = a[i + 41 * n]
        v42 = a[i + 42 * n]
        v43 = a[i + 43 * n]
        v44 = a[i + 44 * n]
        v45 = a[i + 45 * n]
        v46 = a[i + 46 * n]
        v47 = a[i + 47 * n]
        v48 = a[i + 48 * n]
        v49 = a[i + 49 * n]
        v50 = a[i + 50 * n]
        v51 = a[i + 51 * n]
        v52 = a[i + 52 * n]
        v53 = a[i + 53 * n]
        v54 = a[i + 54 * n]
        v55 = a[i + 55 * n]
        v56 = a[i + 56 * n]
        v57 = a[i + 57 * n]
        v58 = a[i + 58 * n]
        v59 = a[i + 59 * n]
        v60 = a[i + 60 * n]
        v61 = a[i + 61 * n]
        v62 = a[i + 62 * n]
        v63 = a[i + 63 * n]
        v64 = a[i + 64 * n]
        v65 = a[i + 65 * n]
        v66 = a[i + 66 * n]
        v67 = a[i + 67 * n]
        v68 = a[i + 68 * n]
        v69 = a[i + 69 * n]
        v70 = a[i + 70 * n]
        v71 = a[i + 71 * n]
        cuda.threadfence()
        out[i + 0 * n] = v0
        out[i + 1 * n] = v1
        out[i + 2 * n] = v2
        out[i + 3 * n] = v3
        out[i + 4 * n] = v4
        out[i + 5 * n] = v5
        out[i + 6 * n] = v6
        out[i + 7 * n] = v7
        out[i + 8 * n] = v8
        out[i + 9 * n] = v9
        out[i + 10 * n] = v10
        out[i + 11 * n] = v11
        out[i + 12 * n] = v12
        out[i + 13 * n] = v13
        out[i + 14 * n] = v14
        out[i + 15 * n] = v15
        out[i + 16 * n] = v16
        out[i + 17 * n] = v17
        out[i + 18 * n] = v18
        out[i + 19 * n] = v19
        out[i + 20 * n] = v20
        out[i + 21 * n] = v21
        out[i + 22 * n] = v22
        out[i + 23 * n] = v23
        out[i + 24 * n] = v24
        out[i + 25 * n] = v25
        out[i + 26 * n] = v26
        out[i + 27 * n] = v27
        out[i + 28 * n] = v28
        out[i + 29 * n] = v29
        out[i + 30 * n] = v30
        out[i + 31 * n] = v31
        out[i + 32 * n] = v32
        out[i + 33 * n] = v33
        out[i + 34 * n] = v34
        out[i + 35 * n] = v35
        out[i + 36 * n] = v36
        out[i + 37 * n] = v37
        out[i + 38 * n] = v38
        out[i + 39 * n] = v39
        out[i + 40 * n] = v40
        out[i + 41 * n] = v41
        out[i + 42 * n] = v42
        out[i + 43 * n] = v43
        out[i + 44 * n] = v44
        out[i + 45 * n] = v45
        out[i + 46 * n] = v46
        out[i + 47 * n] = v47
        out[i + 48 * n] = v48
        out[i + 49 * n] = v49
        out[i + 50 * n] = v50
        out[i + 51 * n] = v51
        out[i + 52 * n] = v52
        out[i + 53 * n] = v53
        out[i + 54 * n] = v54
        out[i + 55 * n] = v55
        out[i + 56 * n] = v56
        out[i + 57 * n] = v57
        out[i + 58 * n] = v58
        out[i + 59 * n] = v59
        out[i + 60 * n] = v60
        out[i + 61 * n] = v61
        out[i + 62 * n] = v62
        out[i + 63 * n] = v63
        out[i + 64 * n] = v64
        out[i + 65 * n] = v65
        out[i + 66 * n] = v66
        out[i + 67 * n] = v67
        out[i + 68 * n] = v68
        out[i + 69 * n] = v69
        out[i + 70 * n] = v70
        out[i + 71 * n] = v71


@cuda.jit("void(float32[::1], float32[::1], int32)")
def copied(a, out, n):  # ok: launch-exceeds-registers
    i = cuda.grid(1)
    if i < n:
        out[i] = a[i]


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n * 72, dtype=np.float32))
    out = cuda.device_array(n * 72, dtype=np.float32)
    reordered[n // 1024, 1024](a, out, n)
    copied[n // 1024, 1024](a, out, n)
