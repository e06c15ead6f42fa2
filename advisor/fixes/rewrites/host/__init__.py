"""Fixes of host code: launches, copies, waits."""
