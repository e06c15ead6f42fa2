"""Fixes as edits, written in a process of their own."""
