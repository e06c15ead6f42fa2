"""What the source of Triton kernels and their launches says, from the syntax tree alone."""
