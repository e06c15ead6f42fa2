"""What a kernel computes at a cost worth knowing, and which of it could be computed less often."""
