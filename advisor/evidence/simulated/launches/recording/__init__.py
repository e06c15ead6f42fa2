"""Launches of a running program, on their way into the record."""
