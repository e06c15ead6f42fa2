"""Advice for GPU kernels written in Python, at the line."""

__version__ = "0.1.0"
