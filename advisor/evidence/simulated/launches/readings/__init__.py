"""Metrics of kernels and of lines from the counts of a launch."""
