"""NVIDIA's closed libraries as CuPy calls them: what NumPy computes in their place, and refusals."""
