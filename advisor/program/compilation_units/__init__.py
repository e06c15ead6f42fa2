"""A kernel made self-contained: its text, the functions it calls, its constants."""
