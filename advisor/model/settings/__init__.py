"""The configuration, what a check is asked for, and the files that it is about."""
