"""Launches one behind the other: what each leaves to the next, and what a loop around them does."""
