"""Numbers in the source that a search may change."""
