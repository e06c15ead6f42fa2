"""Records of Triton kernels and of their accesses."""
