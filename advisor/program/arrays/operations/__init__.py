"""What arithmetic and functions make of host values."""
