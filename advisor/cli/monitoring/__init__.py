"""Looking at a GPU again and again: what is seen, judged, shown and kept."""
