"""Launches: their sites, grids, sizes and arguments."""
