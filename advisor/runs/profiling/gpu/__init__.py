"""Workloads measured on a GPU."""
