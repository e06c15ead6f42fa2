"""Tuning of one kernel: block size, constants and register limit, searched by predicted time."""
