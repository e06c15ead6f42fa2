"""Configurations tried: changed copies of files, run in processes."""
