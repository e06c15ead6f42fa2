"""Commands about kernels and about this installation, one module each."""
