"""Kernels of Triton as texts that need no other file, with launches that are made up."""
