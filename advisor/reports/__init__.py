"""What people and programs read of a check or of runs."""
