"""Launches that are made up for kernels of Triton: compiled and run in a contained process."""
