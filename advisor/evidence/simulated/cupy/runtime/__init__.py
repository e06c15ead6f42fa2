"""The runtime that CuPy's modules call: its functions, and how they get into their place."""
