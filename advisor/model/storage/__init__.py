"""Stores on disk for results that are costly to compute."""
