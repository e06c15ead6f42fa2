"""What names in kernels refer to, followed as Python would, and the values of constant expressions."""
