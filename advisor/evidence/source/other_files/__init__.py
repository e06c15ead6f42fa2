"""What the other files of a workspace have to say of the kernels of the checked ones."""
