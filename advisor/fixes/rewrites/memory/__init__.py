"""Fixes of how a kernel reaches memory: registers, shared tiles, layouts."""
