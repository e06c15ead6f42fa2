"""Fixes of Triton kernels."""
