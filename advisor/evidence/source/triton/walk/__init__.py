"""The walk through one Triton kernel: blocks of values and what is done with them."""
