"""Kernels run without a GPU: a CUDA driver, a SIMT machine, and the launches that they recorded."""
