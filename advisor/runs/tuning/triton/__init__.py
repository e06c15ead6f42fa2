"""Configurations of Triton's kernels ranked by predicted time."""
