"""Execution of kernels without a GPU: PTX in, exact results and a profiler's counts out."""
