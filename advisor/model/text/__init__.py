"""Source text with positions, its syntax trees, and notebooks as one text."""
