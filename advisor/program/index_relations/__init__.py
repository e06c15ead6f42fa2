"""How the extents of a kernel's arrays, its scalars, its threads and what its index arrays hold hang together."""
