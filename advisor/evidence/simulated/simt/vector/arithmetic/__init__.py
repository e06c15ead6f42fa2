"""Arithmetic, conversions and moves of PTX as vector code."""
