"""Fixes of what a kernel computes: precision, powers, loops, compiler options."""
