"""Evidence of host code around kernels: Numba, PyTorch and CuPy; nothing is executed."""
