"""What changed: by an edit of the sources, or between two runs."""
