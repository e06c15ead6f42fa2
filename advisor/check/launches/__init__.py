"""Launches of the kernels of a check: those that differ, and those that are made up."""
