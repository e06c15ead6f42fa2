"""How the extents of arrays, scalars, threads and the contents of index arrays hang together."""
