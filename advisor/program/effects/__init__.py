"""What functions do with their parameters: reads, writes, escapes, kinds of values."""
