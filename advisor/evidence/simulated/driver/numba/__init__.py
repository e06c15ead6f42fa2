"""What is changed within numba-cuda."""
