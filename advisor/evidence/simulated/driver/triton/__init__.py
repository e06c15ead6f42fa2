"""Lets the kernels of Triton run on the simulated GPU, compiled by Triton's own compiler."""
