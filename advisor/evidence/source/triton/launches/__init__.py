"""Records of the launches, grids and configurations of Triton kernels."""
