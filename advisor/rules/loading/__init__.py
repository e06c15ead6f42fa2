"""Rule files and packs found, loaded, and kept for the next time."""
