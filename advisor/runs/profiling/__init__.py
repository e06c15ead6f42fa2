"""Runs workloads many times, measures them, and keeps fingerprints of their kernels."""
