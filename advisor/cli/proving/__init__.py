"""What `advisor verify` prints."""
