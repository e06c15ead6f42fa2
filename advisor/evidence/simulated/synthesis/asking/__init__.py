"""What is asked of made-up launches for the kernels of a check, and their answers."""
