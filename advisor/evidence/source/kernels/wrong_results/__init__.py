"""What of a kernel gives a wrong result for certain, or none, as its source shows."""
