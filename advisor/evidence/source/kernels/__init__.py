"""Records of kernels and of what is inside them, as far as the source shows it."""
