"""What `advisor profile` prints."""
