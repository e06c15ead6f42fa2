"""A kernel's body: names, thread indices, loops, sums."""
