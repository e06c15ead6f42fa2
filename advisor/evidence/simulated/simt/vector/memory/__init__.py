"""Loads, stores and atomics of PTX as vector code."""
