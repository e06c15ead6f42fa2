"""What the tables of an analysis know, in words: hints in the lines, lenses over kernels, cards of hovers."""
