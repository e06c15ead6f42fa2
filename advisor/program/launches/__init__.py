"""Launches: which kernel, which block and grid, which arguments, in which loop."""
