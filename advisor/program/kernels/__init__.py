"""Kernels and device functions, in every form in which they are declared."""
