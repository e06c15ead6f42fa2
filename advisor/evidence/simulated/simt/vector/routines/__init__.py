"""The runtime of translated code: routines that it calls."""
